//! A recipe that needs a task starts in a new session only if there is one: the text of the start
//! request, or a tracker that the agent can take one from.

use std::fs;
use std::sync::Arc;

use surefire::agent::{Agent, Rehearsal, Script};
use surefire::engine::{Engine, Start, StartError};
use surefire::store::{Memory, RunFilter, Store};
use surefire::{Advise, Remedy};
use surefire_testkit::{Act, FakeAgent, Harness, options};
use tokio::sync::Notify;

surefire::recipe! {
    /// Works on a task, and then on the next one.
    recipe Tasks {
        initial: Work,
        needs: { task },
        guardrails: { max_restarts: 1 },
        step Work {
            prompt: "Work.",
            outcomes: [Complete, NoTasks],
            Complete => restart Tasks,
            NoTasks => exit NoTasksAvailable,
        }
    }
}

const RECIPES: surefire::Catalog = surefire::catalog![Tasks];

async fn harness(agent: FakeAgent) -> Harness {
    Harness::with(agent, Arc::new(Memory::default()), |options| options.catalog = RECIPES).await
}

/// An agent that finds the tracker, but no task in it.
fn with_tracker() -> FakeAgent {
    let agent = FakeAgent::new([Act::Outcome("no-tasks")]);
    agent.installs("bd");
    agent
}

fn start_request(harness: &Harness, task: Option<&str>) -> Start {
    Start::new("tasks", harness.directory()).task(task.map(str::to_owned))
}

async fn refused(harness: &Harness, start: Start) -> StartError {
    let refused = harness.engine.start(start).await.expect_err("there is no task");
    assert!(matches!(refused, StartError::NoTask { recipe: "tasks", .. }), "{refused}");
    assert_eq!(harness.agent.turns().len(), 0, "no turn is paid for");
    assert_eq!(harness.store.runs(&RunFilter::default()).unwrap().len(), 0, "no run began");
    assert_eq!(harness.store.session_count().unwrap(), 0, "no session began");
    refused
}

#[tokio::test(start_paused = true)]
async fn without_a_task_and_without_a_tracker_the_start_is_refused() {
    let harness = harness(FakeAgent::default()).await;
    fs::create_dir(harness.directory().join(".beads")).unwrap();
    for task in [None, Some(""), Some(" \n")] {
        let refused = refused(&harness, start_request(&harness, task)).await;
        assert_eq!(refused.remedy(), Some(Remedy::GiveTask { recipe: "tasks".to_owned() }));
        let exit = refused.exit().unwrap();
        assert_eq!((exit.code().as_ref(), exit.definition().exit_code), ("no-prompt", 15));
        let words = exit.description().unwrap();
        for part in [
            "`bd` is not on the agent's `PATH`",
            r#"`surefire run tasks "fix the rounding in cart.rs"`"#,
            "install `bd`",
        ] {
            assert!(words.contains(part), "{words}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn the_text_of_the_start_request_is_a_task() {
    let harness = harness(FakeAgent::new([Act::Outcome("no-tasks")])).await;
    let started = harness.engine.start(start_request(&harness, Some("the cart"))).await.unwrap();
    assert_eq!(harness.ended(started).await.reason, "no-tasks-available");
    assert!(harness.agent.turns()[0].prompt.contains("the cart"));
}

#[tokio::test(start_paused = true)]
async fn a_tracker_counts_only_if_it_has_a_database() {
    let harness = harness(with_tracker()).await;
    let words = refused(&harness, start_request(&harness, None)).await.to_string();
    assert!(words.contains("has no `.beads`"), "{words}");
    fs::create_dir(harness.directory().join(".beads")).unwrap();
    let started = harness.engine.start(start_request(&harness, None)).await.unwrap();
    assert_eq!(harness.ended(started).await.reason, "no-tasks-available");
}

#[tokio::test(start_paused = true)]
async fn a_run_in_an_existing_session_needs_no_task() {
    let agent = FakeAgent::new([Act::Outcome("no-tasks"), Act::Outcome("no-tasks")]);
    let harness = harness(agent).await;
    let first = harness.engine.start(start_request(&harness, Some("the cart"))).await.unwrap();
    harness.ended(first).await;
    let start = start_request(&harness, None).session(Some(first.session));
    let second = harness.engine.start(start).await.unwrap();
    assert_eq!(harness.ended(second).await.reason, "no-tasks-available");
    let start = harness.engine.start(start_request(&harness, None)).await;
    assert!(matches!(start, Err(StartError::NoTask { .. })), "a new session needs one");
}

#[tokio::test(start_paused = true)]
async fn a_chain_restarts_even_if_the_tracker_is_gone_by_then() {
    let go = Arc::new(Notify::new());
    let agent = FakeAgent::new([Act::Waits(Arc::clone(&go), "complete"), Act::Outcome("no-tasks")]);
    agent.installs("bd");
    let harness = harness(agent).await;
    let database = harness.directory().join(".beads");
    fs::create_dir(&database).unwrap();
    let started = harness.engine.start(start_request(&harness, None)).await.unwrap();
    harness.agent.asked(1).await;
    fs::remove_dir(database).unwrap();
    go.notify_one();
    let ending = harness.ended(started).await;
    let successor = ending.continued_by.expect("it restarts");
    assert_eq!(
        harness.engine.wait_until_ended(successor).await.unwrap().reason,
        "no-tasks-available"
    );
}

#[tokio::test(start_paused = true)]
async fn a_rehearsal_needs_no_task() {
    let place = tempfile::tempdir().unwrap();
    let store: Arc<dyn Store> = Arc::new(Memory::default());
    let mut options = options(&place, &FakeAgent::default(), &store);
    let rehearsal: Arc<dyn Agent> = Arc::new(Rehearsal::new(Script::Happy));
    options.agents = vec![rehearsal];
    options.catalog = RECIPES;
    let engine = Engine::open(options).await.unwrap();
    let directory = place.path().canonicalize().unwrap();
    let started =
        engine.start(Start::new("tasks", directory)).await.expect("a rehearsal needs no task");
    assert!(engine.wait_until_ended(started.run).await.unwrap().rehearsal);
}
