//! The write-ahead log: merged into the database by a clean stop, and short while the store is
//! open.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::Connection;
use surefire::store::{Change, NewMessage, Store};
use surefire_testkit::fixtures::{commit, message, new_session, says, session};

use super::{database, folder, log_of, open};

fn size(path: &Path) -> u64 {
    fs::metadata(path).map_or(0, |file| file.len())
}

/// Writes about this many megabytes.
fn burst(store: &dyn Store, megabytes: u128) {
    commit(store, [new_session(1, 1)]).unwrap();
    for n in 0..megabytes {
        let text = "x".repeat(1 << 20);
        commit(store, [Change::message(NewMessage { text, ..message(1, n, 1) })]).unwrap();
    }
}

#[test]
fn a_clean_stop_merges_the_log_into_the_database() {
    let folder = folder();
    let store = open(&folder);
    burst(&store, 2);
    // The reader has the log open as well.
    assert_eq!(store.messages(session(1), 0, 9).unwrap().len(), 2);
    assert!(size(&log_of(&folder)) > 0);
    drop(store);
    assert!(!log_of(&folder).exists(), "{} bytes are left", size(&log_of(&folder)));
    // A copy of this one file is complete.
    let copy = super::folder();
    fs::copy(database(&folder), database(&copy)).unwrap();
    assert_eq!(open(&copy).messages(session(1), 0, 9).unwrap().len(), 2);
}

#[test]
fn a_clean_stop_empties_a_log_that_another_program_has_open() {
    let folder = folder();
    let store = open(&folder);
    burst(&store, 2);
    let other = Connection::open(database(&folder)).unwrap();
    let count = || other.query_row("SELECT count(*) FROM messages", [], |row| row.get::<_, i64>(0));
    assert_eq!(count(), Ok(2));
    drop(store);
    assert_eq!(size(&log_of(&folder)), 0);
    assert_eq!(count(), Ok(2));
}

#[test]
fn a_program_that_reads_an_old_state_does_not_delay_a_stop() {
    let folder = folder();
    let store = open(&folder);
    burst(&store, 1);
    let other = Connection::open(database(&folder)).unwrap();
    other.execute_batch("BEGIN; SELECT count(*) FROM messages").unwrap();
    commit(&store, [says(1, 5, 2)]).unwrap();
    let begun = Instant::now();
    drop(store);
    assert!(begun.elapsed() < Duration::from_secs(3), "{:?}", begun.elapsed());
    drop(other);
    assert_eq!(open(&folder).messages(session(1), 0, 9).unwrap().len(), 2);
}

#[test]
fn the_log_shrinks_while_the_store_is_open() {
    let folder = folder();
    let store = open(&folder);
    burst(&store, 8);
    assert!(size(&log_of(&folder)) > 4 << 20, "{}", size(&log_of(&folder)));
    let begun = Instant::now();
    while size(&log_of(&folder)) > 0 {
        assert!(begun.elapsed() < Duration::from_secs(20), "{} bytes", size(&log_of(&folder)));
        std::thread::sleep(Duration::from_millis(50));
    }
    // The store keeps working, and the log shrinks after the next burst as well.
    burst(&store, 8);
    let begun = Instant::now();
    while size(&log_of(&folder)) > 0 {
        assert!(begun.elapsed() < Duration::from_secs(20), "{} bytes", size(&log_of(&folder)));
        std::thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(store.messages(session(1), 0, 99).unwrap().len(), 16);
}

#[test]
fn a_log_that_one_large_commit_filled_is_truncated() {
    let folder = folder();
    let store = open(&folder);
    let said = (0..40).map(|n| NewMessage { text: "x".repeat(1 << 20), ..message(1, n, 1) });
    let all: Vec<_> = [new_session(1, 1)].into_iter().chain(said.map(Change::message)).collect();
    commit(&store, all).unwrap();
    assert!(size(&log_of(&folder)) > 40 << 20);
    // Without a pause: the next commits find the log merged, and restart it.
    for n in 100..103 {
        commit(&store, [says(1, n, 2)]).unwrap();
    }
    assert!(size(&log_of(&folder)) <= 17 << 20, "{}", size(&log_of(&folder)));
}
