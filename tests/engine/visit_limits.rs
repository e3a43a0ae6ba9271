//! The limits of a visit: the engine stops the turn, and the run continues where the limit leads.

use std::sync::Arc;
use std::time::Duration;

use surefire::agent::{Failure, Fate};
use surefire::engine::{Shutdown, Start, Started};
use surefire::run::{Ending, Event, Exceeded};
use surefire::store::Memory;
use surefire_testkit::{Act, FakeAgent, Harness, SECOND, json};

surefire::recipe! {
    /// Migrates, and writes down what is known when a limit is reached.
    recipe Limited {
        initial: Migrate,
        guardrails: { max_step_visits: 3 },
        step Migrate {
            prompt: "Migrate it.",
            time: 30m => Escalate,
            retries: 1 => Escalate,
            budget_usd: 1.50 => Escalate,
            outcomes: [Complete],
            Complete => exit TaskCommitted if "sleep 1000000",
        }
        step Escalate {
            prompt: "Write down what is known.",
            outcomes: [Written, Again],
            Written => exit ClarificationNeeded,
            Again => Migrate,
        }
    }
}

surefire::recipe! {
    /// A command that takes too long.
    recipe Slow {
        initial: Rest,
        step Rest { run: "sleep 1000000", time: 1s => Escalate, Passed => exit TaskCommitted, Failed => exit ImplementationBlocked }
        step Escalate { prompt: "Write.", outcomes: [Written], Written => exit ClarificationNeeded }
    }
}

const RECIPES: surefire::Catalog = surefire::catalog![Limited, Slow];

async fn harness(acts: impl IntoIterator<Item = Act>) -> Harness {
    let (agent, store) = (FakeAgent::new(acts), Arc::new(Memory::default()));
    Harness::with(agent, store, |options| options.catalog = RECIPES).await
}

async fn start(harness: &Harness, recipe: &str) -> Started {
    harness.engine.start(Start::new(recipe, harness.directory())).await.expect("it starts")
}

async fn run(harness: &Harness, recipe: &str) -> (Started, Ending) {
    let started = start(harness, recipe).await;
    let ending = harness.ended(started).await;
    (started, ending)
}

/// The steps that the agent was asked in, by the beginning of their prompts.
fn asked(harness: &Harness) -> Vec<String> {
    let turns = harness.agent.turns();
    turns.iter().map(|turn| turn.prompt.lines().next().unwrap_or_default().to_owned()).collect()
}

fn reached(harness: &Harness, started: Started) -> Vec<Exceeded> {
    let events = harness.events(started.run);
    let reached = events.iter().filter_map(|recorded| match &recorded.event {
        Event::LimitReached { exceeded, .. } => Some(**exceeded),
        _ => None,
    });
    reached.collect()
}

#[tokio::test(start_paused = true)]
async fn a_turn_that_takes_too_long_is_stopped_and_the_run_goes_on() {
    let harness = harness([Act::Hangs, Act::Outcome("written")]).await;
    let began = tokio::time::Instant::now();
    let (started, ending) = run(&harness, "limited").await;
    assert_eq!(ending.reason, "clarification-needed");
    assert_eq!(began.elapsed().as_secs(), 1_800);
    assert_eq!(harness.moves(started.run), ["migrate time limit escalate"]);
    assert_eq!(asked(&harness), ["Migrate it.", "Write down what is known."]);
    assert_eq!(harness.agent.most_working(), 1, "the next turn waits until this one has ended");
    let minutes = Duration::from_secs(30 * 60);
    assert_eq!(reached(&harness, started), [Exceeded::Time { limit: minutes, observed: minutes }]);
    assert!(harness.store.open_attempts().unwrap().is_empty());
}

#[tokio::test(start_paused = true)]
async fn each_visit_has_its_own_time() {
    let acts = [
        Act::Takes(SECOND * 1_700, "again"),
        Act::Hangs,
        Act::Outcome("again"),
        Act::Hangs,
        Act::Outcome("written"),
    ];
    let harness = harness(acts).await;
    let began = tokio::time::Instant::now();
    // Its first reply cannot be read: `again` is no outcome of that step.
    let (started, ending) = run(&harness, "limited").await;
    assert_eq!(ending.reason, "clarification-needed");
    assert_eq!(began.elapsed().as_secs(), 1_800 + 1_800);
    let moves = ["migrate time limit escalate", "escalate again migrate"];
    assert_eq!(harness.moves(started.run), [&moves[..], &moves[..1]].concat());
}

#[tokio::test(start_paused = true)]
async fn the_agent_gets_what_is_left_of_the_visit_s_budget() {
    let unread = |cost| Act::Costs("nonsense", cost);
    let harness = harness([unread(0.5), unread(0.25), Act::Outcome("written")]).await;
    let (started, ending) = run(&harness, "limited").await;
    assert_eq!(ending.reason, "clarification-needed");
    assert_eq!(harness.moves(started.run), ["migrate retry limit escalate"]);
    let budgets: Vec<_> = harness.agent.turns().iter().map(|turn| turn.limits.budget_usd).collect();
    assert_eq!(budgets, [Some(1.5), Some(1.0), None]);
    assert!((harness.record(started.run).cost_usd - 0.75).abs() < 1e-9);
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_spends_its_budget_leaves_the_step() {
    let spent = Failure::BudgetSpent { words: "$1.50 is spent".to_owned() };
    let harness = harness([Act::Fails(spent), Act::Outcome("written")]).await;
    let (started, ending) = run(&harness, "limited").await;
    assert_eq!(ending.reason, "clarification-needed");
    assert_eq!(harness.moves(started.run), ["migrate budget limit escalate"]);
    assert_eq!(reached(&harness, started), [Exceeded::Cost { limit: 1.5, observed: 1.5 }]);
    assert!((harness.record(started.run).cost_usd - 1.5).abs() < 1e-9, "it counts for the run");
}

#[tokio::test(start_paused = true)]
async fn the_operator_s_budget_of_a_turn_still_holds() {
    let (agent, store) = (FakeAgent::new([Act::Hangs]), Arc::new(Memory::default()));
    let harness = Harness::with(agent, store, |options| {
        options.catalog = RECIPES;
        options.turn.budget_usd = Some(0.5);
    })
    .await;
    start(&harness, "limited").await;
    harness.agent.asked(1).await;
    assert_eq!(harness.agent.turns()[0].limits.budget_usd, Some(0.5), "it is the smaller one");
}

#[tokio::test(start_paused = true)]
async fn a_command_that_takes_too_long_leads_on() {
    let harness = harness([Act::Outcome("written")]).await.in_git();
    let (started, ending) = run(&harness, "slow").await;
    assert_eq!(ending.reason, "clarification-needed");
    assert_eq!(harness.moves(started.run), ["rest time limit escalate"]);
}

#[tokio::test(start_paused = true)]
async fn an_engine_that_adopts_a_turn_gives_it_what_the_visit_had_left_before() {
    let harness =
        harness([Act::Takes(SECOND * 600, "nonsense"), Act::Hangs, Act::Outcome("written")]).await;
    let started = start(&harness, "limited").await;
    harness.agent.asked(2).await;
    tokio::time::sleep(SECOND * 900).await;
    // The engine leaves its turn working.
    harness.engine.shut_down(Shutdown::DetachAgents).await;
    harness.agent.fate(Fate::Ended(Ok(json("complete"))));
    let harness = harness.again_with(|options| options.catalog = RECIPES).await;
    let began = tokio::time::Instant::now();
    // The reply is adopted, and its evidence takes for ever: of the visit's 30 minutes, only the 10
    // of the first turn are used up.
    assert_eq!(harness.ended(started).await.reason, "clarification-needed");
    assert!(began.elapsed() >= SECOND * 1_200, "{:?}", began.elapsed());
    let minutes = Duration::from_secs(30 * 60);
    assert_eq!(reached(&harness, started), [Exceeded::Time { limit: minutes, observed: minutes }]);
    assert_eq!(harness.moves(started.run), ["migrate time limit escalate"]);
    harness.engine.shut_down(Shutdown::StopAgents).await;
}
