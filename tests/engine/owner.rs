//! What the single owner of a session guarantees: atomic commits, current state, and recovery when
//! the store works again.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use surefire::agent::Fate;
use surefire::engine::{Started, Update};
use surefire::run::{Resume, ResumedBy};
use surefire::store::Store;
use surefire_testkit::{Act, FakeAgent, Harness, HeldStore, json};
use tokio::sync::Notify;

async fn harness(agent: FakeAgent) -> (Harness, Arc<HeldStore>) {
    let held = Arc::new(HeldStore::default());
    let store: Arc<dyn Store> = Arc::<HeldStore>::clone(&held);
    (Harness::with(agent, store, |_| ()).await, held)
}

#[tokio::test(start_paused = true)]
async fn kill_withdraws_prompts_and_ends_the_run_in_one_commit() {
    let (harness, held) = harness(FakeAgent::new([Act::Hangs])).await;
    let started = harness.start().await;
    harness.agent.asked(1).await;
    harness.engine.prompt(started.session, "And then?".into()).await.unwrap();
    let before = held.commits.load(Ordering::SeqCst);
    harness.engine.kill(started.session).await.unwrap().unwrap();
    assert_eq!(held.commits.load(Ordering::SeqCst) - before, 1);
    // The engine is killed at that moment, and the next one recovers.
    let harness = harness.again().await;
    harness.engine.resume(started.run, Resume::by(ResumedBy::User)).await.unwrap();
    assert_eq!(harness.ended(started).await.reason, "task-committed");
    assert!(harness.agent.turns().iter().all(|turn| turn.prompt != "And then?"));
}

#[tokio::test(start_paused = true)]
async fn a_resumed_run_is_adopted_although_a_later_one_has_ended() {
    let (harness, _) = harness(FakeAgent::new([Act::Hangs])).await;
    let first = harness.start().await;
    harness.agent.asked(1).await;
    harness.engine.exit(first.session, surefire::ExitReason::UserRequested).await.unwrap().unwrap();
    let start = harness.start_request().session(Some(first.session));
    let second = harness.engine.start(start).await.unwrap();
    assert_eq!(harness.ended(second).await.reason, "task-committed");

    harness.agent.then(Act::Hangs);
    let turns = harness.agent.turns().len();
    harness.engine.resume(first.run, Resume::by(ResumedBy::User)).await.unwrap();
    harness.agent.asked(turns + 1).await;
    harness.agent.fate(Fate::Ended(Ok(json("complete"))));
    let harness = harness.again().await;
    assert_eq!(harness.ended(first).await.reason, "task-committed");
    assert_eq!(harness.agent.recovered().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_run_that_a_full_disk_stopped_resumes_automatically_once_there_is_room() {
    let go = Arc::new(Notify::new());
    let (harness, disk) = harness(FakeAgent::new([Act::Waits(Arc::clone(&go), "complete")])).await;
    let started = harness.start().await;
    harness.agent.asked(1).await;
    disk.full.store(true, Ordering::SeqCst);
    go.notify_one();
    assert_eq!(harness.ended(started).await.reason, "storage_error");
    let mut updates = harness.engine.subscribe();
    tokio::time::sleep(Duration::from_secs(10 * 60)).await;
    assert_eq!(harness.agent.recovered().len(), 0, "nothing is retried while the disk is full");

    harness.agent.fate(Fate::Ended(Ok(json("complete"))));
    disk.full.store(false, Ordering::SeqCst);
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert_eq!(harness.record(started.run).ending.unwrap().reason, "task-committed");
    assert!(
        matches!(updates.next().await.unwrap(), Update::Recovered { run, .. } if run == started.run)
    );
}

/// A function that changes a directory.
type Change<'c> = &'c dyn Fn(&Path);

/// Starts a run in a directory of its own, and applies `change` to it between the first turn and
/// the second.
async fn changed_under_a_run(change: impl FnOnce(&Path)) -> (Harness, Started) {
    let go = Arc::new(Notify::new());
    let harness = Harness::new(FakeAgent::new([Act::Waits(Arc::clone(&go), "complete")])).await;
    let directory = harness.directory().join("work");
    std::fs::create_dir(&directory).unwrap();
    let start = harness.start_request().directory(Some(directory.clone()));
    let started = harness.engine.start(start).await.unwrap();
    harness.agent.asked(1).await;
    change(&directory);
    go.notify_one();
    (harness, started)
}

#[tokio::test(start_paused = true)]
async fn the_working_directory_is_checked_before_each_turn() {
    let link = |directory: &Path, to: &Path| {
        std::fs::rename(directory, directory.with_extension("old")).unwrap();
        std::os::unix::fs::symlink(to, directory).unwrap();
    };
    let inside = |directory: &Path| {
        let other = directory.with_extension("other");
        std::fs::create_dir(&other).unwrap();
        link(directory, &other);
    };
    let outside = |directory: &Path| link(directory, Path::new("/"));
    let gone = |directory: &Path| std::fs::remove_dir(directory).unwrap();
    let table: [(Change<'_>, &str); 3] = [
        (&inside, "now leads to"),
        (&outside, "outside of the allowed roots"),
        (&gone, "does not exist"),
    ];
    for (change, words) in table {
        let (harness, started) = changed_under_a_run(change).await;
        let ending = harness.ended(started).await;
        assert_eq!(ending.reason, "error");
        let description = ending.description.unwrap();
        assert!(description.contains(words), "{description}");
        assert_eq!(harness.agent.turns().len(), 1, "no agent works there: {words}");
    }
}
