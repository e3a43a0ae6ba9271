//! Every exit reason has a producer: for each, the situation that a run ends in it, for real.

use std::sync::Arc;

use strum::IntoEnumIterator;
use surefire::agent::Failure;
use surefire::engine::{Shutdown, Start};
use surefire::run::{Ending, Limits};
use surefire::store::Memory;
use surefire::{Catalog, ExitReason, catalog};
use surefire_testkit::{Act, FakeAgent, Harness, SECOND};

surefire::recipe! {
    /// What an author's own checks may end in.
    recipe Gatekeeper {
        initial: Check,
        guardrails: { max_total_steps: 2 },
        step Check {
            prompt: "Check it.",
            outcomes: [
                Again, OutOfScope, LockfileTouched, Dirty, Collides, SameReview, Rejected, ChecksFailed, ChecksSlow,
                Stuck,
            ],
            Again => Check,
            OutOfScope => exit GuardViolation,
            LockfileTouched => exit LockfileViolation,
            Dirty => exit DirtyWorktree,
            Collides => exit FileCollision,
            SameReview => exit ReviewLoopDetected,
            Rejected => exit ReviewRejected,
            ChecksFailed => exit VerificationFailed,
            ChecksSlow => exit VerificationTimeout,
            Stuck => exit WorkerBlocked,
        }
    }
}

surefire::recipe! {
    /// A chain that may restart once.
    recipe Chain {
        initial: Link,
        guardrails: { max_restarts: 1 },
        step Link { prompt: "Link.", outcomes: [Next], Next => restart Chain }
    }
}

static ALL: Catalog = catalog![
    Gatekeeper,
    Chain,
    surefire::recipes::BreakDownTasks,
    surefire::recipes::DocumentDesign,
    surefire::recipes::ImplementAndReview,
    surefire::recipes::RebaseOnMain,
    surefire::recipes::RefineDesign,
    surefire::recipes::Retrospective,
    surefire::recipes::ReviewAndCommit,
];

/// How to get a run to end for a reason.
enum Situation {
    /// The agent reports these outcomes; after them, each step's first.
    Reports(&'static str, &'static [&'static str]),
    /// The agent does this with its first prompt.
    Does(Act),
    /// The run has these limits.
    Has(Limits),
    /// Somebody ends it.
    Exited(ExitReason),
    /// Recipes are switched off.
    SwitchedOff,
    /// The server shuts down.
    ShutDown,
    /// Another process works in the session.
    Locked,
    /// Shown by a test of its own, which is named here.
    Elsewhere(&'static str),
}

fn situation(reason: ExitReason) -> Situation {
    use Situation::{Does, Elsewhere, Exited, Has, Locked, Reports, ShutDown, SwitchedOff};
    let words = || "in the agent's words".to_owned();
    let fails = |failure| Does(Act::Fails(failure));
    let task = |outcomes| Reports("implement-and-review", outcomes);
    let gate = |outcomes| Reports("gatekeeper", outcomes);
    match reason {
        ExitReason::TaskCommitted => task(&[]),
        ExitReason::ChangesCommitted => Reports("review-and-commit", &["no-issues", "committed"]),
        ExitReason::DesignCommitted => Reports("document-design", &[]),
        ExitReason::DesignRefinedAndCommitted => Reports("refine-design", &[]),
        ExitReason::TasksCommitted => Reports("break-down-tasks", &[]),
        ExitReason::NoChangesToCommit => task(&["complete", "no-issues", "nothing-to-commit"]),
        ExitReason::NoTasksAvailable => task(&["no-tasks"]),
        ExitReason::RebaseComplete => Reports("rebase", &[]),
        ExitReason::RetrospectiveComplete => Reports("retrospective", &[]),
        ExitReason::RestartNewSession | ExitReason::MaxRestarts => Reports("chain", &[]),
        ExitReason::ClarificationNeeded => Reports("rebase", &["ask-questions"]),
        ExitReason::ImplementationBlocked => task(&["blocked"]),
        ExitReason::NoDesignDocumentFound => Reports("refine-design", &["not-found"]),
        ExitReason::ConflictsRequireHumanIntervention => Reports("rebase", &["conflicts-unresolvable"]),
        ExitReason::UserProvidedOther => {
            Does(Act::Says(r#"{"outcome": "other", "otherDescription": "no key"}"#.to_owned()))
        }
        ExitReason::UserRequested | ExitReason::UserStopped => Exited(reason),
        ExitReason::OrchestrationDisabled => SwitchedOff,
        ExitReason::MaxTotalSteps => gate(&["again", "again"]),
        ExitReason::MaxStepVisitsExceeded => task(&[
            "complete",
            "issues-found",
            "complete",
            "issues-found",
            "complete",
            "issues-found",
            "complete",
        ]),
        ExitReason::CostBudget => fails(Failure::BudgetSpent { words: words() }),
        ExitReason::Timeout => Has(Limits { time: Some(SECOND), ..Limits::default() }),
        ExitReason::MaxTicks => Has(Limits { max_ticks: Some(0), ..Limits::default() }),
        ExitReason::Stalled => fails(Failure::Silent { after: SECOND }),
        ExitReason::GuardViolation => gate(&["out-of-scope"]),
        ExitReason::LockfileViolation => gate(&["lockfile-touched"]),
        ExitReason::DirtyWorktree => gate(&["dirty"]),
        ExitReason::FileCollision => gate(&["collides"]),
        ExitReason::PermissionDenied => Does(Act::Denied("I was not allowed to.")),
        ExitReason::SessionLocked => Locked,
        ExitReason::OutputLimit => fails(Failure::TooMuchOutput { limit: "256 MiB".to_owned() }),
        ExitReason::ReviewLoopDetected => gate(&["same-review"]),
        ExitReason::ReviewRejected => gate(&["rejected"]),
        ExitReason::OrchestrationError => {
            Elsewhere("run::decisions::a_bad_reply_is_asked_for_again_three_times_and_then_it_is_over")
        }
        ExitReason::Error => fails(Failure::Refused { words: words() }),
        ExitReason::InternalError => Does(Act::Panics),
        ExitReason::NoPrompt => Elsewhere("run::decisions::a_step_with_nothing_to_say_ends_the_run"),
        ExitReason::Interrupted => ShutDown,
        ExitReason::StorageError => {
            Elsewhere("storage::a_full_disk_pauses_the_run_and_nothing_unsaved_is_announced")
        }
        ExitReason::RateLimited => fails(Failure::UsageLimit { resets_at: None, words: words() }),
        ExitReason::AuthRequired => fails(Failure::NotLoggedIn { words: words() }),
        ExitReason::ApiOverloaded => fails(Failure::Overloaded { words: words() }),
        ExitReason::ContextExhausted => fails(Failure::ContextFull { words: words() }),
        ExitReason::VerificationFailed => gate(&["checks-failed"]),
        ExitReason::VerificationTimeout => gate(&["checks-slow"]),
        ExitReason::WorkerBlocked => gate(&["stuck"]),
        ExitReason::WorkerFailed => {
            fails(Failure::NoReply { status: "exit status 1".to_owned(), stderr: String::new() })
        }
        ExitReason::WorkerTimeout => fails(Failure::TookTooLong { after: SECOND }),
    }
}

async fn harness(acts: impl IntoIterator<Item = Act>) -> Harness {
    Harness::with(FakeAgent::new(acts), Arc::new(Memory::default()), |options| options.catalog = ALL)
        .await
        .in_git()
}

/// Brings a run about, and says how it ended; `last` follows a chain of runs to its end.
async fn play(situation: Situation, last: bool) -> Option<Ending> {
    let run = |recipe: &'static str, acts: Vec<Act>, limits: Limits| async move {
        let harness = harness(acts).await;
        let wish = Start { limits, ..Start::new(recipe, harness.directory()) };
        let started = harness.engine.start(wish).await.expect("the run starts");
        let mut ending = harness.ended(started).await;
        while let (true, Some(next)) = (last, ending.continued_by) {
            ending = harness.engine.ended(next).await.expect("it ends as well");
        }
        Some(ending)
    };
    let task = "implement-and-review";
    // A run that goes on by itself would be over for another reason before anybody looks.
    let alone = Limits { auto_resumes: 0, ..Limits::default() };
    match situation {
        Situation::Reports(recipe, outcomes) => {
            let acts = outcomes.iter().map(|outcome| Act::Outcome(outcome)).collect();
            run(recipe, acts, alone).await
        }
        Situation::Does(act) => run(task, vec![act], alone).await,
        Situation::Has(limits) => run(task, vec![Act::Hangs], limits).await,
        Situation::Exited(reason) => {
            let harness = harness([Act::Hangs]).await;
            let started = harness.start().await;
            harness.engine.exit(started.session, reason).await.expect("the store works")
        }
        Situation::SwitchedOff => {
            let harness = harness([]).await;
            harness.engine.set_orchestration(None, false).await.expect("the store works");
            let refused = harness.engine.start(harness.wish()).await.expect_err("recipes are off");
            let exit = refused.exit().expect("it can be shown as the end of a run");
            assert_eq!(exit.reason(), Some(ExitReason::OrchestrationDisabled));
            None
        }
        Situation::ShutDown => {
            let harness = harness([Act::Hangs]).await;
            let started = harness.start().await;
            harness.agent.asked(1).await;
            harness.engine.shut_down(Shutdown::StopAgents).await;
            harness.record(started.run).ending
        }
        Situation::Locked => {
            let harness = harness([]).await;
            let session = uuid::Uuid::from_u128(9);
            std::fs::create_dir_all(harness.place.path().join("locks")).expect("there is room");
            let path = harness.place.path().join("locks").join(format!("{session}.lock"));
            let held = std::fs::File::create(path).expect("there is room");
            held.lock().expect("nobody has it");
            let wish = Start { session: Some(session.into()), ..harness.wish() };
            let started = harness.engine.start(wish).await.expect("the run starts");
            Some(harness.ended(started).await)
        }
        Situation::Elsewhere(test) => {
            assert!(named_tests().contains(test.rsplit("::").next().expect("it has a name")), "{test}");
            None
        }
    }
}

/// The sources of the tests that others refer to.
fn named_tests() -> String {
    [include_str!("storage.rs"), include_str!("../pure/run/decisions.rs")].concat()
}

#[tokio::test(start_paused = true)]
async fn every_reason_has_a_producer() {
    for reason in ExitReason::iter() {
        let ending = play(situation(reason), reason == ExitReason::MaxRestarts).await;
        if let Some(ending) = ending {
            assert_eq!(ExitReason::lookup(&ending.reason), Some(reason), "{ending:?}");
        }
    }
}
