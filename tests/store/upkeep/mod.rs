//! The store on disk over the years: rows that cannot be read, a log that stays short, files that are links, and what is
//! pruned.

mod links;
mod log;
mod pruning;
mod unreadable;

use std::path::PathBuf;

use rusqlite::Connection;
use surefire::store::Sqlite;
use tempfile::TempDir;

fn folder() -> TempDir {
    tempfile::tempdir().unwrap()
}

fn database(folder: &TempDir) -> PathBuf {
    folder.path().join("surefire.db")
}

fn log_of(folder: &TempDir) -> PathBuf {
    folder.path().join("surefire.db-wal")
}

fn open(folder: &TempDir) -> Sqlite {
    let opened = Sqlite::open(folder.path()).unwrap();
    assert_eq!(opened.set_aside, None);
    opened.store
}

/// Does something to the database that no version of ours does.
fn tamper(folder: &TempDir, sql: &str) {
    let other = Connection::open(database(folder)).unwrap();
    other.execute_batch("DROP TRIGGER IF EXISTS events_never_change").unwrap();
    other.execute_batch(sql).unwrap();
}
