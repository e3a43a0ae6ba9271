//! Pruning, and shrinking the database file afterwards.

use std::fs;
use std::path::Path;
use std::process::Command;

use rusqlite::Connection;
use surefire::store::{Change, NewMessage, Pruned, Sqlite, Store, StoreError};
use surefire_testkit::fixtures::{
    attempt, began, commit, ends, events, everything, message, new_session, replied, session,
    started,
};
use tempfile::TempDir;

use super::{database, folder, open};

/// The environment variable with the data directory, for a child process that a test starts from
/// this executable.
const CHILD: &str = "SUREFIRE_PRUNING_CHILD";

/// Twenty old sessions, each with a run, an attempt and a long message, and one new session.
fn years_of_use(store: &dyn Store) {
    for n in 1..=20 {
        let text = "word ".repeat(40_000);
        let said = Change::message(NewMessage { text, ..message(n, n, 2) });
        let happened = [started(n, n), began(n), replied(n, None), ends("task-committed")];
        commit(store, [new_session(n, 1), said, events(n, 0, happened, 3)]).unwrap();
    }
    commit(store, [new_session(99, 1_000)]).unwrap();
}

fn size(folder: &TempDir) -> u64 {
    fs::metadata(database(folder)).unwrap().len()
}

/// Turns it into a database of an early version, whose file could not shrink.
fn age(folder: &TempDir) {
    let other = Connection::open(database(folder)).unwrap();
    other.execute_batch("PRAGMA auto_vacuum = NONE; VACUUM").unwrap();
    let mode: i64 = other.pragma_query_value(None, "auto_vacuum", |row| row.get(0)).unwrap();
    assert_eq!(mode, 0);
}

#[test]
fn the_file_shrinks_after_pruning() {
    for old in [false, true] {
        let folder = folder();
        let store = open(&folder);
        years_of_use(&store);
        drop(store);
        if old {
            age(&folder);
        }
        let (store, before) = (open(&folder), size(&folder));
        assert!(before > 4_000_000, "{before}");
        let pruned = store.prune_sessions(500).unwrap();
        assert_eq!(pruned.runs, 20);
        assert_eq!(pruned.sessions, (1..=20).map(session).collect::<Vec<_>>());
        assert_eq!(pruned.attempts, (1..=20).map(attempt).collect::<Vec<_>>());
        let freed = store.reclaim().unwrap();
        let after = size(&folder);
        assert!(after < 200_000 && freed > 3_500_000, "{old}: {before} - {freed} = {after}");
        assert_eq!(store.session_count(), Ok(1));
        assert_eq!(store.reclaim(), Ok(0), "there is nothing more to return");
        commit(&store, [new_session(1, 2_000)]).unwrap();
    }
}

#[test]
fn an_old_file_with_little_free_space_is_not_rewritten() {
    let folder = folder();
    let store = open(&folder);
    years_of_use(&store);
    commit(&store, [events(100, 0, [started(100, 99), ends("x")], 5)]).unwrap();
    drop(store);
    age(&folder);
    let (store, before) = (open(&folder), size(&folder));
    assert_eq!(store.prune(4), Ok(20));
    assert_eq!(store.reclaim(), Ok(0));
    assert_eq!(size(&folder), before);
}

#[test]
fn only_the_server_that_holds_the_store_prunes() {
    let folder = folder();
    let first = open(&folder);
    years_of_use(&first);
    fs::remove_file(folder.path().join("lock")).unwrap();
    let second = open(&folder);
    assert_eq!(first.prune_sessions(9), Err(StoreError::TakenOver));
    assert_eq!(first.reclaim(), Err(StoreError::TakenOver));
    assert_eq!(second.session_count(), Ok(21));
    assert_eq!(second.prune_sessions(1), Ok(Pruned::default()));
}

#[test]
fn nothing_is_lost_if_the_disk_has_no_room_to_rewrite_the_file() {
    let folder = folder();
    let store = open(&folder);
    years_of_use(&store);
    drop(store);
    age(&folder);
    let store = open(&folder);
    for n in 1..=10 {
        commit(&store, [Change::SessionDeleted { session: session(n) }]).unwrap();
    }
    drop(store);
    // The child may not write a file of more than a megabyte, and the remaining data has two.
    let script = "trap '' XFSZ; ulimit -f 2048; exec \"$0\" \"$@\"";
    let mut child = Command::new("sh");
    child.args(["-c", script]).arg(std::env::current_exe().unwrap());
    child.args([
        "--exact",
        "upkeep::pruning::reclaims_and_prints_the_result",
        "--ignored",
        "--nocapture",
    ]);
    let output = child.env(CHILD, folder.path()).output().unwrap();
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(printed.contains("not reclaimed: "), "{printed}");
    let store = open(&folder);
    assert_eq!(store.session_count(), Ok(11));
    everything(&store).unwrap();
    assert_eq!(store.messages(session(20), 0, 9).unwrap()[0].text.len(), 200_000);
    assert!(store.reclaim().unwrap() > 1_000_000, "once there is room again, it succeeds");
}

#[test]
#[ignore = "started by another test, as a process of its own"]
fn reclaims_and_prints_the_result() {
    let Some(data_dir) = std::env::var_os(CHILD) else { return };
    let store = Sqlite::open(Path::new(&data_dir)).unwrap().store;
    match store.reclaim() {
        Ok(bytes) => println!("reclaimed {bytes}"),
        Err(error) => println!("not reclaimed: {error}"),
    }
}
