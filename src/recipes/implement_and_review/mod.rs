//! Implement & Review: one task, given or taken from the tracker, from implementation to commit.

use super::task_steps::{commit_task, implement_task, review_loop};

pub use self::implement_and_review::*;

surefire::recipe! {
    /// Implement task, review code, fix issues, and commit.
    pub recipe ImplementAndReview {
        id: "implement-and-review",
        label: "Implement & Review",
        allow_lockfiles: true,
        needs: { task },
        initial: Implement,
        guardrails: { max_step_visits: 3, max_total_steps: 100 },
        proves: {
            Commit needs CodeReview.NoIssues since Fix,
            exit TaskCommitted needs CodeReview.NoIssues,
            exit TaskCommitted needs Commit.Committed,
        },

        include implement_task(implemented => CodeReview);
        include review_loop(clean => Commit);
        include commit_task(committed => exit TaskCommitted, nothing => exit NoChangesToCommit);
    }
}
