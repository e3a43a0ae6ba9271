//! Properties of the bundled recipes: whatever the agent reports, the typed and the erased form of
//! a run agree, a run ends within the number of steps that the macro computed, and saving and
//! resuming it at any point changes nothing.

#![cfg(feature = "recipes")]

use crate::typed_walk::walk;
use proptest::collection::vec;
use proptest::prelude::{ProptestConfig, any, proptest};
use proptest::test_runner::RngSeed;
use surefire::recipes::{
    BreakDownTasks, DocumentDesign, ImplementAndReview, ImplementAndReviewAll, RebaseOnMain,
    RefineDesign, Retrospective, ReviewAndCommit, break_down_tasks, document_design,
    implement_and_review, implement_and_review_all, rebase, refine_design, retrospective,
    review_and_commit,
};

typed_walk! {
    BreakDownTasks, break_down_tasks,
    Analyze: AnalyzeOutcome, AnalyzeNext => [CreateEpic];
    CreateEpic: CreateEpicOutcome, CreateEpicNext => [CreateTasks];
    CreateTasks: CreateTasksOutcome, CreateTasksNext => [ReviewTasks];
    ReviewTasks: ReviewTasksOutcome, ReviewTasksNext => [Commit, FixTasks];
    FixTasks: FixTasksOutcome, FixTasksNext => [ReviewTasks];
    Commit: CommitOutcome, CommitNext => [];
}

typed_walk! {
    DocumentDesign, document_design,
    Document: DocumentOutcome, DocumentNext => [Review];
    Review: ReviewOutcome, ReviewNext => [Commit, Fix];
    Fix: FixOutcome, FixNext => [Review];
    Commit: CommitOutcome, CommitNext => [];
}

typed_walk! {
    ImplementAndReview, implement_and_review,
    Implement: ImplementOutcome, ImplementNext => [CodeReview];
    CodeReview: CodeReviewOutcome, CodeReviewNext => [Commit, Fix];
    Fix: FixOutcome, FixNext => [CodeReview];
    Commit: CommitOutcome, CommitNext => [];
}

typed_walk! {
    ImplementAndReviewAll, implement_and_review_all,
    Implement: ImplementOutcome, ImplementNext => [CodeReview];
    CodeReview: CodeReviewOutcome, CodeReviewNext => [Commit, Fix];
    Fix: FixOutcome, FixNext => [CodeReview];
    Commit: CommitOutcome, CommitNext => [] restart ImplementAndReviewAll;
}

typed_walk! {
    RebaseOnMain, rebase,
    Rebase: RebaseOutcome, RebaseNext => [Review];
    Review: ReviewOutcome, ReviewNext => [Complete, Fix];
    Fix: FixOutcome, FixNext => [Review];
    Complete: CompleteOutcome, CompleteNext => [];
}

typed_walk! {
    RefineDesign, refine_design,
    LocateDesign: LocateDesignOutcome, LocateDesignNext => [ReviewCompleteness];
    ReviewCompleteness: ReviewCompletenessOutcome, ReviewCompletenessNext => [ReviewBreadth, FixCompleteness];
    FixCompleteness: FixCompletenessOutcome, FixCompletenessNext => [ReviewCompleteness];
    ReviewBreadth: ReviewBreadthOutcome, ReviewBreadthNext => [ReviewSimplicity, FixBreadth];
    FixBreadth: FixBreadthOutcome, FixBreadthNext => [ReviewBreadth];
    ReviewSimplicity: ReviewSimplicityOutcome, ReviewSimplicityNext => [ReviewConsistency, FixSimplicity];
    FixSimplicity: FixSimplicityOutcome, FixSimplicityNext => [ReviewSimplicity];
    ReviewConsistency: ReviewConsistencyOutcome, ReviewConsistencyNext => [ReviewPolish, FixConsistency];
    FixConsistency: FixConsistencyOutcome, FixConsistencyNext => [ReviewConsistency];
    ReviewPolish: ReviewPolishOutcome, ReviewPolishNext => [FinalReview, FixPolish];
    FixPolish: FixPolishOutcome, FixPolishNext => [ReviewPolish];
    FinalReview: FinalReviewOutcome, FinalReviewNext => [Commit, FixFinal];
    FixFinal: FixFinalOutcome, FixFinalNext => [FinalReview];
    Commit: CommitOutcome, CommitNext => [];
}

typed_walk! {
    Retrospective, retrospective,
    Reflect: ReflectOutcome, ReflectNext => [];
}

typed_walk! {
    ReviewAndCommit, review_and_commit,
    CodeReview: CodeReviewOutcome, CodeReviewNext => [Commit, Fix];
    Fix: FixOutcome, FixNext => [CodeReview];
    Commit: CommitOutcome, CommitNext => [];
}

proptest! {
    // The same walks every time, so that the test is not flaky.
    #![proptest_config(ProptestConfig { rng_seed: RngSeed::Fixed(1), failure_persistence: None, ..Default::default() })]

    #[test]
    fn every_form_of_every_walk_agrees_and_ends(choices in vec(any::<u8>(), 1..40)) {
        walk::<BreakDownTasks, break_down_tasks::AnyStep>(&choices);
        walk::<DocumentDesign, document_design::AnyStep>(&choices);
        walk::<ImplementAndReview, implement_and_review::AnyStep>(&choices);
        walk::<ImplementAndReviewAll, implement_and_review_all::AnyStep>(&choices);
        walk::<RebaseOnMain, rebase::AnyStep>(&choices);
        walk::<RefineDesign, refine_design::AnyStep>(&choices);
        walk::<Retrospective, retrospective::AnyStep>(&choices);
        walk::<ReviewAndCommit, review_and_commit::AnyStep>(&choices);
    }
}

#[test]
fn the_bound_is_reached_where_review_never_ends() {
    // Implement completes, the review finds something twice and then nothing. A third fix would
    // need a fourth review.
    let steps = walk::<ImplementAndReview, implement_and_review::AnyStep>(&[0, 1, 0, 1, 0, 0, 0]);
    assert_eq!(steps, 7);
    assert_eq!(ImplementAndReview::MAX_STEPS, steps);
    const { assert!(ImplementAndReview::MAX_STEPS_IS_EXACT) };
}
