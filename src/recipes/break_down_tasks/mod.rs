//! Break Down Tasks: from a design document to tasks in the tracker.

use super::tools::TRACKER;

pub use self::break_down_tasks::*;

surefire::recipe! {
    /// Create implementation tasks from design document using beads.
    pub recipe BreakDownTasks {
        id: "break-down-tasks",
        label: "Break Down Tasks",
        model: "opus",
        tools: [read, ..TRACKER],
        initial: Analyze,
        guardrails: { max_step_visits: 3, max_total_steps: 100 },
        proves: {
            Commit needs ReviewTasks.NoIssues since FixTasks,
            exit TasksCommitted needs Commit.Committed,
        },

        /// Reads the design and plans the tasks.
        step Analyze {
            prompt: include_str!("analyze.md"),
            outcomes: [Complete, DesignMissing, NeedsInput],
            Complete => CreateEpic,
            DesignMissing => exit NoDesignDocumentFound,
            NeedsInput => exit ClarificationNeeded,
        }

        /// Creates the epic that holds the tasks together.
        step CreateEpic {
            prompt: include_str!("create-epic.md"),
            tools: [..TRACKER, "bd create *", "bd update *"],
            outcomes: [Complete],
            Complete => CreateTasks,
        }

        /// Creates the tasks and what they depend on.
        step CreateTasks {
            prompt: include_str!("create-tasks.md"),
            tools: [..TRACKER, "bd create *", "bd update *", "bd dep *"],
            outcomes: [Complete],
            Complete => ReviewTasks,
        }

        /// Compares the tasks with the design; changes nothing.
        step ReviewTasks {
            prompt: include_str!("review-tasks.md"),
            outcomes: [NoIssues, IssuesFound],
            NoIssues => Commit,
            IssuesFound(findings) => FixTasks,
        }

        /// Fixes what the review found.
        step FixTasks {
            prompt: include_str!("fix-tasks.md"),
            tools: [..TRACKER, "bd create *", "bd update *", "bd dep *", "bd close *"],
            outcomes: [Complete],
            Complete => ReviewTasks,
        }

        /// Commits the tracker's files.
        step Commit {
            prompt: include_str!("commit.md"),
            tools: ["git add *", "git commit *", ..TRACKER],
            outcomes: [Committed, NothingToCommit],
            Committed => exit TasksCommitted if commit,
            NothingToCommit => exit NoChangesToCommit if no_commit && clean,
        }
    }
}
