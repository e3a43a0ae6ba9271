//! What having one owner gives a session: whole commits, fresh looks, and a way back when the store works again.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use surefire::agent::Fate;
use surefire::engine::{Notice, Start, Started};
use surefire::run::{Resume, ResumedBy};
use surefire::store::Store;
use tokio::sync::Notify;

use crate::held_store::HeldStore;
use crate::puppet::{Act, Puppet, json};
use crate::stage::Stage;

async fn stage(puppet: Arc<Puppet>) -> (Stage, Arc<HeldStore>) {
    let held = Arc::new(HeldStore::default());
    let store: Arc<dyn Store> = Arc::<HeldStore>::clone(&held);
    (Stage::with(puppet, store, |_| ()).await, held)
}

#[tokio::test(start_paused = true)]
async fn kill_withdraws_and_ends_in_one_commit_so_no_crash_comes_between() {
    let (stage, held) = stage(Puppet::new([Act::Hangs])).await;
    let started = stage.start().await;
    stage.puppet.asked(1).await;
    stage.engine.prompt(started.session, "And then?".into()).await.unwrap();
    let before = held.commits.load(Ordering::SeqCst);
    stage.engine.kill(started.session).await.unwrap().unwrap();
    assert_eq!(held.commits.load(Ordering::SeqCst) - before, 1);
    // The engine is gone in the same moment, and another one takes over.
    let stage = stage.again().await;
    stage.engine.resume(started.run, Resume::by(ResumedBy::User)).await.unwrap();
    assert_eq!(stage.ended(started).await.reason, "task-committed");
    assert!(stage.puppet.turns().iter().all(|turn| turn.prompt != "And then?"));
}

#[tokio::test(start_paused = true)]
async fn a_run_that_was_resumed_is_taken_up_although_a_later_one_has_ended() {
    let (stage, _) = stage(Puppet::new([Act::Hangs])).await;
    let first = stage.start().await;
    stage.puppet.asked(1).await;
    stage.engine.exit(first.session, surefire::ExitReason::UserRequested).await.unwrap().unwrap();
    let start = Start { session: Some(first.session), ..stage.wish() };
    let second = stage.engine.start(start).await.unwrap();
    assert_eq!(stage.ended(second).await.reason, "task-committed");

    stage.puppet.then(Act::Hangs);
    let turns = stage.puppet.turns().len();
    stage.engine.resume(first.run, Resume::by(ResumedBy::User)).await.unwrap();
    stage.puppet.asked(turns + 1).await;
    stage.puppet.fate(Fate::Ended(Ok(json("complete"))));
    let stage = stage.again().await;
    assert_eq!(stage.ended(first).await.reason, "task-committed");
    assert_eq!(stage.puppet.recovered().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_run_that_a_full_disk_stopped_goes_on_by_itself_once_there_is_room() {
    let go = Arc::new(Notify::new());
    let (stage, disk) = stage(Puppet::new([Act::Waits(Arc::clone(&go), "complete")])).await;
    let started = stage.start().await;
    stage.puppet.asked(1).await;
    disk.full.store(true, Ordering::SeqCst);
    go.notify_one();
    assert_eq!(stage.ended(started).await.reason, "storage_error");
    let mut feed = stage.engine.listen();
    tokio::time::sleep(Duration::from_mins(10)).await;
    assert_eq!(stage.puppet.recovered().len(), 0, "nothing is tried while nothing can be saved");

    stage.puppet.fate(Fate::Ended(Ok(json("complete"))));
    disk.full.store(false, Ordering::SeqCst);
    tokio::time::sleep(Duration::from_mins(1)).await;
    assert_eq!(stage.record(started.run).ending.unwrap().reason, "task-committed");
    assert!(matches!(feed.next().await.unwrap(), Notice::TakenUp { run, .. } if run == started.run));
}

/// What happens to a directory.
type Change<'c> = &'c dyn Fn(&Path);

/// Starts a run in a directory of its own, and has `change` happen to that between the first turn and the second.
async fn changed_under_a_run(change: impl FnOnce(&Path)) -> (Stage, Started) {
    let go = Arc::new(Notify::new());
    let stage = Stage::new(Puppet::new([Act::Waits(Arc::clone(&go), "complete")])).await;
    let directory = stage.directory().join("work");
    std::fs::create_dir(&directory).unwrap();
    let start = Start { directory: Some(directory.clone()), ..stage.wish() };
    let started = stage.engine.start(start).await.unwrap();
    stage.puppet.asked(1).await;
    change(&directory);
    go.notify_one();
    (stage, started)
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
    let table: [(Change<'_>, &str); 3] =
        [(&inside, "now leads to"), (&outside, "outside of the allowed roots"), (&gone, "does not exist")];
    for (change, words) in table {
        let (stage, started) = changed_under_a_run(change).await;
        let ending = stage.ended(started).await;
        assert_eq!(ending.reason, "error");
        let description = ending.description.unwrap();
        assert!(description.contains(words), "{description}");
        assert_eq!(stage.puppet.turns().len(), 1, "no agent works there: {words}");
    }
}
