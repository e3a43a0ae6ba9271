//! Maintenance of the store on disk: unreadable rows, the size of the log, links instead of files,
//! and pruning.

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
    assert_eq!(opened.quarantined, None);
    opened.store
}

/// Changes the database in a way that no version of Surefire does.
fn tamper(folder: &TempDir, sql: &str) {
    let other = Connection::open(database(folder)).unwrap();
    other.execute_batch("DROP TRIGGER IF EXISTS events_never_change").unwrap();
    other.execute_batch(sql).unwrap();
}
