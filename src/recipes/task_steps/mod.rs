//! The steps that recipes about a task share.

use super::tools::{BUILD, TEST, TRACKER};

surefire::steps! {
    /// Implements the given task, or the next ready one of the tracker.
    pub(super) steps implement_task(implemented) {
        /// Implements the given task, or the next ready one of the tracker.
        step Implement {
            prompt: include_str!("implement.md"),
            tools: [edit, ..BUILD, ..TRACKER, "bd create *", "bd update *"],
            outcomes: [Complete, NoTasks, Blocked],
            Complete => implemented,
            NoTasks => exit NoTasksAvailable,
            Blocked => exit ImplementationBlocked,
        }
    }
}

surefire::steps! {
    /// Reviews the changes, and fixes them until there is nothing left to fix.
    pub(super) steps review_loop(clean) {
        /// Reads the changes and reports what is wrong with them; changes nothing.
        step CodeReview {
            prompt: include_str!("code-review.md"),
            tools: [read, ..TEST, ..TRACKER],
            outcomes: [NoIssues, IssuesFound],
            NoIssues => clean,
            IssuesFound(findings) => Fix,
        }

        /// Fixes what the review found.
        step Fix {
            prompt: include_str!("fix.md"),
            tools: [edit, ..BUILD, ..TRACKER],
            outcomes: [Complete],
            Complete => CodeReview,
        }
    }
}

surefire::steps! {
    /// Closes the task and commits its changes.
    pub(super) steps commit_task(committed, nothing) {
        /// Closes the task and commits its changes.
        step Commit {
            prompt: include_str!("commit-task.md"),
            tools: ["git add *", "git commit *", ..TRACKER, "bd close *", "bd update *"],
            outcomes: [Committed, NothingToCommit],
            Committed => committed if commit,
            NothingToCommit => nothing if no_commit && clean,
        }
    }
}
