//! Telling a good database from a bad, a newer and a foreign one, and moving a bad one out of the way.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use rusqlite::Connection;
use rusqlite::config::DbConfig;

use super::failure::{Failure, is_damage};
use super::migrate::APPLICATION;
use crate::store::StoreError;

/// What SQLite keeps beside a database. They belong to it and move with it.
const COMPANIONS: [&str; 3] = ["-wal", "-shm", ""];

/// No database is smaller than its smallest page.
const SMALLEST: u64 = 512;

/// A database that was found damaged, and moved out of the way. Nothing of it was deleted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetAside {
    /// Where it is now.
    pub path: PathBuf,
    /// What was wrong with it.
    pub why: String,
}

/// Looks at a database before anything is written to it: `Some` says what is damaged.
pub(super) fn examine(connection: &Connection, path: &Path, known: i64) -> Result<Option<String>, Failure> {
    match look(connection, path, known) {
        Ok(None) => Ok(None),
        Ok(Some(why)) => Ok(Some(abandon(connection, why))),
        Err(Looked::Sql(error)) if is_damage(&error) => Ok(Some(abandon(connection, error.to_string()))),
        Err(Looked::Sql(error)) => Err(error.into()),
        Err(Looked::Refused(error)) => Err(error.into()),
    }
}

/// A bad database stays exactly as it was found, its log included, which SQLite would merge when it closes.
fn abandon(connection: &Connection, why: String) -> String {
    let kept = connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true);
    match kept {
        Ok(_) => why,
        Err(error) => format!("{why} (and its log was merged into it: {error})"),
    }
}

enum Looked {
    Sql(rusqlite::Error),
    Refused(StoreError),
}

impl From<rusqlite::Error> for Looked {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sql(error)
    }
}

fn look(connection: &Connection, path: &Path, known: i64) -> Result<Option<String>, Looked> {
    let size_of = |path: &Path| std::fs::metadata(path).map_or(0, |file| file.len());
    // Asked for before SQLite is, which makes a log where there is none.
    let (size, log) = (size_of(path), size_of(&beside(path, "-wal")));
    let cut_off = Some(format!("it is cut off after {size} bytes"));
    // SQLite takes so short a file for an empty one, and would write over it.
    if (1..SMALLEST).contains(&size) {
        return Ok(cut_off);
    }
    let number = |pragma| connection.pragma_query_value(None, pragma, |row| row.get::<_, i64>(0));
    let (application, version) = (number("application_id")?, number("user_version")?);
    let items: i64 = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    if (application, version, items) == (0, 0, 0) {
        return Ok(None);
    }
    if application != i64::from(APPLICATION) {
        return Err(Looked::Refused(StoreError::Foreign { path: path.to_owned() }));
    }
    if version > known {
        let newer = StoreError::Newer { path: path.to_owned(), found: version, known };
        return Err(Looked::Refused(newer));
    }
    // SQLite reads what is missing of a page as zeros, also where those were somebody's words. With a log it may just
    // have been interrupted, and will complete the page from there.
    if log == 0 && size % u64::try_from(number("page_size")?).unwrap_or(SMALLEST) != 0 {
        return Ok(cut_off);
    }
    let found: String = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
    Ok(if found == "ok" { None } else { Some(found) })
}

/// Moves a database and what belongs to it to a name that nothing has yet.
pub(super) fn set_aside(database: &Path, why: String) -> Result<SetAside, Failure> {
    let failed = |error: std::io::Error| StoreError::Failed {
        why: format!("the damaged database `{}` cannot be set aside: {error}", database.display()),
    };
    let path = free_name(database)?;
    // The log goes first: beside a new database, an old log would be taken for that one's.
    for companion in COMPANIONS {
        match std::fs::rename(beside(database, companion), beside(&path, companion)) {
            Ok(()) => {}
            Err(error) if error.kind() == std::io::ErrorKind::NotFound && !companion.is_empty() => {}
            Err(error) => return Err(failed(error).into()),
        }
    }
    Ok(SetAside { path, why })
}

/// `surefire.db.damaged-20260131-235959`, with a number behind it where that is taken.
fn free_name(database: &Path) -> Result<PathBuf, Failure> {
    // SQLite knows the calendar, so that we need not.
    let calendar = Connection::open_in_memory()?;
    let now: String = calendar.query_row("SELECT strftime('%Y%m%d-%H%M%S', 'now')", [], |row| row.get(0))?;
    let stamped = beside(database, &format!(".damaged-{now}"));
    let taken = |name: &PathBuf| COMPANIONS.iter().any(|it| beside(name, it).exists());
    let (mut name, mut number) = (stamped.clone(), 1_u32);
    while taken(&name) {
        number += 1;
        name = beside(&stamped, &format!("-{number}"));
    }
    Ok(name)
}

/// A file whose name begins with another one's.
pub(super) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(suffix);
    PathBuf::from(name)
}
