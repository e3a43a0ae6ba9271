//! Work that this engine has loaded but does not drive, because another engine recovers it or
//! because the store failed: a stop stops it, a prompt adopts a chat, and nothing else changes it.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use surefire::ExitReason;
use surefire::agent::Fate;
use surefire::engine::{Options, Recovery, Shutdown, Started, Update};
use surefire::process::{Command, Files, ProcessLimits, ProcessMark, TextLines};
use surefire::run::{AttemptId, Resume, ResumedBy};
use surefire::store::{Change, Commit, ProcessRecord, Store};
use surefire_testkit::{Act, FakeAgent, Harness, HeldStore, SECOND, json, polled};
use tokio::sync::Notify;

const MINUTE: Duration = Duration::from_secs(60);

fn adopt_nothing(options: &mut Options) {
    options.recovery = Recovery::Only(Vec::new());
}

/// A harness whose engine was killed while a run was in its first turn; the next engine does not
/// recover the run.
async fn with_an_orphaned_run() -> (Harness, Started) {
    let harness = Harness::new(FakeAgent::new([Act::Hangs])).await;
    let started = harness.start().await;
    harness.agent.asked(1).await;
    spawned(&harness, ProcessRecord { pid: 1, started: "then".into() });
    (harness.again_with(adopt_nothing).await, started)
}

/// A harness whose engine was killed during a chat turn; the next engine does not recover the chat.
async fn with_an_orphaned_chat() -> (Harness, Started) {
    let harness = Harness::new(FakeAgent::new([Act::Outcome("no-tasks"), Act::Hangs])).await;
    let (started, _) = harness.run().await;
    harness.engine.prompt(started.session, "Is it green?".into()).await.unwrap();
    harness.agent.asked(2).await;
    spawned(&harness, ProcessRecord { pid: 1, started: "then".into() });
    (harness.again_with(adopt_nothing).await, started)
}

/// Records this process for the open attempt.
fn spawned(harness: &Harness, process: ProcessRecord) -> AttemptId {
    let attempt = harness.store.open_attempts().unwrap()[0].id;
    harness.store.commit(&Commit { changes: vec![Change::Spawned { attempt, process }] }).unwrap();
    attempt
}

fn disk() -> (Arc<HeldStore>, Arc<dyn Store>) {
    let disk = Arc::new(HeldStore::default());
    (Arc::clone(&disk), disk)
}

#[tokio::test(start_paused = true)]
async fn a_prompt_adopts_an_orphaned_chat_instead_of_starting_a_second_agent() {
    let (harness, started) = with_an_orphaned_chat().await;
    harness.agent.fate(Fate::Ended(Ok(json("green"))));
    harness.agent.then(Act::Says("And so is this.".into()));
    harness.engine.prompt(started.session, "And now?".into()).await.unwrap();
    tokio::time::sleep(SECOND).await;
    assert_eq!(harness.agent.recovered().len(), 1);
    let delivered: Vec<_> =
        harness.agent.turns().into_iter().map(|turn| turn.prompt).skip(1).collect();
    assert_eq!(delivered, ["Is it green?", "And now?"]);
    assert_eq!(harness.store.open_attempts().unwrap(), []);
}

#[tokio::test(start_paused = true)]
async fn an_exit_does_not_touch_an_orphaned_chat_and_a_kill_stops_its_agent() {
    let (harness, started) = with_an_orphaned_chat().await;
    let ended = harness.engine.exit(started.session, ExitReason::UserRequested).await.unwrap();
    tokio::time::sleep(SECOND).await;
    assert_eq!((ended, harness.agent.recovered().len()), (None, 0), "an exit concerns runs only");

    harness.engine.kill(started.session).await.unwrap();
    tokio::time::sleep(SECOND).await;
    assert_eq!(harness.agent.recovered().len(), 1, "the agent was asked to stop its process");
    assert_eq!((harness.store.open_attempts().unwrap(), harness.agent.turns().len()), (vec![], 2));
}

#[tokio::test(start_paused = true)]
async fn an_exit_right_after_a_resume_stops_the_orphaned_agent() {
    let (harness, started) = with_an_orphaned_run().await;
    let resume = harness.engine.resume(started.run, Resume::by(ResumedBy::User));
    let (resumed, ended) =
        tokio::join!(resume, harness.engine.exit(started.session, ExitReason::UserRequested));
    resumed.unwrap();
    assert_eq!(ended.unwrap().unwrap().reason, "user-requested");
    assert!(!harness.agent.recovered().is_empty(), "its process is recovered");
}

#[tokio::test(start_paused = true)]
async fn a_prompt_to_an_orphaned_run_is_delivered_when_it_resumes() {
    let (harness, started) = with_an_orphaned_run().await;
    for text in ["Mind the tests.", "And the docs."] {
        harness.engine.prompt(started.session, text.into()).await.unwrap();
    }
    harness.agent.fate(Fate::Ended(Ok(json("complete"))));
    harness.engine.resume(started.run, Resume::by(ResumedBy::User)).await.unwrap();
    assert_eq!(harness.ended(started).await.reason, "task-committed");
    let delivered: Vec<_> =
        harness.agent.turns().into_iter().map(|turn| turn.prompt).skip(1).take(2).collect();
    assert_eq!(delivered, ["Mind the tests.", "And the docs."], "before its next step");
    let said = harness.conversation(started);
    assert_eq!(said.iter().filter(|text| text.ends_with("Mind the tests.")).count(), 1, "{said:?}");
}

#[tokio::test]
async fn the_process_of_an_agent_that_is_no_longer_configured_is_stopped() {
    let harness = Harness::new(FakeAgent::new([Act::Hangs])).await;
    let started = harness.start().await;
    harness.agent.asked(1).await;
    let attempt = harness.store.open_attempts().unwrap()[0].id;
    let files = Files::at(harness.place.path().join("files"));
    let command = Command::new("sleep", ProcessMark::new(attempt.uuid())).arguments(["600"]);
    let held = command.start(files, ProcessLimits::default(), TextLines).await.unwrap();
    let (pid, begun) = (held.process().pid, held.process().started.clone());
    spawned(&harness, ProcessRecord { pid, started: begun });

    let other = Arc::new(surefire::agent::Rehearsal::new(surefire::agent::Script::Happy));
    let harness = harness
        .again_with(|options| {
            adopt_nothing(options);
            options.agents = vec![other];
        })
        .await;
    let ending =
        harness.engine.exit(started.session, ExitReason::UserRequested).await.unwrap().unwrap();
    assert_eq!(ending.reason, "user-requested");
    let status = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    assert!(status.is_empty() || status.contains(") Z "), "its process is gone: {status}");
    drop(held);
}

#[tokio::test(start_paused = true)]
async fn a_stop_that_cannot_be_persisted_is_retried_once_there_is_room() {
    let (disk, store) = disk();
    let harness = Harness::with(FakeAgent::new([Act::Hangs]), store, |_| ()).await;
    let started = harness.start().await;
    harness.agent.asked(1).await;
    disk.full.store(true, Ordering::SeqCst);
    harness.engine.exit(started.session, ExitReason::UserRequested).await.unwrap_err();
    disk.full.store(false, Ordering::SeqCst);
    tokio::time::sleep(MINUTE).await;
    assert_eq!(harness.record(started.run).ending.unwrap().reason, "user-requested");
    assert_eq!((harness.agent.turns().len(), harness.agent.recovered().len() <= 1), (1, true));
    assert_eq!(harness.store.open_attempts().unwrap(), []);
}

/// In real time: a paused clock would not advance while the store blocks.
#[tokio::test]
async fn an_agent_that_is_about_to_be_stopped_is_not_detached_when_the_engine_shuts_down() {
    let (disk, store) = disk();
    let harness = Harness::with(FakeAgent::new([Act::Hangs]), store, |_| ()).await;
    let started = harness.start().await;
    harness.agent.asked(1).await;
    disk.hold_before_the_next_commit();
    let (engine, session) = (harness.engine.clone(), started.session);
    let exits = tokio::spawn(async move { engine.exit(session, ExitReason::UserRequested).await });
    disk.holds().await;
    let mut closes = pin!(harness.engine.shut_down(Shutdown::DetachAgents));
    polled(&mut closes).await;
    disk.release();
    assert_eq!(exits.await.unwrap().unwrap().unwrap().reason, "user-requested");
    closes.await;
    tokio::time::timeout(SECOND, harness.agent.stopped())
        .await
        .expect("it was stopped, and not detached");
}

#[tokio::test(start_paused = true)]
async fn clients_are_notified_of_a_chat_whose_end_cannot_be_persisted() {
    let (disk, store) = disk();
    let go = Arc::new(Notify::new());
    let acts = [Act::Outcome("no-tasks"), Act::Waits(Arc::clone(&go), "green")];
    let harness = Harness::with(FakeAgent::new(acts), store, |_| ()).await;
    let (started, _) = harness.run().await;
    harness.engine.prompt(started.session, "Is it green?".into()).await.unwrap();
    harness.agent.asked(2).await;
    let mut updates = harness.engine.subscribe();
    disk.full.store(true, Ordering::SeqCst);
    go.notify_one();
    let update = updates.next().await.unwrap();
    assert!(
        matches!(update, Update::ChatEnded { session, aborted: true } if session == started.session)
    );
}

#[tokio::test(start_paused = true)]
async fn after_a_full_disk_an_engine_does_not_drive_a_run_that_it_does_not_recover() {
    let (disk, store) = disk();
    let harness = Harness::with(FakeAgent::new([Act::Hangs]), store, |_| ()).await;
    let started = harness.start().await;
    harness.agent.asked(1).await;
    let harness = harness.again_with(adopt_nothing).await;
    disk.full.store(true, Ordering::SeqCst);
    harness.engine.prompt(started.session, "Mind the tests.".into()).await.unwrap_err();
    disk.full.store(false, Ordering::SeqCst);
    tokio::time::sleep(MINUTE).await;
    assert_eq!((harness.agent.recovered().len(), harness.agent.turns().len()), (0, 1));
}
