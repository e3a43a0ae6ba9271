//! What is read back.

use rusqlite::{Connection, OptionalExtension, Params, Row, ToSql};

use super::failure::Failure;
use super::rows::{self, ATTEMPT, MESSAGE, RECORDED, RUN, SESSION, WAITING, integer};
use crate::run::{AttemptId, PromptId, RunId, SessionId};
use crate::store::{Attempt, Message, Recorded, Role, RunFilter, RunRecord, Session, Waiting};

pub(super) fn session(connection: &Connection, id: SessionId) -> Result<Option<Session>, Failure> {
    let sql = format!("SELECT {SESSION} FROM sessions WHERE id = ?1");
    one(connection, &sql, [id.to_string()], rows::session)
}

pub(super) fn sessions(connection: &Connection, limit: usize) -> Result<Vec<Session>, Failure> {
    let sql = format!("SELECT {SESSION} FROM sessions ORDER BY changed_at DESC, number DESC LIMIT ?1");
    all(connection, &sql, [rows::limit(limit)], rows::session)
}

pub(super) fn session_count(connection: &Connection) -> Result<u64, Failure> {
    Ok(connection.query_row("SELECT count(*) FROM sessions", [], |row| rows::number(row, 0))?)
}

pub(super) fn messages(
    connection: &Connection,
    session: SessionId,
    from: u64,
    limit: usize,
) -> Result<Vec<Message>, Failure> {
    let sql = format!(
        "SELECT {MESSAGE} FROM messages WHERE session = ?1 AND \"offset\" >= ?2 ORDER BY \"offset\" LIMIT ?3"
    );
    all(connection, &sql, (session.to_string(), integer(from), rows::limit(limit)), rows::message)
}

pub(super) fn passages(
    connection: &Connection,
    session: SessionId,
    attempt: AttemptId,
    from: u64,
    limit: usize,
) -> Result<Vec<Message>, Failure> {
    let sql = format!(
        "SELECT {MESSAGE} FROM messages WHERE session = ?1 AND \"offset\" >= ?2 AND attempt = ?3 AND role = ?4 \
         ORDER BY \"offset\" LIMIT ?5"
    );
    let (session, attempt, role) = (session.to_string(), attempt.to_string(), Role::Assistant.to_string());
    all(connection, &sql, (session, integer(from), attempt, role, rows::limit(limit)), rows::message)
}

pub(super) fn run(connection: &Connection, id: RunId) -> Result<Option<RunRecord>, Failure> {
    one(connection, &format!("SELECT {RUN} FROM runs WHERE id = ?1"), [id.to_string()], rows::run)
}

pub(super) fn runs(connection: &Connection, filter: &RunFilter) -> Result<Vec<RunRecord>, Failure> {
    let session = filter.session.map(|session| session.to_string());
    // A range and not LIKE: nothing in it means anything else, and an index can serve it. Nothing that begins with the prefix
    // comes after the prefix and the last character there is.
    let ids = filter.id_prefix.as_ref().map(|prefix| (prefix, format!("{prefix}{}", char::MAX)));
    let mut values: Vec<&dyn ToSql> = Vec::new();
    // Only what is asked for becomes part of the statement, so that an index can serve it.
    let mut sql = format!("SELECT {RUN} FROM runs WHERE true");
    if let Some(recipe) = &filter.recipe {
        sql.push_str(" AND recipe = ?");
        values.push(recipe);
    }
    if let Some(session) = &session {
        sql.push_str(" AND session = ?");
        values.push(session);
    }
    if let Some((first, last)) = &ids {
        sql.push_str(" AND id BETWEEN ? AND ?");
        values.push(first);
        values.push(last);
    }
    if let Some(reason) = &filter.reason {
        sql.push_str(" AND ? IN (reason, substr(reason, 1, instr(reason, ':') - 1))");
        values.push(reason);
    }
    match filter.open {
        Some(true) => sql.push_str(" AND ended_at IS NULL"),
        Some(false) => sql.push_str(" AND ended_at IS NOT NULL"),
        None => {}
    }
    if filter.resume_due {
        sql.push_str(" AND resume_at IS NOT NULL");
    }
    sql.push_str(" ORDER BY number DESC LIMIT ?");
    let limit = rows::limit(filter.limit.unwrap_or(usize::MAX));
    values.push(&limit);
    all(connection, &sql, values.as_slice(), rows::run)
}

pub(super) fn events(
    connection: &Connection,
    run: RunId,
    after: u64,
    limit: usize,
) -> Result<Vec<Recorded>, Failure> {
    let sql = format!(
        "SELECT {RECORDED} FROM events JOIN runs ON runs.id = events.run \
         WHERE events.run = ?1 AND events.seq > ?2 ORDER BY events.seq LIMIT ?3"
    );
    all(connection, &sql, (run.to_string(), integer(after), rows::limit(limit)), rows::recorded)
}

pub(super) fn events_of_all(
    connection: &Connection,
    after: u64,
    limit: usize,
) -> Result<Vec<Recorded>, Failure> {
    // CROSS JOIN keeps SQLite from beginning with the runs, which would have it sort all events.
    let sql = format!(
        "SELECT {RECORDED} FROM events CROSS JOIN runs ON runs.id = events.run \
         WHERE events.place > ?1 ORDER BY events.place LIMIT ?2"
    );
    all(connection, &sql, (integer(after), rows::limit(limit)), rows::recorded)
}

pub(super) fn last_place(connection: &Connection) -> Result<u64, Failure> {
    // Not the largest one that is left: places are never given out twice, also when their events were pruned.
    let sql = "SELECT max(last_place, coalesce((SELECT max(place) FROM events), 0)) FROM store";
    Ok(one(connection, sql, [], |row| rows::number(row, 0))?.unwrap_or(0))
}

pub(super) fn attempt(connection: &Connection, id: AttemptId) -> Result<Option<Attempt>, Failure> {
    let sql = format!("SELECT {ATTEMPT} FROM attempts WHERE id = ?1");
    one(connection, &sql, [id.to_string()], rows::attempt)
}

pub(super) fn open_attempts(connection: &Connection) -> Result<Vec<Attempt>, Failure> {
    let sql = format!(
        "SELECT {ATTEMPT} FROM attempts WHERE id IN (SELECT attempt FROM runs WHERE ended_at IS NULL) \
         UNION ALL SELECT {ATTEMPT} FROM attempts WHERE run IS NULL AND chat_ended = 0 ORDER BY began_at, id"
    );
    all(connection, &sql, [], rows::attempt)
}

pub(super) fn waiting(connection: &Connection, session: SessionId) -> Result<Vec<Waiting>, Failure> {
    let sql = format!("SELECT {WAITING} FROM prompts WHERE session = ?1 AND taken = 0 ORDER BY number");
    all(connection, &sql, [session.to_string()], rows::waiting)
}

pub(super) fn waiting_sessions(connection: &Connection) -> Result<Vec<SessionId>, Failure> {
    let sql = "SELECT DISTINCT session FROM prompts WHERE taken = 0 ORDER BY session";
    all(connection, sql, [], |row| rows::parsed(row, 0))
}

pub(super) fn prompt(connection: &Connection, id: PromptId) -> Result<Option<Waiting>, Failure> {
    let sql = format!("SELECT {WAITING} FROM prompts WHERE id = ?1");
    one(connection, &sql, [id.to_string()], rows::waiting)
}

pub(super) fn orchestration(connection: &Connection, session: Option<SessionId>) -> Result<bool, Failure> {
    let sql = "SELECT orchestration AND coalesce((SELECT orchestration FROM sessions WHERE id = ?1), true) FROM store";
    let session = session.map(|session| session.to_string());
    Ok(one(connection, sql, [session], |row| row.get(0))?.unwrap_or(true))
}

/// The row, if there is one.
pub(super) fn one<T>(
    connection: &Connection,
    sql: &str,
    values: impl Params,
    read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
) -> Result<Option<T>, Failure> {
    Ok(connection.prepare_cached(sql)?.query_row(values, read).optional()?)
}

fn all<T>(
    connection: &Connection,
    sql: &str,
    values: impl Params,
    read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
) -> Result<Vec<T>, Failure> {
    Ok(connection.prepare_cached(sql)?.query_map(values, read)?.collect::<Result<_, _>>()?)
}
