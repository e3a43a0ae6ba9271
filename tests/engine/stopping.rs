//! Stopping runs, and shutting down.

use std::time::Duration;

use surefire::ExitReason;
use surefire::engine::{EngineError, Shutdown, StartError};
use surefire::run::{Limits, Resume, ResumedBy};
use surefire_testkit::{Act, FakeAgent, Harness, SECOND};

#[tokio::test(start_paused = true)]
async fn exit_stops_the_agent_and_is_idempotent() {
    let harness = Harness::new(FakeAgent::new([Act::Hangs])).await;
    let started = harness.start().await;
    harness.agent.asked(1).await;
    let ending =
        harness.engine.exit(started.session, ExitReason::UserRequested).await.unwrap().unwrap();
    assert_eq!(ending.reason, "user-requested");
    harness.agent.stopped().await;
    assert_eq!(
        harness.engine.exit(started.session, ExitReason::UserRequested).await.unwrap(),
        None
    );
    assert_eq!(harness.names(started.run), ["started", "turn_began", "ended"]);
}

#[tokio::test(start_paused = true)]
async fn exit_of_an_unknown_session_does_nothing() {
    let harness = Harness::new(FakeAgent::new([])).await;
    let unknown = uuid::Uuid::from_u128(7).into();
    assert_eq!(harness.engine.exit(unknown, ExitReason::UserRequested).await.unwrap(), None);
}

#[tokio::test(start_paused = true)]
async fn exit_racing_completion_has_one_winner() {
    for round in 0..20 {
        let harness = Harness::new(FakeAgent::new([Act::Takes(SECOND, "no-tasks")])).await;
        let started = harness.start().await;
        harness.agent.asked(1).await;
        tokio::time::sleep(SECOND.saturating_sub(Duration::from_millis(round % 2))).await;
        let exited = harness.engine.exit(started.session, ExitReason::UserRequested).await.unwrap();
        let ending = harness.ended(started).await;
        let ends = harness.names(started.run).into_iter().filter(|name| *name == "ended").count();
        assert_eq!(ends, 1);
        if let Some(exited) = exited {
            assert_eq!(exited.reason, ending.reason);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn exit_while_waiting_for_a_free_agent_ends_at_once() {
    let harness = Harness::new(FakeAgent::new([Act::Hangs, Act::Hangs])).await;
    harness.start().await;
    harness.start().await;
    harness.agent.asked(2).await;
    let third = harness.start().await;
    let ending =
        harness.engine.exit(third.session, ExitReason::UserStopped).await.unwrap().unwrap();
    assert_eq!((ending.reason.as_str(), ending.exit_code), ("user_stopped", 130));
    assert_eq!(harness.agent.turns().len(), 2, "its agent was never asked");
}

#[tokio::test(start_paused = true)]
async fn an_ended_run_resumes_where_it_stopped() {
    let harness = Harness::new(FakeAgent::new([Act::Outcome("complete"), Act::Hangs])).await;
    let started = harness.start().await;
    harness.agent.asked(2).await;
    harness.engine.exit(started.session, ExitReason::UserRequested).await.unwrap();
    let resumed = harness.engine.resume(started.run, Resume::by(ResumedBy::User)).await.unwrap();
    assert_eq!(resumed.run, started.run);
    let ending = harness.ended(started).await;
    assert_eq!(ending.reason, "task-committed");
    assert!(harness.agent.turns()[2].prompt.contains("is now resumed"));
    assert_eq!(harness.moves(started.run).len(), 2, "no transition is repeated");
}

#[tokio::test(start_paused = true)]
async fn shutting_down_stops_agents_and_the_next_engine_resumes() {
    let harness = Harness::new(FakeAgent::new([Act::Outcome("complete"), Act::Hangs])).await;
    let started = harness.start().await;
    harness.agent.asked(2).await;
    harness.engine.shut_down(Shutdown::StopAgents).await;
    assert_eq!(harness.record(started.run).ending.unwrap().reason, "interrupted");
    let refused = harness.engine.start(harness.start_request()).await.unwrap_err();
    assert!(matches!(refused, StartError::Engine(EngineError::ShuttingDown)), "{refused}");
    let harness = harness.again().await;
    harness.agent.asked(4).await;
    while harness.record(started.run).ending.is_none_or(|ending| ending.reason == "interrupted") {
        tokio::time::sleep(SECOND).await;
    }
    assert_eq!(harness.record(started.run).ending.unwrap().reason, "task-committed");
}

#[tokio::test(start_paused = true)]
async fn shutting_down_can_detach_agents() {
    let harness = Harness::new(FakeAgent::new([Act::Hangs])).await;
    let started = harness.start().await;
    harness.agent.asked(1).await;
    harness.engine.shut_down(Shutdown::DetachAgents).await;
    assert_eq!(harness.names(started.run), ["started", "turn_began"], "the run has not ended");
    harness.agent.fate(surefire::agent::Fate::Ended(Ok(surefire_testkit::json("no-tasks"))));
    let harness = harness.again().await;
    assert_eq!(harness.ended(started).await.reason, "no-tasks-available");
    assert_eq!(harness.agent.turns().len(), 1, "its reply was adopted, not asked for again");
}

#[tokio::test(start_paused = true)]
async fn switching_recipes_off_ends_runs_and_refuses_starts() {
    let harness = Harness::new(FakeAgent::new([Act::Hangs])).await;
    let started = harness.start().await;
    harness.agent.asked(1).await;
    harness.engine.set_orchestration(None, false).await.unwrap();
    assert_eq!(harness.ended(started).await.reason, "user-requested");
    let refused = harness.engine.start(harness.start_request()).await.unwrap_err();
    assert_eq!(refused.exit().unwrap().reason(), Some(ExitReason::OrchestrationDisabled));
    harness.engine.set_orchestration(None, true).await.unwrap();
    harness.engine.set_orchestration(Some(started.session), false).await.unwrap();
    let request = harness.start_request().session(Some(started.session));
    assert!(matches!(harness.engine.start(request).await, Err(StartError::SwitchedOff)));
    assert!(
        harness.engine.start(harness.start_request()).await.is_ok(),
        "other sessions are not switched off"
    );
}

#[tokio::test(start_paused = true)]
async fn a_time_limit_ends_a_run_in_the_middle_of_a_turn() {
    let harness =
        Harness::new(FakeAgent::new([Act::Takes(SECOND * 40, "complete"), Act::Hangs])).await;
    let limits = Limits::default().time(Some(SECOND * 60));
    let began = tokio::time::Instant::now();
    let started = harness.engine.start(harness.start_request().limits(limits)).await.unwrap();
    let ending = harness.ended(started).await;
    assert_eq!((ending.reason.as_str(), ending.exit_code), ("timeout", 124));
    assert_eq!(ending.message, "Recipe stopped: used up its time (limit 1 min, took 1 min)");
    assert_eq!(began.elapsed().as_secs(), 60);
}
