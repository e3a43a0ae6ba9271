//! A store that fails: the run pauses, nothing is published that is not persisted, and the engine
//! keeps running.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use surefire::agent::Fate;
use surefire::engine::{Engine, Shutdown, Update};
use surefire::run::{Limits, Resume, ResumedBy};
use surefire::store::Store;
use surefire_testkit::{Act, FakeAgent, Harness, HeldStore, json, options};
use tokio::sync::Notify;

#[tokio::test(start_paused = true)]
async fn a_full_disk_pauses_the_run_and_only_persisted_events_are_published() {
    let disk = Arc::new(HeldStore::default());
    let go = Arc::new(Notify::new());
    let agent = FakeAgent::new([Act::Waits(Arc::clone(&go), "complete")]);
    let store: Arc<dyn Store> = Arc::<HeldStore>::clone(&disk);
    let harness = Harness::with(agent, store, |_| ()).await;
    let started = harness.start().await;
    let mut updates = harness.engine.subscribe();
    harness.agent.asked(1).await;
    disk.full.store(true, Ordering::SeqCst);
    go.notify_one();

    let ending = harness.ended(started).await;
    assert_eq!((ending.reason.as_str(), ending.exit_code), ("storage_error", 17));
    assert_eq!(disk.refused.load(Ordering::SeqCst), 3, "the commit was retried");
    loop {
        match updates.next().await.unwrap() {
            Update::NotPersisted { run, .. } => break assert_eq!(run, started.run),
            Update::Event(recorded) => panic!("{recorded:?} was published"),
            _ => {}
        }
    }
    let refused = harness.engine.start(harness.start_request()).await.unwrap_err();
    assert!(refused.to_string().contains("no room"), "{refused}");

    disk.full.store(false, Ordering::SeqCst);
    assert!(harness.engine.start(harness.start_request()).await.is_ok(), "the engine still runs");
    // The agent's reply is still available, so the agent is not asked a second time.
    harness.agent.fate(Fate::Ended(Ok(json("complete"))));
    harness.engine.resume(started.run, Resume::by(ResumedBy::User)).await.unwrap();
    assert_eq!(harness.ended(started).await.reason, "task-committed");
    assert_eq!(harness.moves(started.run).len(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_commit_is_retried_on_a_disk_that_is_full_for_a_moment() {
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

/// A run whose store failed in its first turn: only its beginning is persisted.
async fn orphaned(
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
async fn an_orphaned_run_is_driven_once_however_many_clients_resume_it() {
    let (harness, _disk, started) = orphaned(|_| ()).await;
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
async fn an_orphaned_run_reports_its_ending_to_later_callers_and_refuses_new_limits() {
    let (harness, _disk, started) = orphaned(|_| ()).await;
    assert_eq!(harness.ended(started).await.reason, "storage_error");
    let limits = Some(Limits::default().budget_usd(Some(1.0)));
    let resume = Resume::by(ResumedBy::User).limits(limits);
    let refused = harness.engine.resume(started.run, resume).await.unwrap_err();
    assert!(refused.to_string().contains("can only be resumed unchanged"), "{refused}");
}

#[tokio::test(start_paused = true)]
async fn a_subscriber_that_missed_the_ending_can_still_query_it() {
    let (harness, _disk, started) = orphaned(|options| options.backlog = 4).await;
    let mut slow = harness.engine.subscribe();
    harness.run().await;
    while !matches!(slow.next().await.unwrap(), Update::Lagged) {}
    assert_eq!(harness.ended(started).await.reason, "storage_error");
}

#[tokio::test(start_paused = true)]
async fn a_store_that_can_neither_be_written_nor_read_is_reported() {
    let (disk, go) = (Arc::new(HeldStore::default()), Arc::new(Notify::new()));
    let agent = FakeAgent::new([Act::Waits(Arc::clone(&go), "complete")]);
    let store: Arc<dyn Store> = Arc::<HeldStore>::clone(&disk);
    let harness = Harness::with(agent, store, |_| ()).await;
    let started = harness.start().await;
    harness.agent.asked(1).await;
    let engine = harness.engine.clone();
    let ended = tokio::spawn(async move { engine.wait_until_ended(started.run).await });
    tokio::time::sleep(Duration::from_millis(10)).await;
    disk.full.store(true, Ordering::SeqCst);
    disk.unreadable.store(true, Ordering::SeqCst);
    go.notify_one();
    let ended = tokio::time::timeout(Duration::from_secs(60 * 60), ended)
        .await
        .expect("the ending is reported");
    assert_eq!(ended.unwrap().unwrap().reason, "storage_error");
}

#[tokio::test(start_paused = true)]
async fn a_store_that_fails_when_the_engine_opens_ends_no_run() {
    let disk = Arc::new(HeldStore::default());
    let store: Arc<dyn Store> = Arc::<HeldStore>::clone(&disk);
    let harness = Harness::with(FakeAgent::new([Act::Hangs]), store, |_| ()).await;
    let started = harness.start().await;
    harness.agent.asked(1).await;
    harness.engine.shut_down(Shutdown::DetachAgents).await;
    disk.journals_that_fail.store(1, Ordering::SeqCst);
    let refused =
        Engine::open(options(&harness.place, &harness.agent, &harness.store)).await.unwrap_err();
    assert!(refused.to_string().contains("locked"), "{refused}");
    assert_eq!(harness.record(started.run).ending, None, "it resumes when the store works again");
    harness.agent.fate(Fate::Ended(Ok(json("no-tasks"))));
    let harness = harness.again().await;
    assert_eq!(harness.ended(started).await.reason, "no-tasks-available");
}
