//! Ending runs from outside, and shutting down.

use std::time::Duration;

use surefire::ExitReason;
use surefire::engine::{EngineError, Shutdown, StartError};
use surefire::run::{Limits, Resume, ResumedBy};

use crate::puppet::{Act, Puppet};
use crate::stage::{SECOND, Stage};

#[tokio::test(start_paused = true)]
async fn exit_stops_the_agent_and_is_idempotent() {
    let stage = Stage::new(Puppet::new([Act::Hangs])).await;
    let started = stage.start().await;
    stage.puppet.asked(1).await;
    let ending = stage.engine.exit(started.session, ExitReason::UserRequested).await.unwrap().unwrap();
    assert_eq!(ending.reason, "user-requested");
    stage.puppet.stopped.notified().await;
    assert_eq!(stage.engine.exit(started.session, ExitReason::UserRequested).await.unwrap(), None);
    assert_eq!(stage.names(started.run), ["started", "turn_began", "ended"]);
}

#[tokio::test(start_paused = true)]
async fn exit_of_a_session_that_is_not_there_does_nothing() {
    let stage = Stage::new(Puppet::new([])).await;
    let nobody = uuid::Uuid::from_u128(7).into();
    assert_eq!(stage.engine.exit(nobody, ExitReason::UserRequested).await.unwrap(), None);
}

#[tokio::test(start_paused = true)]
async fn exit_racing_completion_has_one_winner() {
    for round in 0..20 {
        let stage = Stage::new(Puppet::new([Act::Takes(SECOND, "no-tasks")])).await;
        let started = stage.start().await;
        stage.puppet.asked(1).await;
        tokio::time::sleep(SECOND.saturating_sub(Duration::from_millis(round % 2))).await;
        let exited = stage.engine.exit(started.session, ExitReason::UserRequested).await.unwrap();
        let ending = stage.ended(started).await;
        let ends = stage.names(started.run).into_iter().filter(|name| *name == "ended").count();
        assert_eq!(ends, 1);
        if let Some(exited) = exited {
            assert_eq!(exited.reason, ending.reason);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn exit_while_waiting_for_a_free_agent_ends_at_once() {
    let stage = Stage::new(Puppet::new([Act::Hangs, Act::Hangs])).await;
    stage.start().await;
    stage.start().await;
    stage.puppet.asked(2).await;
    let third = stage.start().await;
    let ending = stage.engine.exit(third.session, ExitReason::UserStopped).await.unwrap().unwrap();
    assert_eq!((ending.reason.as_str(), ending.exit_code), ("user_stopped", 130));
    assert_eq!(stage.puppet.turns().len(), 2, "its agent was never asked");
}

#[tokio::test(start_paused = true)]
async fn an_ended_run_goes_on_where_it_stopped() {
    let stage = Stage::new(Puppet::new([Act::Outcome("complete"), Act::Hangs])).await;
    let started = stage.start().await;
    stage.puppet.asked(2).await;
    stage.engine.exit(started.session, ExitReason::UserRequested).await.unwrap();
    let resumed = stage.engine.resume(started.run, Resume::by(ResumedBy::User)).await.unwrap();
    assert_eq!(resumed.run, started.run);
    let ending = stage.ended(started).await;
    assert_eq!(ending.reason, "task-committed");
    assert!(stage.puppet.turns()[2].prompt.contains("goes on now"));
    assert_eq!(stage.moves(started.run).len(), 2, "no transition twice");
}

#[tokio::test(start_paused = true)]
async fn shutting_down_stops_agents_and_the_next_engine_goes_on() {
    let stage = Stage::new(Puppet::new([Act::Outcome("complete"), Act::Hangs])).await;
    let started = stage.start().await;
    stage.puppet.asked(2).await;
    stage.engine.shut_down(Shutdown::StopAgents).await;
    assert_eq!(stage.record(started.run).ending.unwrap().reason, "interrupted");
    let refused = stage.engine.start(stage.wish()).await.unwrap_err();
    assert!(matches!(refused, StartError::Engine(EngineError::ShuttingDown)), "{refused}");
    let stage = stage.again().await;
    stage.puppet.asked(4).await;
    while stage.record(started.run).ending.is_none_or(|ending| ending.reason == "interrupted") {
        tokio::time::sleep(SECOND).await;
    }
    assert_eq!(stage.record(started.run).ending.unwrap().reason, "task-committed");
}

#[tokio::test(start_paused = true)]
async fn shutting_down_can_leave_agents_to_themselves() {
    let stage = Stage::new(Puppet::new([Act::Hangs])).await;
    let started = stage.start().await;
    stage.puppet.asked(1).await;
    stage.engine.shut_down(Shutdown::LeaveAgents).await;
    assert_eq!(stage.names(started.run), ["started", "turn_began"], "nothing is said about its end");
    stage.puppet.fate(surefire::agent::Fate::Ended(Ok(crate::puppet::json("no-tasks"))));
    let stage = stage.again().await;
    assert_eq!(stage.ended(started).await.reason, "no-tasks-available");
    assert_eq!(stage.puppet.turns().len(), 1, "its reply was adopted, not asked for again");
}

#[tokio::test(start_paused = true)]
async fn switching_recipes_off_ends_runs_and_lets_none_start() {
    let stage = Stage::new(Puppet::new([Act::Hangs])).await;
    let started = stage.start().await;
    stage.puppet.asked(1).await;
    stage.engine.set_orchestration(None, false).await.unwrap();
    assert_eq!(stage.ended(started).await.reason, "user-requested");
    let refused = stage.engine.start(stage.wish()).await.unwrap_err();
    assert_eq!(refused.exit().unwrap().reason(), Some(ExitReason::OrchestrationDisabled));
    stage.engine.set_orchestration(None, true).await.unwrap();
    stage.engine.set_orchestration(Some(started.session), false).await.unwrap();
    let wish = surefire::engine::Start { session: Some(started.session), ..stage.wish() };
    assert!(matches!(stage.engine.start(wish).await, Err(StartError::SwitchedOff)));
    assert!(stage.engine.start(stage.wish()).await.is_ok(), "other sessions are not switched off");
}

#[tokio::test(start_paused = true)]
async fn a_runs_time_is_up_in_the_middle_of_a_turn() {
    let stage = Stage::new(Puppet::new([Act::Takes(SECOND * 40, "complete"), Act::Hangs])).await;
    let limits = Limits { time: Some(SECOND * 60), ..Limits::default() };
    let began = tokio::time::Instant::now();
    let started = stage.engine.start(surefire::engine::Start { limits, ..stage.wish() }).await.unwrap();
    let ending = stage.ended(started).await;
    assert_eq!((ending.reason.as_str(), ending.exit_code), ("timeout", 124));
    assert_eq!(ending.message, "Recipe stopped: used up its time (limit 1 min)");
    assert_eq!(began.elapsed().as_secs(), 60);
}
