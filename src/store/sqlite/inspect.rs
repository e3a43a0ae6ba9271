//! Inspecting a whole store: which runs are quarantined, and which rows cannot be read.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OpenFlags, Row};

use super::database::{self, DATABASE};
use super::failure::{Failure, is_unreadable};
use super::migrate::{self, MIGRATIONS};
use super::readable::key;
use super::rows::{
    self, ATTEMPT, ATTEMPTS, MESSAGE, MESSAGES, QUEUED_PROMPT, RECORDED, RUN, SESSION,
};
use super::{damage, files};
use crate::run::RunId;
use crate::store::{Quarantined, StoreError};

/// How many are listed. A store with more needs another remedy than a list.
const MAX_LISTED: usize = 1000;

/// Inspects a store that a server may have open, without changing it. `None` if an earlier version
/// wrote it: the next server migrates it, and it can be inspected after that.
pub(super) fn inspect(data_dir: &Path) -> Result<Option<Vec<Quarantined>>, Failure> {
    let path = data_dir.join(DATABASE);
    files::check(&path)?;
    let connection = open_to_inspect(&path)?;
    let known = migrate::version(MIGRATIONS);
    if let Some(why) = damage::examine(&connection, &path, known)? {
        return Err(StoreError::Damaged { what: why }.into());
    }
    let version: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    if version < known { Ok(None) } else { list(&connection).map(Some) }
}

/// Opens a database for inspection. If no server has it open, it is opened as immutable: otherwise
/// SQLite would create a log for a moment.
fn open_to_inspect(path: &Path) -> Result<Connection, Failure> {
    let is_idle = std::fs::metadata(damage::beside(path, "-wal"))
        .map_or(true, |log| log.len() == 0)
        && !damage::beside(path, "-shm").exists();
    if !is_idle {
        return reader(path);
    }
    let real = database::real(path);
    let encoded: String =
        real.as_os_str().as_encoded_bytes().iter().map(|byte| encode(*byte)).collect();
    let uri = PathBuf::from(format!("file:{encoded}?immutable=1"));
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
    Ok(Connection::open_with_flags(
        uri,
        flags | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_NOFOLLOW,
    )?)
}

/// Percent-encodes a byte of a path.
fn encode(byte: u8) -> String {
    match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' => {
            char::from(byte).to_string()
        }
        other => format!("%{other:02X}"),
    }
}

/// A read-only connection to a database that a server has open.
pub(super) fn reader(path: &Path) -> Result<Connection, Failure> {
    database::connect(path, OpenFlags::SQLITE_OPEN_READ_ONLY)
}

/// The quarantined runs and the unreadable rows.
pub(super) fn list(connection: &Connection) -> Result<Vec<Quarantined>, Failure> {
    let mut found = Found::default();
    let sql = "SELECT CAST(id AS BLOB), set_aside, number FROM runs WHERE set_aside IS NOT NULL ORDER BY number";
    let mut statement = connection.prepare(sql)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let id = String::from_utf8_lossy(&row.get::<_, Vec<u8>>(0)?).into_owned();
        found.add("runs", Some(&id), &key(row)?, row.get(1)?);
        found.quarantined.insert(id);
    }
    // The last two columns are the run and the row's key.
    let runs = format!(
        "SELECT {RUN}, CAST(id AS BLOB), number FROM runs WHERE set_aside IS NULL ORDER BY number"
    );
    found.scan(connection, "runs", &runs, |row| rows::run(row).map(drop))?;
    let events = format!(
        "SELECT {RECORDED}, CAST(runs.id AS BLOB), events.place \
         FROM events CROSS JOIN runs ON runs.number = events.run ORDER BY events.place"
    );
    found.scan(connection, "events", &events, |row| rows::recorded(row).map(drop))?;
    let attempts = format!("SELECT {ATTEMPT}, CAST(runs.id AS BLOB), attempts.id FROM {ATTEMPTS}");
    found.scan(connection, "attempts", &attempts, |row| rows::attempt(row).map(drop))?;
    let sessions = format!("SELECT {SESSION}, NULL, number FROM sessions ORDER BY number");
    found.scan(connection, "sessions", &sessions, |row| rows::session(row).map(drop))?;
    let messages = format!(
        "SELECT {MESSAGE}, CAST(messages.run AS BLOB), messages.number FROM {MESSAGES} ORDER BY messages.number"
    );
    found.scan(connection, "messages", &messages, |row| rows::message(row).map(drop))?;
    let prompts =
        format!("SELECT {QUEUED_PROMPT}, CAST(run AS BLOB), number FROM prompts ORDER BY number");
    found.scan(connection, "prompts", &prompts, |row| rows::queued_prompt(row).map(drop))?;
    Ok(found.list)
}

#[derive(Default)]
struct Found {
    quarantined: HashSet<String>,
    /// The tables and runs in the list: each pair is listed once, even if many of its rows cannot
    /// be read.
    named: HashSet<(&'static str, String)>,
    list: Vec<Quarantined>,
}

impl Found {
    /// Reads all rows of a table, whose last two columns are its run and its key.
    fn scan(
        &mut self,
        connection: &Connection,
        table: &'static str,
        sql: &str,
        read: impl Fn(&Row<'_>) -> rusqlite::Result<()>,
    ) -> Result<(), Failure> {
        let mut statement = connection.prepare(sql)?;
        let run = statement.column_count().saturating_sub(2);
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            match read(row) {
                Ok(()) => {}
                Err(error) if is_unreadable(&error) => {
                    let id = row.get::<_, Option<Vec<u8>>>(run)?;
                    let id = id.map(|id| String::from_utf8_lossy(&id).into_owned());
                    self.add(table, id.as_deref(), &key(row)?, error.to_string());
                }
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    fn add(&mut self, table: &'static str, run: Option<&str>, key: &str, why: String) {
        let known = run.is_some_and(|run| {
            self.quarantined.contains(run) || !self.named.insert((table, run.to_owned()))
        });
        if !known && self.list.len() < MAX_LISTED {
            let run = run.and_then(|run| run.parse::<RunId>().ok());
            self.list.push(Quarantined { run, row: format!("{table} {key}"), why });
        }
    }
}
