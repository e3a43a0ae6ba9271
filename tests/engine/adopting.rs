//! An engine that is configured to recover only certain runs leaves everything else as it is.

use surefire::ExitReason;
use surefire::agent::{Failure, Fate, ProcessIdentity};
use surefire::engine::{Options, Recovery, Shutdown, StartError, Started};
use surefire::run::{AttemptId, Resume, ResumedBy, RunId};
use surefire::store::{Attempt, Change, Commit, RunRecord};
use surefire_testkit::{Act, FakeAgent, Harness, Kind, NOON, SECOND, json, unproved};

use crate::recovering::CHANGED;

/// A harness with two runs in their first turn, each with a process, as a killed engine leaves
/// them.
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
    let process = surefire::store::ProcessRecord { pid, started: "then".into() };
    harness
        .store
        .commit(&Commit { changes: vec![Change::Spawned { attempt: attempt.id, process }] })
        .unwrap();
}

fn only(runs: &[RunId]) -> impl FnOnce(&mut Options) + use<> {
    let recovery = Recovery::Only(runs.to_vec());
    move |options| options.recovery = recovery
}

/// Everything that is persisted about a run.
fn persisted(harness: &Harness, started: Started) -> (RunRecord, Vec<String>, Vec<Attempt>) {
    let mut open = harness.store.open_attempts().unwrap();
    open.retain(|attempt| attempt.session == started.session);
    (harness.record(started.run), harness.conversation(started), open)
}

/// The processes that the agent was asked to recover.
fn recovered(harness: &Harness) -> Vec<i32> {
    let asked = harness.agent.recovered();
    let pids = asked.iter().filter_map(|call| match &call.kind {
        Kind::Recover(process) => process.as_ref().map(|ProcessIdentity { pid, .. }| *pid),
        Kind::Take => None,
    });
    pids.collect()
}

#[tokio::test(start_paused = true)]
async fn only_the_configured_runs_are_adopted_and_others_are_left_to_a_later_engine() {
    let (harness, one, other) = killed_with_two_runs().await;
    let before = persisted(&harness, other);
    harness.agent.fate(Fate::Ended(Ok(json("no-tasks"))));
    let harness = harness.again_with(only(&[one.run])).await;
    assert_eq!(harness.ended(one).await.reason, "no-tasks-available");
    tokio::time::sleep(SECOND * 3600).await;
    assert_eq!(recovered(&harness), [1]);
    harness.engine.shut_down(Shutdown::StopAgents).await;
    assert_eq!(persisted(&harness, other), before);

    harness.agent.fate(Fate::Ended(Ok(json("complete"))));
    let harness = harness.again().await;
    assert_eq!(harness.ended(other).await.reason, "task-committed");
    assert_eq!(recovered(&harness), [1, 2]);
    assert!(!harness.names(other.run).contains(&"resumed"), "it was not interrupted");
}

#[tokio::test(start_paused = true)]
async fn agents_of_runs_that_are_not_recovered_take_no_permits() {
    let (harness, ..) = killed_with_two_runs().await;
    let harness = harness.again_with(only(&[])).await;
    assert_eq!(harness.run().await.1.reason, "task-committed");
    assert_eq!(harness.agent.recovered().len(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_run_that_is_not_recovered_still_holds_its_session() {
    let (harness, one, _) = killed_with_two_runs().await;
    let harness = harness.again_with(only(&[])).await;
    let request = harness.start_request().session(Some(one.session));
    let refused = harness.engine.start(request).await.unwrap_err();
    assert!(matches!(refused, StartError::Busy { holder, .. } if holder == one.run), "{refused}");
}

#[tokio::test(start_paused = true)]
async fn a_run_that_was_not_recovered_can_be_resumed() {
    let (harness, one, other) = killed_with_two_runs().await;
    let harness = harness.again_with(only(&[])).await;
    harness.agent.fate(Fate::Ended(Ok(json("complete"))));
    harness.engine.resume(other.run, Resume::by(ResumedBy::User)).await.unwrap();
    assert_eq!(harness.ended(other).await.reason, "task-committed");
    assert_eq!(recovered(&harness), [2], "its agent's work is adopted");
    assert_eq!(harness.record(one.run).last_seq, 2);
}

#[tokio::test(start_paused = true)]
async fn a_run_that_was_not_recovered_can_be_exited_and_its_agent_is_stopped() {
    let (harness, one, other) = killed_with_two_runs().await;
    let harness = harness.again_with(only(&[])).await;
    let ending =
        harness.engine.exit(one.session, ExitReason::UserRequested).await.unwrap().unwrap();
    assert_eq!(ending.reason, "user-requested");
    assert_eq!(recovered(&harness), [1], "the agent was asked to stop the process");
    let (_, _, open) = persisted(&harness, one);
    assert_eq!(open, []);
    assert_eq!(harness.record(other.run).ending, None);
    harness.engine.start(harness.start_request().session(Some(one.session))).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn switching_recipes_off_ends_even_runs_that_were_not_recovered() {
    // Even if their recipe has changed since.
    for catalog in [unproved(), CHANGED] {
        let (harness, one, other) = killed_with_two_runs().await;
        let recovery = Recovery::Only(Vec::new());
        let harness = harness
            .again_with(|options| (options.recovery, options.catalog) = (recovery, catalog))
            .await;
        harness.engine.set_orchestration(None, false).await.unwrap();
        for started in [one, other] {
            assert_eq!(harness.record(started.run).ending.unwrap().reason, "user-requested");
        }
        let mut processes = recovered(&harness);
        processes.sort_unstable();
        assert_eq!(processes, [1, 2]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_paused_run_resumes_automatically_only_if_it_is_recovered() {
    let limit = || {
        let words = "You've hit your limit".to_owned();
        Act::Fails(Failure::UsageLimit { resets_at: Some(NOON / 1000 + 3600), words })
    };
    let harness = Harness::new(FakeAgent::new([limit(), limit()])).await;
    let (one, _) = harness.run().await;
    let (other, _) = harness.run().await;
    harness.engine.shut_down(Shutdown::DetachAgents).await;
    let harness = harness.again_with(only(&[one.run])).await;
    tokio::time::sleep(SECOND * 7200).await;
    assert_eq!(harness.ended(one).await.reason, "task-committed");
    let ending = harness.record(other.run).ending.unwrap();
    assert_eq!(
        (ending.reason.as_str(), ending.resume_at),
        ("rate_limited", Some(NOON + 3_600_000))
    );
    harness.engine.shut_down(Shutdown::DetachAgents).await;
    let harness = harness.again().await;
    tokio::time::sleep(SECOND * 7200).await;
    assert_eq!(harness.ended(other).await.reason, "task-committed");
}

#[tokio::test(start_paused = true)]
async fn prompts_outside_of_runs_wait_for_an_engine_that_adopts_everything() {
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
    assert_eq!(harness.conversation(started).last().unwrap(), "assistant: It is.");
}

#[tokio::test(start_paused = true)]
async fn files_and_processes_of_runs_that_are_not_recovered_stay() {
    let (harness, one, other) = killed_with_two_runs().await;
    let open = harness.store.open_attempts().unwrap();
    let attempts = harness.place.path().join("data/attempts");
    let scratch =
        |run| attempts.join(open.iter().find(|it| it.run == Some(run)).unwrap().id.to_string());
    let unknown = attempts.join(AttemptId::from(uuid::Uuid::from_u128(7)).to_string());
    for folder in [scratch(one.run), scratch(other.run), unknown.clone()] {
        std::fs::create_dir(folder).unwrap();
    }
    // As if the engine had been killed between persisting their ends and stopping their processes.
    for started in [one, other] {
        let exit = surefire::Exit::because(ExitReason::UserRequested);
        let events = harness.events(started.run);
        let ended = surefire::run::abandon(events.iter().map(|it| &it.event), &exit).unwrap();
        let change =
            Change::Run { run: started.run, after: 2, at: NOON, entries: vec![ended.into()] };
        harness.store.commit(&Commit { changes: vec![change] }).unwrap();
    }
    let harness = harness.again_with(only(&[one.run])).await;
    assert_eq!(recovered(&harness), [1]);
    assert!(!scratch(one.run).exists() && scratch(other.run).exists() && unknown.exists());
    harness.again().await;
    assert!(!scratch(other.run).exists() && !unknown.exists());
}
