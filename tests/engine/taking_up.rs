//! An engine that is told what to take up leaves everything else as it is.

use surefire::ExitReason;
use surefire::agent::{Failure, Fate, Process};
use surefire::engine::{Options, Shutdown, Start, StartError, Started, TakeUp};
use surefire::run::{AttemptId, Resume, ResumedBy, RunId};
use surefire::store::{Attempt, Change, Commit, RunRecord};
use surefire_testkit::{Act, FakeAgent, Harness, Kind, NOON, SECOND, json, unproved};

use crate::recovering::CHANGED;

/// A harness whose engine is gone while two runs are in their first turn, with a process each.
async fn killed_with_two_runs() -> (Harness, Started, Started) {
    let harness = Harness::new(FakeAgent::new([Act::Hangs, Act::Hangs])).await;
    let one = harness.start().await;
    harness.agent.asked(1).await;
    let other = harness.start().await;
    harness.agent.asked(2).await;
    for attempt in harness.store.open_attempts().unwrap() {
        spawned(&harness, &attempt, if attempt.run == Some(one.run) { 1 } else { 2 });
    }
    (harness, one, other)
}

fn spawned(harness: &Harness, attempt: &Attempt, pid: i32) {
    let process = surefire::store::Process { pid, started: "then".into() };
    harness
        .store
        .commit(&Commit { changes: vec![Change::Spawned { attempt: attempt.id, process }] })
        .unwrap();
}

fn only(runs: &[RunId]) -> impl FnOnce(&mut Options) + use<> {
    let take_up = TakeUp::Only(runs.to_vec());
    move |options| options.take_up = take_up
}

/// All that is written down about a run that is left alone.
fn about(harness: &Harness, started: Started) -> (RunRecord, Vec<String>, Vec<Attempt>) {
    let mut open = harness.store.open_attempts().unwrap();
    open.retain(|attempt| attempt.session == started.session);
    (harness.record(started.run), harness.said(started), open)
}

/// The processes that the agent was asked about.
fn recovered(harness: &Harness) -> Vec<i32> {
    let asked = harness.agent.recovered();
    let pids = asked.iter().filter_map(|call| match &call.kind {
        Kind::Recover(process) => process.as_ref().map(|Process { pid, .. }| *pid),
        Kind::Take => None,
    });
    pids.collect()
}

#[tokio::test(start_paused = true)]
async fn only_what_was_named_is_taken_up_and_the_rest_is_for_a_later_engine() {
    let (harness, one, other) = killed_with_two_runs().await;
    let before = about(&harness, other);
    harness.agent.fate(Fate::Ended(Ok(json("no-tasks"))));
    let harness = harness.again_with(only(&[one.run])).await;
    assert_eq!(harness.ended(one).await.reason, "no-tasks-available");
    tokio::time::sleep(SECOND * 3600).await;
    assert_eq!(recovered(&harness), [1]);
    harness.engine.shut_down(Shutdown::StopAgents).await;
    assert_eq!(about(&harness, other), before);

    harness.agent.fate(Fate::Ended(Ok(json("complete"))));
    let harness = harness.again().await;
    assert_eq!(harness.ended(other).await.reason, "task-committed");
    assert_eq!(recovered(&harness), [1, 2]);
    assert!(!harness.names(other.run).contains(&"resumed"), "nobody interrupted it");
}

#[tokio::test(start_paused = true)]
async fn agents_that_are_left_alone_take_no_places() {
    let (harness, ..) = killed_with_two_runs().await;
    let harness = harness.again_with(only(&[])).await;
    assert_eq!(harness.run().await.1.reason, "task-committed");
    assert_eq!(harness.agent.recovered().len(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_run_that_is_left_alone_still_holds_its_session() {
    let (harness, one, _) = killed_with_two_runs().await;
    let harness = harness.again_with(only(&[])).await;
    let wish = Start { session: Some(one.session), ..harness.wish() };
    let refused = harness.engine.start(wish).await.unwrap_err();
    assert!(matches!(refused, StartError::Busy { holder, .. } if holder == one.run), "{refused}");
}

#[tokio::test(start_paused = true)]
async fn a_run_that_was_left_alone_can_be_resumed() {
    let (harness, one, other) = killed_with_two_runs().await;
    let harness = harness.again_with(only(&[])).await;
    harness.agent.fate(Fate::Ended(Ok(json("complete"))));
    harness.engine.resume(other.run, Resume::by(ResumedBy::User)).await.unwrap();
    assert_eq!(harness.ended(other).await.reason, "task-committed");
    assert_eq!(recovered(&harness), [2], "what its agent did is adopted");
    assert_eq!(harness.record(one.run).last_seq, 2);
}

#[tokio::test(start_paused = true)]
async fn a_run_that_was_left_alone_can_be_exited_and_its_agent_is_stopped() {
    let (harness, one, other) = killed_with_two_runs().await;
    let harness = harness.again_with(only(&[])).await;
    let ending = harness.engine.exit(one.session, ExitReason::UserRequested).await.unwrap().unwrap();
    assert_eq!(ending.reason, "user-requested");
    assert_eq!(recovered(&harness), [1], "it was asked to see to the process");
    let (_, _, open) = about(&harness, one);
    assert_eq!(open, []);
    assert_eq!(harness.record(other.run).ending, None);
    harness.engine.start(Start { session: Some(one.session), ..harness.wish() }).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn switching_recipes_off_ends_also_what_was_left_alone() {
    // Also where their recipe has changed since.
    for catalog in [unproved(), CHANGED] {
        let (harness, one, other) = killed_with_two_runs().await;
        let take_up = TakeUp::Only(Vec::new());
        let harness =
            harness.again_with(|options| (options.take_up, options.catalog) = (take_up, catalog)).await;
        harness.engine.set_orchestration(None, false).await.unwrap();
        for started in [one, other] {
            assert_eq!(harness.record(started.run).ending.unwrap().reason, "user-requested");
        }
        let mut seen_to = recovered(&harness);
        seen_to.sort_unstable();
        assert_eq!(seen_to, [1, 2]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_run_that_waits_goes_on_by_itself_only_where_it_was_named() {
    let limit = || {
        let words = "You've hit your limit".to_owned();
        Act::Fails(Failure::UsageLimit { resets_at: Some(NOON / 1000 + 3600), words })
    };
    let harness = Harness::new(FakeAgent::new([limit(), limit()])).await;
    let (one, _) = harness.run().await;
    let (other, _) = harness.run().await;
    harness.engine.shut_down(Shutdown::LeaveAgents).await;
    let harness = harness.again_with(only(&[one.run])).await;
    tokio::time::sleep(SECOND * 7200).await;
    assert_eq!(harness.ended(one).await.reason, "task-committed");
    let ending = harness.record(other.run).ending.unwrap();
    assert_eq!((ending.reason.as_str(), ending.resume_at), ("rate_limited", Some(NOON + 3_600_000)));
    harness.engine.shut_down(Shutdown::LeaveAgents).await;
    let harness = harness.again().await;
    tokio::time::sleep(SECOND * 7200).await;
    assert_eq!(harness.ended(other).await.reason, "task-committed");
}

#[tokio::test(start_paused = true)]
async fn prompts_outside_of_runs_wait_for_an_engine_that_takes_up_all() {
    let harness = Harness::new(FakeAgent::new([Act::Outcome("no-tasks"), Act::Hangs])).await;
    let (started, _) = harness.run().await;
    harness.engine.prompt(started.session, "Is it green?".into()).await.unwrap();
    harness.agent.asked(2).await;
    let left = harness.store.open_attempts().unwrap();
    let harness = harness.again_with(only(&[started.run])).await;
    tokio::time::sleep(SECOND * 3600).await;
    assert_eq!((harness.store.open_attempts().unwrap(), recovered(&harness)), (left, vec![]));
    harness.agent.speaks_again(&[], Fate::NeverBegan);
    harness.agent.then(Act::Says("It is.".into()));
    let harness = harness.again().await;
    tokio::time::sleep(SECOND).await;
    assert_eq!(harness.said(started).last().unwrap(), "assistant: It is.");
}

#[tokio::test(start_paused = true)]
async fn what_others_left_behind_is_not_cleared_away() {
    let (harness, one, other) = killed_with_two_runs().await;
    let open = harness.store.open_attempts().unwrap();
    let attempts = harness.place.path().join("data/attempts");
    let scratch = |run| attempts.join(open.iter().find(|it| it.run == Some(run)).unwrap().id.to_string());
    let unknown = attempts.join(AttemptId::from(uuid::Uuid::from_u128(7)).to_string());
    for folder in [scratch(one.run), scratch(other.run), unknown.clone()] {
        std::fs::create_dir(folder).unwrap();
    }
    // As if the engine had been killed between writing their ends down and stopping their processes.
    for started in [one, other] {
        let exit = surefire::Exit::because(ExitReason::UserRequested);
        let events = harness.events(started.run);
        let ended = surefire::run::abandon(events.iter().map(|it| &it.event), &exit).unwrap();
        let change = Change::Run { run: started.run, after: 2, at: NOON, entries: vec![ended.into()] };
        harness.store.commit(&Commit { changes: vec![change] }).unwrap();
    }
    let harness = harness.again_with(only(&[one.run])).await;
    assert_eq!(recovered(&harness), [1]);
    assert!(!scratch(one.run).exists() && scratch(other.run).exists() && unknown.exists());
    harness.again().await;
    assert!(!scratch(other.run).exists() && !unknown.exists());
}
