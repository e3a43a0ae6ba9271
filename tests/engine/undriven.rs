//! Work that is there and not driven, because another engine is meant to do that or because nothing could be saved: a stop
//! stops it, a prompt adopts it, and nothing else touches it.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use surefire::ExitReason;
use surefire::agent::Fate;
use surefire::engine::{Notice, Options, Shutdown, Started, TakeUp};
use surefire::process::{Command, Files, Limits, Mark, TextLines};
use surefire::run::{AttemptId, Resume, ResumedBy};
use surefire::store::{Change, Commit, Process, Store};
use surefire_testkit::{Act, FakeAgent, Harness, HeldStore, SECOND, json, polled};
use tokio::sync::Notify;

const MINUTE: Duration = Duration::from_mins(1);

fn nothing_taken_up(options: &mut Options) {
    options.take_up = TakeUp::Only(Vec::new());
}

/// A harness whose engine is gone while a run is in its first turn; the engine that follows leaves it alone.
async fn with_a_left_run() -> (Harness, Started) {
    let harness = Harness::new(FakeAgent::new([Act::Hangs])).await;
    let started = harness.start().await;
    harness.agent.asked(1).await;
    spawned(&harness, Process { pid: 1, started: "then".into() });
    (harness.again_with(nothing_taken_up).await, started)
}

/// A harness whose engine is gone while the agent has a prompt outside of a run; the engine that follows leaves it alone.
async fn with_a_left_chat() -> (Harness, Started) {
    let harness = Harness::new(FakeAgent::new([Act::Outcome("no-tasks"), Act::Hangs])).await;
    let (started, _) = harness.run().await;
    harness.engine.prompt(started.session, "Is it green?".into()).await.unwrap();
    harness.agent.asked(2).await;
    spawned(&harness, Process { pid: 1, started: "then".into() });
    (harness.again_with(nothing_taken_up).await, started)
}

/// The open attempt has this process.
fn spawned(harness: &Harness, process: Process) -> AttemptId {
    let attempt = harness.store.open_attempts().unwrap()[0].id;
    harness.store.commit(&Commit { changes: vec![Change::Spawned { attempt, process }] }).unwrap();
    attempt
}

fn disk() -> (Arc<HeldStore>, Arc<dyn Store>) {
    let disk = Arc::new(HeldStore::default());
    (Arc::clone(&disk), disk)
}

#[tokio::test(start_paused = true)]
async fn a_prompt_adopts_chat_that_is_left_instead_of_starting_an_agent_beside_it() {
    let (harness, started) = with_a_left_chat().await;
    harness.agent.fate(Fate::Ended(Ok(json("green"))));
    harness.agent.then(Act::Says("And so is this.".into()));
    harness.engine.prompt(started.session, "And now?".into()).await.unwrap();
    tokio::time::sleep(SECOND).await;
    assert_eq!(harness.agent.recovered().len(), 1);
    let told: Vec<_> = harness.agent.turns().into_iter().map(|turn| turn.prompt).skip(1).collect();
    assert_eq!(told, ["Is it green?", "And now?"]);
    assert_eq!(harness.store.open_attempts().unwrap(), []);
}

#[tokio::test(start_paused = true)]
async fn an_exit_starts_nothing_where_chat_is_left_and_a_kill_stops_its_agent() {
    let (harness, started) = with_a_left_chat().await;
    let ended = harness.engine.exit(started.session, ExitReason::UserRequested).await.unwrap();
    tokio::time::sleep(SECOND).await;
    assert_eq!((ended, harness.agent.recovered().len()), (None, 0), "it is not about a run");

    harness.engine.kill(started.session).await.unwrap();
    tokio::time::sleep(SECOND).await;
    assert_eq!(harness.agent.recovered().len(), 1, "the agent was asked to stop its process");
    assert_eq!((harness.store.open_attempts().unwrap(), harness.agent.turns().len()), (vec![], 2));
}

#[tokio::test(start_paused = true)]
async fn an_exit_right_behind_a_resume_stops_the_agent_that_was_left() {
    let (harness, started) = with_a_left_run().await;
    let resume = harness.engine.resume(started.run, Resume::by(ResumedBy::User));
    let (resumed, ended) =
        tokio::join!(resume, harness.engine.exit(started.session, ExitReason::UserRequested));
    resumed.unwrap();
    assert_eq!(ended.unwrap().unwrap().reason, "user-requested");
    assert!(!harness.agent.recovered().is_empty(), "its process is seen to");
}

#[tokio::test(start_paused = true)]
async fn what_is_said_to_a_run_that_is_left_is_passed_on_when_it_resumes() {
    let (harness, started) = with_a_left_run().await;
    for text in ["Mind the tests.", "And the docs."] {
        harness.engine.prompt(started.session, text.into()).await.unwrap();
    }
    harness.agent.fate(Fate::Ended(Ok(json("complete"))));
    harness.engine.resume(started.run, Resume::by(ResumedBy::User)).await.unwrap();
    assert_eq!(harness.ended(started).await.reason, "task-committed");
    let told: Vec<_> = harness.agent.turns().into_iter().map(|turn| turn.prompt).skip(1).take(2).collect();
    assert_eq!(told, ["Mind the tests.", "And the docs."], "before its next step");
    let said = harness.said(started);
    assert_eq!(said.iter().filter(|text| text.ends_with("Mind the tests.")).count(), 1, "{said:?}");
}

#[tokio::test]
async fn an_agent_that_is_not_configured_any_more_is_stopped_by_its_process() {
    let harness = Harness::new(FakeAgent::new([Act::Hangs])).await;
    let started = harness.start().await;
    harness.agent.asked(1).await;
    let attempt = harness.store.open_attempts().unwrap()[0].id;
    let files = Files::at(harness.place.path().join("files"));
    let command = Command::new("sleep", Mark::new(attempt.uuid())).arguments(["600"]);
    let held = command.start(files, Limits::default(), TextLines).await.unwrap();
    let (pid, begun) = (held.process().pid, held.process().started.clone());
    spawned(&harness, Process { pid, started: begun });

    let other = Arc::new(surefire::agent::Rehearsal::new(surefire::agent::Script::Happy));
    let harness = harness
        .again_with(|options| {
            nothing_taken_up(options);
            options.agents = vec![other];
        })
        .await;
    let ending = harness.engine.exit(started.session, ExitReason::UserRequested).await.unwrap().unwrap();
    assert_eq!(ending.reason, "user-requested");
    let status = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    assert!(status.is_empty() || status.contains(") Z "), "its process is gone: {status}");
    drop(held);
}

#[tokio::test(start_paused = true)]
async fn a_stop_that_cannot_be_saved_is_carried_out_once_there_is_room() {
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

/// In real time: a paused clock stands still while the store does.
#[tokio::test]
async fn an_agent_that_is_about_to_be_stopped_is_not_left_when_the_engine_shuts_down() {
    let (disk, store) = disk();
    let harness = Harness::with(FakeAgent::new([Act::Hangs]), store, |_| ()).await;
    let started = harness.start().await;
    harness.agent.asked(1).await;
    disk.hold_before_the_next_commit();
    let (engine, session) = (harness.engine.clone(), started.session);
    let exits = tokio::spawn(async move { engine.exit(session, ExitReason::UserRequested).await });
    disk.holds().await;
    let mut closes = pin!(harness.engine.shut_down(Shutdown::LeaveAgents));
    polled(&mut closes).await;
    disk.release();
    assert_eq!(exits.await.unwrap().unwrap().unwrap().reason, "user-requested");
    closes.await;
    tokio::time::timeout(SECOND, harness.agent.stopped()).await.expect("it was stopped, and not left");
}

#[tokio::test(start_paused = true)]
async fn clients_hear_of_chat_whose_end_cannot_be_saved() {
    let (disk, store) = disk();
    let go = Arc::new(Notify::new());
    let acts = [Act::Outcome("no-tasks"), Act::Waits(Arc::clone(&go), "green")];
    let harness = Harness::with(FakeAgent::new(acts), store, |_| ()).await;
    let (started, _) = harness.run().await;
    harness.engine.prompt(started.session, "Is it green?".into()).await.unwrap();
    harness.agent.asked(2).await;
    let mut feed = harness.engine.listen();
    disk.full.store(true, Ordering::SeqCst);
    go.notify_one();
    let heard = feed.next().await.unwrap();
    assert!(matches!(heard, Notice::ChatEnded { session, aborted: true } if session == started.session));
}

#[tokio::test(start_paused = true)]
async fn a_full_disk_is_no_reason_to_drive_what_another_engine_is_meant_to() {
    let (disk, store) = disk();
    let harness = Harness::with(FakeAgent::new([Act::Hangs]), store, |_| ()).await;
    let started = harness.start().await;
    harness.agent.asked(1).await;
    let harness = harness.again_with(nothing_taken_up).await;
    disk.full.store(true, Ordering::SeqCst);
    harness.engine.prompt(started.session, "Mind the tests.".into()).await.unwrap_err();
    disk.full.store(false, Ordering::SeqCst);
    tokio::time::sleep(MINUTE).await;
    assert_eq!((harness.agent.recovered().len(), harness.agent.turns().len()), (0, 1));
}
