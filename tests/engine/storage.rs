//! A store that fails: the run pauses, nothing unsaved is announced, and the engine stays up.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use surefire::agent::Fate;
use surefire::engine::{Engine, Notice, Shutdown};
use surefire::run::{Limits, Resume, ResumedBy};
use surefire::store::Store;
use surefire_testkit::{Act, FakeAgent, Harness, HeldStore, json, options};
use tokio::sync::Notify;

#[tokio::test(start_paused = true)]
async fn a_full_disk_pauses_the_run_and_nothing_unsaved_is_announced() {
    let disk = Arc::new(HeldStore::default());
    let go = Arc::new(Notify::new());
    let agent = FakeAgent::new([Act::Waits(Arc::clone(&go), "complete")]);
    let store: Arc<dyn Store> = Arc::<HeldStore>::clone(&disk);
    let harness = Harness::with(agent, store, |_| ()).await;
    let started = harness.start().await;
    let mut feed = harness.engine.listen();
    harness.agent.asked(1).await;
    disk.full.store(true, Ordering::SeqCst);
    go.notify_one();

    let ending = harness.ended(started).await;
    assert_eq!((ending.reason.as_str(), ending.exit_code), ("storage_error", 17));
    assert_eq!(disk.refused.load(Ordering::SeqCst), 3, "it was tried more than once");
    loop {
        match feed.next().await.unwrap() {
            Notice::Unsaved { run, .. } => break assert_eq!(run, started.run),
            Notice::Happened(recorded) => panic!("{recorded:?} was announced"),
            _ => {}
        }
    }
    let refused = harness.engine.start(harness.wish()).await.unwrap_err();
    assert!(refused.to_string().contains("no room"), "{refused}");

    disk.full.store(false, Ordering::SeqCst);
    assert!(harness.engine.start(harness.wish()).await.is_ok(), "the engine is still up");
    // The agent's reply is still to be had: it is not asked a second time.
    harness.agent.fate(Fate::Ended(Ok(json("complete"))));
    harness.engine.resume(started.run, Resume::by(ResumedBy::User)).await.unwrap();
    assert_eq!(harness.ended(started).await.reason, "task-committed");
    assert_eq!(harness.moves(started.run).len(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_disk_that_is_full_for_a_moment_is_waited_for() {
    let disk = Arc::new(HeldStore::default());
    let go = Arc::new(Notify::new());
    let agent = FakeAgent::new([Act::Waits(Arc::clone(&go), "no-tasks")]);
    let store: Arc<dyn Store> = Arc::<HeldStore>::clone(&disk);
    let harness = Harness::with(agent, store, |_| ()).await;
    let started = harness.start().await;
    harness.agent.asked(1).await;
    disk.full.store(true, Ordering::SeqCst);
    go.notify_one();
    disk.refuses().await;
    disk.full.store(false, Ordering::SeqCst);
    assert_eq!(harness.ended(started).await.reason, "no-tasks-available");
}

/// A run that the store failed in the middle of: written down is only its beginning.
async fn left_behind(
    change: impl FnOnce(&mut surefire::engine::Options),
) -> (Harness, Arc<HeldStore>, surefire::engine::Started) {
    let (disk, go) = (Arc::new(HeldStore::default()), Arc::new(Notify::new()));
    let agent = FakeAgent::new([Act::Waits(Arc::clone(&go), "complete")]);
    let store: Arc<dyn Store> = Arc::<HeldStore>::clone(&disk);
    let harness = Harness::with(agent, store, change).await;
    let started = harness.start().await;
    harness.agent.asked(1).await;
    disk.full.store(true, Ordering::SeqCst);
    go.notify_one();
    assert_eq!(harness.ended(started).await.reason, "storage_error");
    disk.full.store(false, Ordering::SeqCst);
    (harness, disk, started)
}

#[tokio::test(start_paused = true)]
async fn a_run_that_was_left_behind_is_driven_once_however_many_resume_it() {
    let (harness, _disk, started) = left_behind(|_| ()).await;
    tokio::time::sleep(Duration::from_millis(50)).await;
    harness.agent.fate(Fate::NeverBegan);
    let resume = || harness.engine.resume(started.run, Resume::by(ResumedBy::User));
    let (one, other) = tokio::join!(resume(), resume());
    assert!(one.is_ok() != other.is_ok(), "{one:?} {other:?}");
    assert_eq!(harness.ended(started).await.reason, "task-committed");
    let first = harness.agent.turns()[0].attempt;
    assert_eq!(harness.agent.turns().iter().filter(|turn| turn.attempt == first).count(), 2);
}

#[tokio::test(start_paused = true)]
async fn whoever_asks_later_is_told_as_well_and_new_limits_are_refused_in_words() {
    let (harness, _disk, started) = left_behind(|_| ()).await;
    assert_eq!(harness.ended(started).await.reason, "storage_error");
    let limits = Some(Limits { budget_usd: Some(1.0), ..Limits::default() });
    let resume = Resume { limits, ..Resume::by(ResumedBy::User) };
    let refused = harness.engine.resume(started.run, resume).await.unwrap_err();
    assert!(refused.to_string().contains("goes on as it is"), "{refused}");
}

#[tokio::test(start_paused = true)]
async fn a_listener_that_missed_it_can_still_ask() {
    let (harness, _disk, started) = left_behind(|options| options.backlog = 4).await;
    let mut slow = harness.engine.listen();
    harness.run().await;
    while !matches!(slow.next().await.unwrap(), Notice::Missed) {}
    assert_eq!(harness.ended(started).await.reason, "storage_error");
}

#[tokio::test(start_paused = true)]
async fn a_store_that_can_neither_be_written_nor_read_is_told() {
    let (disk, go) = (Arc::new(HeldStore::default()), Arc::new(Notify::new()));
    let agent = FakeAgent::new([Act::Waits(Arc::clone(&go), "complete")]);
    let store: Arc<dyn Store> = Arc::<HeldStore>::clone(&disk);
    let harness = Harness::with(agent, store, |_| ()).await;
    let started = harness.start().await;
    harness.agent.asked(1).await;
    let engine = harness.engine.clone();
    let ended = tokio::spawn(async move { engine.ended(started.run).await });
    tokio::time::sleep(Duration::from_millis(10)).await;
    disk.full.store(true, Ordering::SeqCst);
    disk.unreadable.store(true, Ordering::SeqCst);
    go.notify_one();
    let ended = tokio::time::timeout(Duration::from_hours(1), ended).await.expect("it is told");
    assert_eq!(ended.unwrap().unwrap().reason, "storage_error");
}

#[tokio::test(start_paused = true)]
async fn a_store_in_trouble_when_the_engine_opens_ends_no_run() {
    let disk = Arc::new(HeldStore::default());
    let store: Arc<dyn Store> = Arc::<HeldStore>::clone(&disk);
    let harness = Harness::with(FakeAgent::new([Act::Hangs]), store, |_| ()).await;
    let started = harness.start().await;
    harness.agent.asked(1).await;
    harness.engine.shut_down(Shutdown::LeaveAgents).await;
    disk.journals_that_fail.store(1, Ordering::SeqCst);
    let refused = Engine::open(options(&harness.place, &harness.agent, &harness.store)).await.unwrap_err();
    assert!(refused.to_string().contains("locked"), "{refused}");
    assert_eq!(harness.record(started.run).ending, None, "it goes on when the store works again");
    harness.agent.fate(Fate::Ended(Ok(json("no-tasks"))));
    let harness = harness.again().await;
    assert_eq!(harness.ended(started).await.reason, "no-tasks-available");
}
