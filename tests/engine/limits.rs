//! The limits of a run: budget, ticks, visits, and the lock on its session.

use surefire::agent::Failure;
use surefire::run::{Limits, Resume, ResumedBy};
use surefire_testkit::{Act, FakeAgent, Harness};

#[tokio::test(start_paused = true)]
async fn a_budget_ends_the_run_and_the_agent_gets_what_is_left_of_it() {
    let harness =
        Harness::new(FakeAgent::new([Act::Costs("complete", 0.75), Act::Costs("no-issues", 0.5)]))
            .await;
    let limits = Limits::default().budget_usd(Some(1.0));
    let started = harness.engine.start(harness.start_request().limits(limits)).await.unwrap();
    let ending = harness.ended(started).await;
    assert_eq!((ending.reason.as_str(), ending.exit_code), ("cost_budget", 123));
    assert_eq!(ending.message, "Recipe stopped: spent its budget (limit $1.00, spent $1.25)");
    let budgets: Vec<_> = harness.agent.turns().iter().map(|turn| turn.limits.budget_usd).collect();
    assert_eq!(budgets, [Some(1.0), Some(0.25)]);
    assert!((harness.record(started.run).cost_usd - 1.25).abs() < 1e-9);
    let more = limits.budget_usd(Some(5.0));
    let resume = Resume::by(ResumedBy::User).limits(Some(more));
    harness.engine.resume(started.run, resume).await.unwrap();
    assert_eq!(harness.ended(started).await.reason, "task-committed");
}

#[tokio::test(start_paused = true)]
async fn a_second_run_in_a_session_counts_only_its_own_cost() {
    let turns = ["complete", "no-issues", "committed"].repeat(2);
    let harness =
        Harness::new(FakeAgent::new(turns.into_iter().map(|it| Act::Costs(it, 0.25)))).await;
    let limits = Limits::default().budget_usd(Some(1.0));
    let request = harness.start_request().limits(limits);
    let first = harness.engine.start(request.clone()).await.unwrap();
    assert_eq!(harness.ended(first).await.reason, "task-committed");
    let second = harness.engine.start(request.session(Some(first.session))).await.unwrap();
    assert_eq!(
        harness.ended(second).await.reason,
        "task-committed",
        "the first run's cost does not count"
    );
    for run in [first.run, second.run] {
        assert!((harness.record(run).cost_usd - 0.75).abs() < 1e-9);
    }
    let budgets: Vec<_> = harness.agent.turns().iter().map(|turn| turn.limits.budget_usd).collect();
    assert_eq!(budgets[..3], budgets[3..]);
}

#[tokio::test(start_paused = true)]
async fn a_limit_of_ticks_ends_the_run() {
    let harness = Harness::new(FakeAgent::new([])).await;
    let limits = Limits::default().max_ticks(Some(2));
    let started = harness.engine.start(harness.start_request().limits(limits)).await.unwrap();
    let ending = harness.ended(started).await;
    assert_eq!((ending.reason.as_str(), ending.exit_code), ("max_ticks", 125));
}

#[tokio::test(start_paused = true)]
async fn a_run_stopped_by_a_limit_of_visits_resumes_if_more_are_allowed() {
    let acts = [
        "complete",
        "issues-found",
        "complete",
        "issues-found",
        "complete",
        "issues-found",
        "complete",
    ];
    let harness = Harness::new(FakeAgent::new(acts.map(Act::Outcome))).await;
    let (started, ending) = harness.run().await;
    assert_eq!(
        (ending.reason.as_str(), ending.exit_code),
        ("max-step-visits-exceeded:code-review", 129)
    );
    let refused =
        harness.engine.resume(started.run, Resume::by(ResumedBy::User)).await.unwrap_err();
    assert!(refused.to_string().contains("would stop again at once"), "{refused}");
    let resume = Resume::by(ResumedBy::User).allow_visits(1);
    harness.engine.resume(started.run, resume).await.unwrap();
    assert_eq!(harness.ended(started).await.reason, "task-committed");
}

#[tokio::test(start_paused = true)]
async fn a_run_does_not_work_in_a_session_that_another_process_has_locked() {
    let harness = Harness::new(FakeAgent::new([])).await;
    let session = uuid::Uuid::from_u128(9);
    let locks = harness.place.path().join("locks");
    std::fs::create_dir_all(&locks).unwrap();
    let held = std::fs::File::create(locks.join(format!("{session}.lock"))).unwrap();
    held.lock().unwrap();
    let request = harness.start_request().session(Some(session.into()));
    let started = harness.engine.start(request).await.unwrap();
    let ending = harness.ended(started).await;
    assert_eq!((ending.reason.as_str(), ending.exit_code), ("session_locked", 8));
    assert!(harness.agent.turns().is_empty());
    drop(held);
    harness.engine.resume(started.run, Resume::by(ResumedBy::User)).await.unwrap();
    assert_eq!(harness.ended(started).await.reason, "task-committed");
}

#[tokio::test(start_paused = true)]
async fn an_agents_own_budget_ends_the_run_as_well() {
    let failure = Failure::BudgetSpent { words: "budget".into() };
    let harness = Harness::new(FakeAgent::new([Act::Fails(failure)])).await;
    assert_eq!(harness.run().await.1.reason, "cost_budget");
}
