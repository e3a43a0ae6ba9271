//! Converting rows to records.

use std::path::PathBuf;
use std::str::FromStr;

use rusqlite::Row;
use rusqlite::types::Type;
use serde::de::DeserializeOwned;

use crate::session::ProcessRecord;
use crate::store::records::{
    Attempt, EventRecord, Message, QueuedPromptRecord, RunRecord, SessionRecord,
};
use crate::store::upkeep::quarantined_ending;

/// The columns of a session, in the order that [`session`] reads them.
pub(super) const SESSION: &str = "sessions.id, sessions.name, sessions.directory, sessions.agent, \
     sessions.system_prompt, sessions.created_at, sessions.changed_at, sessions.messages, sessions.commits, \
     sessions.opened, \
     (SELECT runs.id FROM runs WHERE runs.session = sessions.id AND runs.ended_at IS NULL)";
pub(super) const SESSION_WIDTH: usize = 11;

pub(super) fn session(row: &Row<'_>) -> rusqlite::Result<SessionRecord> {
    session_from(row, 0)
}

/// A session whose columns begin with this one.
pub(super) fn session_from(row: &Row<'_>, first: usize) -> rusqlite::Result<SessionRecord> {
    Ok(SessionRecord {
        id: parsed(row, first)?,
        name: row.get(first + 1)?,
        directory: path(row, first + 2)?,
        agent: row.get(first + 3)?,
        system_prompt: row.get(first + 4)?,
        created_at: number(row, first + 5)?,
        changed_at: number(row, first + 6)?,
        messages: number(row, first + 7)?,
        commits: number(row, first + 8)?,
        opened: row.get(first + 9)?,
        run: parsed_if_any(row, first + 10)?,
    })
}

/// The columns of a message, in the order that [`message`] reads them.
pub(super) const MESSAGE: &str = "sessions.id, messages.\"offset\", messages.id, messages.role, \
     coalesce(messages.text, texts.text), messages.at, messages.attempt, messages.run, messages.delivered";
/// The tables they come from.
pub(super) const MESSAGES: &str = "messages CROSS JOIN sessions ON sessions.number = messages.session \
     LEFT JOIN texts ON texts.number = messages.said";

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
        delivered: row.get(8)?,
    })
}

/// The columns of a run, in the order that [`run`] reads them.
pub(super) const RUN: &str = "runs.id, runs.session, runs.recipe, runs.directory, runs.agent, runs.rehearsal, \
     runs.continues, runs.started_at, runs.changed_at, runs.step, runs.steps, runs.last_seq, runs.cost_usd, \
     runs.ending, runs.set_aside";
pub(super) const RUN_WIDTH: usize = 15;

pub(super) fn run(row: &Row<'_>) -> rusqlite::Result<RunRecord> {
    run_from(row, 0)
}

/// A run whose columns begin with this one.
pub(super) fn run_from(row: &Row<'_>, first: usize) -> rusqlite::Result<RunRecord> {
    let (step, steps): (String, u32) = (row.get(first + 9)?, row.get(first + 10)?);
    let rehearsal = row.get(first + 5)?;
    let ending = match row.get::<_, Option<String>>(first + 14)? {
        // Do not read its `ending`: that may be the unreadable part.
        Some(why) => Some(quarantined_ending(&why, &step, steps, rehearsal)),
        None if row.get_ref(first + 13)?.data_type() == Type::Null => None,
        None => Some(json(row, first + 13)?),
    };
    Ok(RunRecord {
        id: parsed(row, first)?,
        session: parsed(row, first + 1)?,
        recipe: row.get(first + 2)?,
        directory: path(row, first + 3)?,
        agent: row.get(first + 4)?,
        rehearsal,
        continues: parsed_if_any(row, first + 6)?,
        started_at: number(row, first + 7)?,
        changed_at: number(row, first + 8)?,
        step,
        steps,
        last_seq: number(row, first + 11)?,
        cost_usd: row.get(first + 12)?,
        ending,
    })
}

/// The columns of an event, in the order that [`recorded`] reads them.
pub(super) const RECORDED: &str =
    "events.place, runs.id, runs.session, events.seq, events.at, events.body";

pub(super) fn recorded(row: &Row<'_>) -> rusqlite::Result<EventRecord> {
    Ok(EventRecord {
        global_seq: number(row, 0)?,
        run: parsed(row, 1)?,
        session: parsed(row, 2)?,
        seq: number(row, 3)?,
        at: number(row, 4)?,
        event: json(row, 5)?,
    })
}

/// The columns of an attempt, in the order that [`attempt`] reads them.
pub(super) const ATTEMPT: &str = "attempts.id, runs.id, sessions.id, attempts.prompt, attempts.began_at, \
     attempts.pid, attempts.process_started, \
     CASE WHEN attempts.run IS NULL THEN attempts.chat_ended ELSE runs.attempt IS NOT attempts.id END";
/// The tables they come from.
pub(super) const ATTEMPTS: &str = "attempts CROSS JOIN sessions ON sessions.number = attempts.session \
     LEFT JOIN runs ON runs.number = attempts.run";

pub(super) fn attempt(row: &Row<'_>) -> rusqlite::Result<Attempt> {
    Ok(Attempt {
        id: parsed(row, 0)?,
        run: parsed_if_any(row, 1)?,
        session: parsed(row, 2)?,
        prompt: parsed_if_any(row, 3)?,
        began_at: number(row, 4)?,
        process: process(row, 5)?,
        ended: row.get(7)?,
    })
}

/// A process whose columns begin with this one.
pub(super) fn process(row: &Row<'_>, first: usize) -> rusqlite::Result<Option<ProcessRecord>> {
    let process: (Option<i32>, Option<String>) = (row.get(first)?, row.get(first + 1)?);
    Ok(match process {
        (Some(pid), Some(started)) => Some(ProcessRecord { pid, started }),
        (Some(_) | None, _) => None,
    })
}

/// The columns of a prompt, in the order that [`queued_prompt`] reads them.
pub(super) const QUEUED_PROMPT: &str = "id, text, at, again, number";

pub(super) fn queued_prompt(row: &Row<'_>) -> rusqlite::Result<QueuedPromptRecord> {
    Ok(QueuedPromptRecord {
        prompt: parsed(row, 0)?,
        text: row.get(1)?,
        at: number(row, 2)?,
        again: row.get(3)?,
        number: number(row, 4)?,
    })
}

/// A count or a time as SQLite stores it. Larger values saturate.
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
    if row.get_ref(column)?.data_type() == Type::Null {
        Ok(None)
    } else {
        parsed(row, column).map(Some)
    }
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
