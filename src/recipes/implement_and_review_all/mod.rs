//! Implement & Review All: one task after the other, each in a session of its own.

use super::task_steps::{commit_task, implement_task, review_loop};

pub use self::implement_and_review_all::*;

surefire::recipe! {
    /// Implement all tasks, restarting in new sessions after each commit.
    pub recipe ImplementAndReviewAll {
        id: "implement-and-review-all",
        label: "Implement & Review All",
        allow_lockfiles: true,
        needs: { task },
        initial: Implement,
        guardrails: { max_step_visits: 3, max_total_steps: 100, max_restarts: 50 },
        proves: {
            Commit needs CodeReview.NoIssues since Fix,
            restart ImplementAndReviewAll needs CodeReview.NoIssues,
        },

        include implement_task(implemented => CodeReview);
        include review_loop(clean => Commit);
        include commit_task(
            committed => restart ImplementAndReviewAll,
            nothing => restart ImplementAndReviewAll,
        );
    }
}
