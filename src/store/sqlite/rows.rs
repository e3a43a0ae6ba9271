//! Rows and what they stand for.

use std::path::PathBuf;
use std::str::FromStr;

use rusqlite::Row;
use rusqlite::types::Type;
use serde::de::DeserializeOwned;

use crate::store::upkeep::set_aside_ending;
use crate::store::{Attempt, Message, Process, Recorded, RunRecord, Session, Waiting};

/// The columns of a session, in the order that [`session`] reads them.
pub(super) const SESSION: &str = "id, name, directory, agent, system_prompt, created_at, changed_at, messages, opened, \
     (SELECT runs.id FROM runs WHERE runs.session = sessions.id AND runs.ended_at IS NULL)";

pub(super) fn session(row: &Row<'_>) -> rusqlite::Result<Session> {
    Ok(Session {
        id: parsed(row, 0)?,
        name: row.get(1)?,
        directory: path(row, 2)?,
        agent: row.get(3)?,
        system_prompt: row.get(4)?,
        created_at: number(row, 5)?,
        changed_at: number(row, 6)?,
        messages: number(row, 7)?,
        opened: row.get(8)?,
        run: parsed_if_any(row, 9)?,
    })
}

/// The columns of a message, in the order that [`message`] reads them.
pub(super) const MESSAGE: &str = "session, \"offset\", id, role, text, at, attempt, run";

pub(super) fn message(row: &Row<'_>) -> rusqlite::Result<Message> {
    Ok(Message {
        session: parsed(row, 0)?,
        offset: number(row, 1)?,
        id: parsed(row, 2)?,
        role: parsed(row, 3)?,
        text: row.get(4)?,
        at: number(row, 5)?,
        attempt: parsed_if_any(row, 6)?,
        run: parsed_if_any(row, 7)?,
    })
}

/// The columns of a run, in the order that [`run`] reads them.
pub(super) const RUN: &str = "id, session, recipe, directory, agent, rehearsal, continues, started_at, changed_at, \
     step, steps, last_seq, cost_usd, ending, set_aside";

pub(super) fn run(row: &Row<'_>) -> rusqlite::Result<RunRecord> {
    let (step, steps, rehearsal): (String, u32, bool) = (row.get(9)?, row.get(10)?, row.get(5)?);
    let ending = match row.get::<_, Option<String>>(14)? {
        // Whatever is in its `ending`: that may be what cannot be read.
        Some(why) => Some(set_aside_ending(&why, &step, steps, rehearsal)),
        None if row.get_ref(13)?.data_type() == Type::Null => None,
        None => Some(json(row, 13)?),
    };
    Ok(RunRecord {
        id: parsed(row, 0)?,
        session: parsed(row, 1)?,
        recipe: row.get(2)?,
        directory: path(row, 3)?,
        agent: row.get(4)?,
        rehearsal,
        continues: parsed_if_any(row, 6)?,
        started_at: number(row, 7)?,
        changed_at: number(row, 8)?,
        step,
        steps,
        last_seq: number(row, 11)?,
        cost_usd: row.get(12)?,
        ending,
    })
}

/// The columns of an event, in the order that [`recorded`] reads them.
pub(super) const RECORDED: &str =
    "events.place, events.run, runs.session, events.seq, events.at, events.body";

pub(super) fn recorded(row: &Row<'_>) -> rusqlite::Result<Recorded> {
    Ok(Recorded {
        place: number(row, 0)?,
        run: parsed(row, 1)?,
        session: parsed(row, 2)?,
        seq: number(row, 3)?,
        at: number(row, 4)?,
        event: json(row, 5)?,
    })
}

/// The columns of an attempt, in the order that [`attempt`] reads them.
pub(super) const ATTEMPT: &str = "id, run, session, prompt, began_at, pid, process_started, \
     CASE WHEN run IS NULL THEN chat_ended \
     ELSE NOT EXISTS (SELECT 1 FROM runs WHERE runs.id = attempts.run AND runs.attempt = attempts.id) END";

pub(super) fn attempt(row: &Row<'_>) -> rusqlite::Result<Attempt> {
    let process: (Option<i32>, Option<String>) = (row.get(5)?, row.get(6)?);
    Ok(Attempt {
        id: parsed(row, 0)?,
        run: parsed_if_any(row, 1)?,
        session: parsed(row, 2)?,
        prompt: parsed_if_any(row, 3)?,
        began_at: number(row, 4)?,
        process: match process {
            (Some(pid), Some(started)) => Some(Process { pid, started }),
            (Some(_) | None, _) => None,
        },
        ended: row.get(7)?,
    })
}

/// The columns of a prompt, in the order that [`waiting`] reads them.
pub(super) const WAITING: &str = "id, text, at";

pub(super) fn waiting(row: &Row<'_>) -> rusqlite::Result<Waiting> {
    Ok(Waiting { prompt: parsed(row, 0)?, text: row.get(1)?, at: number(row, 2)? })
}

/// A count or a time, as SQLite keeps it. What is beyond its range stands for "the last there can be".
pub(super) fn integer(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// How many rows to read at most.
pub(super) fn limit(rows: usize) -> i64 {
    i64::try_from(rows).unwrap_or(i64::MAX)
}

pub(super) fn number(row: &Row<'_>, column: usize) -> rusqlite::Result<u64> {
    let number: i64 = row.get(column)?;
    u64::try_from(number).map_err(|error| unreadable(column, Type::Integer, error))
}

pub(super) fn parsed<T>(row: &Row<'_>, column: usize) -> rusqlite::Result<T>
where
    T: FromStr<Err: std::error::Error + Send + Sync + 'static>,
{
    let text: String = row.get(column)?;
    text.parse().map_err(|error| unreadable(column, Type::Text, error))
}

pub(super) fn parsed_if_any<T>(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<T>>
where
    T: FromStr<Err: std::error::Error + Send + Sync + 'static>,
{
    if row.get_ref(column)?.data_type() == Type::Null { Ok(None) } else { parsed(row, column).map(Some) }
}

fn path(row: &Row<'_>, column: usize) -> rusqlite::Result<PathBuf> {
    Ok(PathBuf::from(row.get::<_, String>(column)?))
}

fn json<T: DeserializeOwned>(row: &Row<'_>, column: usize) -> rusqlite::Result<T> {
    let text: String = row.get(column)?;
    serde_json::from_str(&text).map_err(|error| unreadable(column, Type::Text, error))
}

fn unreadable(
    column: usize,
    kind: Type,
    error: impl std::error::Error + Send + Sync + 'static,
) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(column, kind, Box::new(error))
}
