//! Review & Commit: for changes that are there already.

use super::task_steps::review_loop;

pub use self::review_and_commit::*;

surefire::recipe! {
    /// Review existing changes, fix issues, and commit.
    pub recipe ReviewAndCommit {
        id: "review-and-commit",
        label: "Review & Commit",
        initial: CodeReview,
        guardrails: { max_step_visits: 3, max_total_steps: 100 },

        include review_loop(clean => Commit);

        /// Commits the reviewed changes.
        step Commit {
            prompt: include_str!("commit.md"),
            outcomes: [Committed, NothingToCommit],
            Committed => exit ChangesCommitted,
            NothingToCommit => exit NoChangesToCommit,
        }
    }
}
