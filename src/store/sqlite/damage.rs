//! Recognizing a damaged, a newer or a foreign database, and moving a damaged one out of the way.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use rusqlite::Connection;
use rusqlite::config::DbConfig;

use super::failure::{Failure, is_damage};
use super::migrate::APPLICATION;
use crate::store::StoreError;

/// The suffixes of a database's files. They move together.
const COMPANIONS: [&str; 3] = ["-wal", "-shm", ""];

/// The smallest page size: no database is smaller.
const MIN_DATABASE_BYTES: u64 = 512;

/// A damaged database that was moved out of the way. Nothing of it was deleted.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct QuarantinedStore {
    /// Where it is now.
    pub path: PathBuf,
    /// What was wrong with it.
    pub why: String,
}

/// Examines a database before anything is written to it. `Some` says what is damaged.
pub(super) fn examine(
    connection: &Connection,
    path: &Path,
    known: i64,
) -> Result<Option<String>, Failure> {
    match find_damage(connection, path, known) {
        Ok(None) => Ok(None),
        Ok(Some(why)) => Ok(Some(abandon(connection, why))),
        Err(ExamineError::Sql(error)) if is_damage(&error) => {
            Ok(Some(abandon(connection, error.to_string())))
        }
        Err(ExamineError::Sql(error)) => Err(error.into()),
        Err(ExamineError::Refused(error)) => Err(error.into()),
    }
}

/// Leaves a damaged database exactly as it was found. Closing it would otherwise make SQLite
/// checkpoint its log.
fn abandon(connection: &Connection, why: String) -> String {
    let kept = connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true);
    match kept {
        Ok(_) => why,
        Err(error) => format!("{why} (and its log was merged into it: {error})"),
    }
}

enum ExamineError {
    Sql(rusqlite::Error),
    Refused(StoreError),
}

impl From<rusqlite::Error> for ExamineError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sql(error)
    }
}

fn find_damage(
    connection: &Connection,
    path: &Path,
    known: i64,
) -> Result<Option<String>, ExamineError> {
    let size_of = |path: &Path| std::fs::metadata(path).map_or(0, |file| file.len());
    // Checked before SQLite is used, which creates a log if there is none.
    let (size, log) = (size_of(path), size_of(&beside(path, "-wal")));
    let cut_off = Some(format!("it is cut off after {size} bytes"));
    // SQLite treats such a short file as empty, and would overwrite it.
    if (1..MIN_DATABASE_BYTES).contains(&size) {
        return Ok(cut_off);
    }
    let number = |pragma| connection.pragma_query_value(None, pragma, |row| row.get::<_, i64>(0));
    let (application, version) = (number("application_id")?, number("user_version")?);
    let items: i64 =
        connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    if (application, version, items) == (0, 0, 0) {
        return Ok(None);
    }
    if application != i64::from(APPLICATION) {
        return Err(ExamineError::Refused(StoreError::Foreign { path: path.to_owned() }));
    }
    if version > known {
        let newer = StoreError::Newer { path: path.to_owned(), found: version, known };
        return Err(ExamineError::Refused(newer));
    }
    // SQLite reads the missing part of a page as zeros, even where it held data. With a log, the
    // write may just have been interrupted, and SQLite completes the page from the log.
    if log == 0 && size % u64::try_from(number("page_size")?).unwrap_or(MIN_DATABASE_BYTES) != 0 {
        return Ok(cut_off);
    }
    let found: String = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
    Ok(if found == "ok" { None } else { Some(found) })
}

/// Moves a database and its companion files to an unused name.
pub(super) fn quarantine(database: &Path, why: String) -> Result<QuarantinedStore, Failure> {
    let failed = |error: std::io::Error| StoreError::Failed {
        why: format!(
            "the damaged database `{}` cannot be moved aside: {error}",
            database.display()
        ),
    };
    let path = free_name(database)?;
    // The log goes first: next to a new database, SQLite would take the old log for its own.
    for companion in COMPANIONS {
        match std::fs::rename(beside(database, companion), beside(&path, companion)) {
            Ok(()) => {}
            Err(error) if error.kind() == std::io::ErrorKind::NotFound && !companion.is_empty() => {
            }
            Err(error) => return Err(failed(error).into()),
        }
    }
    Ok(QuarantinedStore { path, why })
}

/// `surefire.db.damaged-20260131-235959`, with a number appended if that is taken.
fn free_name(database: &Path) -> Result<PathBuf, Failure> {
    // SQLite formats the date, which saves a dependency.
    let calendar = Connection::open_in_memory()?;
    let now: String =
        calendar.query_row("SELECT strftime('%Y%m%d-%H%M%S', 'now')", [], |row| row.get(0))?;
    let stamped = beside(database, &format!(".damaged-{now}"));
    let taken = |name: &PathBuf| COMPANIONS.iter().any(|it| beside(name, it).exists());
    let (mut name, mut number) = (stamped.clone(), 1_u32);
    while taken(&name) {
        number += 1;
        name = beside(&stamped, &format!("-{number}"));
    }
    Ok(name)
}

/// The path with a suffix appended to its file name.
pub(super) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(suffix);
    PathBuf::from(name)
}
