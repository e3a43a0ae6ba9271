//! Review & Commit: for changes that already exist.

use super::task_steps::review_loop;
use super::tools::TRACKER;

pub use self::review_and_commit::*;

surefire::recipe! {
    /// Review existing changes, fix issues, and commit.
    pub recipe ReviewAndCommit {
        id: "review-and-commit",
        label: "Review & Commit",
        allow_lockfiles: true,
        initial: CodeReview,
        guardrails: { max_step_visits: 3, max_total_steps: 100 },
        proves: {
            Commit needs CodeReview.NoIssues since Fix,
            exit ChangesCommitted needs Commit.Committed,
        },

        include review_loop(clean => Commit);

        /// Commits the reviewed changes.
        step Commit {
            prompt: include_str!("commit.md"),
            tools: ["git add *", "git commit *", ..TRACKER, "bd close *"],
            outcomes: [Committed, NothingToCommit],
            Committed => exit ChangesCommitted if commit,
            // This recipe commits changes that were made before the run, so any uncommitted file
            // contradicts this outcome.
            NothingToCommit => exit NoChangesToCommit if no_commit && clean_tree,
        }
    }
}
