//! What the next engine does with the state that the last one left in the store. Real kills are in
//! `faults`.

use std::sync::Arc;

use surefire::agent::{Failure, Fate, ProcessIdentity};
use surefire::engine::Options;
use surefire::run::{Event, Purpose, Resume, ResumedBy};
use surefire::store::{Change, Commit};
use surefire::{Catalog, catalog};
use surefire_testkit::{Act, FakeAgent, Harness, Kind, NOON, SECOND, json};

/// A harness with a run in its first turn, as a killed engine leaves it.
async fn killed_in_the_first_turn(spawns: bool) -> (Harness, surefire::engine::Started) {
    let harness = Harness::new(FakeAgent::new([Act::Hangs])).await;
    let started = harness.start().await;
    harness.agent.asked(1).await;
    if spawns {
        let process = surefire::store::ProcessRecord { pid: 4711, started: "then".into() };
        let attempt = harness.store.open_attempts().unwrap()[0].id;
        harness
            .store
            .commit(&Commit { changes: vec![Change::Spawned { attempt, process }] })
            .unwrap();
    }
    (harness, started)
}

#[tokio::test(start_paused = true)]
async fn a_finished_reply_is_adopted_without_a_second_call() {
    let (harness, started) = killed_in_the_first_turn(true).await;
    harness.agent.fate(Fate::Ended(Ok(json("complete"))));
    let harness = harness.again().await;
    assert_eq!(harness.ended(started).await.reason, "task-committed");
    let asked = harness.agent.recovered();
    assert_eq!(asked.len(), 1);
    assert_eq!(
        asked[0].kind,
        Kind::Recover(Some(ProcessIdentity { pid: 4711, started: "then".into() }))
    );
    assert_eq!(harness.agent.turns().len(), 3, "implement was asked once, by the first engine");
    assert_eq!(harness.moves(started.run).len(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_process_is_persisted_before_it_gets_its_prompt() {
    let harness = Harness::new(FakeAgent::new([Act::Spawns("no-tasks")])).await;
    let (started, _) = harness.run().await;
    let attempt = harness.agent.turns()[0].attempt.into();
    let attempt = harness.store.attempt(attempt).unwrap().unwrap();
    let process = surefire::store::ProcessRecord { pid: 4711, started: "then".into() };
    assert_eq!((attempt.process, attempt.run), (Some(process), Some(started.run)));
}

#[tokio::test(start_paused = true)]
async fn a_turn_that_never_began_is_begun_under_the_same_attempt() {
    let (harness, started) = killed_in_the_first_turn(false).await;
    let attempt = harness.store.open_attempts().unwrap()[0].id;
    harness.agent.fate(Fate::NeverBegan);
    let harness = harness.again().await;
    assert_eq!(harness.ended(started).await.reason, "task-committed");
    assert_eq!(harness.agent.turns()[1].attempt, attempt.uuid(), "it is the same attempt");
    assert!(!harness.agent.turns()[1].prompt.contains("is now resumed"));
    assert!(!harness.names(started.run).contains(&"resumed"));
}

#[tokio::test(start_paused = true)]
async fn an_unfinished_turn_is_interrupted_and_resumed_once() {
    let (harness, started) = killed_in_the_first_turn(true).await;
    harness.agent.fate(Fate::Unknown);
    harness.agent.then(Act::Hangs);
    let harness = harness.again().await;
    harness.agent.asked(2).await;
    let names = harness.names(started.run);
    assert_eq!(names, ["started", "turn_began", "ended", "resumed", "turn_began"]);
    assert!(
        harness.agent.turns()[1].prompt.contains("is now resumed"),
        "the prompt states that the run was interrupted"
    );

    // The engine is killed again without progress in between, so a user has to resume the run.
    harness.agent.fate(Fate::Unknown);
    let harness = harness.again().await;
    let ending = harness.ended(started).await;
    assert_eq!((ending.reason.as_str(), ending.resume_at), ("interrupted", None));
    tokio::time::sleep(SECOND * 3600).await;
    assert_eq!(harness.agent.turns().len(), 2, "nothing is repeated silently");

    harness.engine.resume(started.run, Resume::by(ResumedBy::User)).await.unwrap();
    assert_eq!(harness.ended(started).await.reason, "task-committed");
}

#[tokio::test(start_paused = true)]
async fn a_turn_that_failed_after_the_crash_ends_the_run_for_its_reason() {
    let (harness, started) = killed_in_the_first_turn(true).await;
    harness
        .agent
        .fate(Fate::Ended(Err(Failure::NotLoggedIn { words: "Please run /login".into() })));
    let harness = harness.again().await;
    assert_eq!(harness.ended(started).await.reason, "auth_required");
}

surefire::recipe! {
    /// A recipe with the id and the first step of the bundled one, but another graph.
    recipe Changed {
        id: "implement-and-review",
        initial: Implement,
        step Implement { prompt: "Implement.", outcomes: [Complete], Complete => exit TaskCommitted }
    }
}

pub(crate) static CHANGED: Catalog = catalog![Changed];
static NOTHING: Catalog = catalog![surefire::recipes::RebaseOnMain];

#[tokio::test(start_paused = true)]
async fn a_run_whose_recipe_changed_is_interrupted_and_not_resumed() {
    for (catalog, words) in [(CHANGED, "has changed since"), (NOTHING, "recipe not found")] {
        let (harness, started) = killed_in_the_first_turn(true).await;
        let harness = harness.again_with(|options: &mut Options| options.catalog = catalog).await;
        let ending = harness.ended(started).await;
        assert_eq!((ending.reason.as_str(), ending.step.as_str()), ("interrupted", "implement"));
        let described = ending.description.as_ref().unwrap();
        assert!(described.contains(words), "{ending:?}");
        if words == "has changed since" {
            let change = "outcome `blocked` of step `implement` was removed";
            assert!(described.contains(change), "{ending:?}");
        }
        assert_eq!(ending.resume_at, None, "no step is guessed");
        assert_eq!(harness.agent.turns().len(), 1);
        let refused =
            harness.engine.resume(started.run, Resume::by(ResumedBy::User)).await.unwrap_err();
        assert!(refused.to_string().contains(words), "{refused}");
        let harness = harness.again().await;
        harness.engine.resume(started.run, Resume::by(ResumedBy::User)).await.unwrap();
        assert_eq!(
            harness.ended(started).await.reason,
            "task-committed",
            "with the old recipe it resumes"
        );
    }
}

surefire::recipe! {
    /// The bundled recipe in another order, with other names that are mapped, and a lower limit.
    recipe Renamed {
        id: "implement-and-review",
        initial: Implement,
        guardrails: { max_step_visits: 2 },
        step Land {
            was: [Commit, NothingToCommit => Nothing],
            prompt: "Land it.",
            outcomes: [Committed, Nothing],
            Committed => exit TaskCommitted,
            Nothing => exit NoChangesToCommit,
        }
        step Audit {
            was: [CodeReview, NoIssues => Clean],
            prompt: "Audit it.",
            outcomes: [Clean, IssuesFound],
            Clean => Land,
            IssuesFound => Fix,
        }
        step Fix { prompt: "Fix it.", outcomes: [Complete], Complete => Audit }
        step Implement {
            prompt: "Implement.",
            outcomes: [Complete, NoTasks, Blocked],
            Complete => Audit,
            NoTasks => exit NoTasksAvailable,
            Blocked => exit ImplementationBlocked,
        }
    }
}

static RENAMED: Catalog = catalog![Renamed];

#[tokio::test(start_paused = true)]
async fn a_run_whose_recipe_only_has_other_names_goes_on_under_them() {
    let harness = Harness::new(FakeAgent::new([Act::Takes(SECOND, "complete"), Act::Hangs])).await;
    let started = harness.start().await;
    harness.agent.asked(2).await;
    // The agent was asked for the former names, and answers with one.
    harness.agent.fate(Fate::Ended(Ok(json("no-issues"))));
    let harness = harness.again_with(|options: &mut Options| options.catalog = RENAMED).await;
    assert_eq!(harness.ended(started).await.reason, "task-committed");
    let moves = harness.moves(started.run);
    assert_eq!(moves.len(), 2, "{moves:?}");
    assert!(harness.agent.turns().last().unwrap().prompt.starts_with("Land it."));
}

#[tokio::test(start_paused = true)]
async fn a_prompt_queued_in_a_run_survives_a_restart() {
    let (harness, started) = killed_in_the_first_turn(true).await;
    let prompt = harness.engine.prompt(started.session, "Mind the tests.".into()).await.unwrap();
    harness.agent.fate(Fate::Ended(Ok(json("complete"))));
    let harness = harness.again().await;
    assert_eq!(harness.ended(started).await.reason, "task-committed");
    assert_eq!(harness.agent.turns()[1].prompt, "Mind the tests.");
    let events = harness.events(started.run);
    let passed = events.iter().filter(|recorded| {
        matches!(
            &recorded.event,
            Event::TurnBegan { purpose: Purpose::Deliver { prompt: it }, .. } if *it == prompt
        )
    });
    assert_eq!(passed.count(), 1);
}

#[tokio::test(start_paused = true)]
async fn the_clock_may_jump_in_either_direction() {
    let harness =
        Harness::new(FakeAgent::new([Act::Takes(SECOND * 50, "complete"), Act::Hangs])).await;
    let started = harness.start().await;
    harness.agent.asked(2).await;
    harness.agent.fate(Fate::Ended(Ok(json("no-issues"))));
    // The next engine's clock is ten years behind.
    let harness = harness
        .again_with(|options| {
            options.clock = surefire::engine::Clock::new(|| NOON - 315_360_000_000);
        })
        .await;
    assert_eq!(harness.ended(started).await.reason, "task-committed");
    let events = harness.events(started.run);
    assert!(
        events
            .windows(2)
            .all(|pair| pair[0].seq + 1 == pair[1].seq && pair[0].global_seq < pair[1].global_seq)
    );
    let messages = harness.store.messages(started.session, 0, 100).unwrap();
    assert!(
        messages.windows(2).all(|pair| pair[0].at <= pair[1].at),
        "timestamps in the conversation never decrease"
    );
}

#[tokio::test(start_paused = true)]
async fn a_process_that_outlived_its_run_is_stopped() {
    let (harness, started) = killed_in_the_first_turn(true).await;
    let attempt = harness.store.open_attempts().unwrap()[0].id;
    // As if the engine had been killed between persisting the end and stopping the process.
    let ending = {
        let exit = surefire::Exit::because(surefire::ExitReason::UserRequested);
        let events = harness.events(started.run);
        surefire::run::abandon(events.iter().map(|recorded| &recorded.event), &exit).unwrap()
    };
    let change = Change::Run { run: started.run, after: 2, at: NOON, entries: vec![ending.into()] };
    Arc::clone(&harness.store).commit(&Commit { changes: vec![change] }).unwrap();
    // The fake agent leaves no files, so the test makes the directory.
    let scratch = harness.place.path().join("data/attempts").join(attempt.to_string());
    std::fs::create_dir(&scratch).unwrap();
    let harness = harness.again().await;
    assert!(!scratch.exists());
    let asked = harness.agent.recovered();
    assert_eq!(asked.len(), 1, "the agent was asked to stop the process");
    assert!(matches!(&asked[0].kind, Kind::Recover(Some(process)) if process.pid == 4711));
}
