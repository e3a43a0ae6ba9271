//! Reading records.

use rusqlite::{Connection, OptionalExtension, Params, Row, ToSql};

use super::failure::Failure;
use super::readable::{List, Skipped};
use super::rows::{
    self, ATTEMPT, ATTEMPTS, MESSAGE, MESSAGES, QUEUED_PROMPT, RECORDED, RUN, SESSION, integer,
};
use crate::run::{AttemptId, PromptId, RunId, SessionId};
use crate::store::projection::missing;
use crate::store::{
    Attempt, EventRecord, Message, QueuedPromptRecord, Role, RunFilter, RunRecord, SessionRecord,
};

pub(super) fn session(
    connection: &Connection,
    id: SessionId,
) -> Result<Option<SessionRecord>, Failure> {
    let sql = format!("SELECT {SESSION} FROM sessions WHERE id = ?1");
    one(connection, &sql, [id.to_string()], rows::session)
}

pub(super) fn sessions(
    connection: &Connection,
    skipped: &Skipped,
    limit: usize,
) -> Result<Vec<SessionRecord>, Failure> {
    let sql = format!(
        "SELECT {SESSION}, number FROM sessions ORDER BY changed_at DESC, number DESC LIMIT ?1"
    );
    List { table: "sessions", sql: &sql, values: &[], limit }.read(
        connection,
        skipped,
        rows::session,
    )
}

pub(super) fn sessions_before(
    connection: &Connection,
    skipped: &Skipped,
    before: &SessionRecord,
    limit: usize,
) -> Result<Vec<SessionRecord>, Failure> {
    // By the time in the caller's record: the session may have moved to the top since.
    let (id, changed_at) = (before.id.to_string(), integer(before.changed_at));
    let number: Option<i64> =
        one(connection, "SELECT number FROM sessions WHERE id = ?1", [&id], |row| row.get(0))?;
    let number = number.ok_or_else(|| missing("session", &id))?;
    let sql = format!(
        "SELECT {SESSION}, number FROM sessions WHERE (changed_at, number) < (?1, ?2) \
         ORDER BY changed_at DESC, number DESC LIMIT ?3"
    );
    List { table: "sessions", sql: &sql, values: &[&changed_at, &number], limit }.read(
        connection,
        skipped,
        rows::session,
    )
}

pub(super) fn session_count(connection: &Connection) -> Result<u64, Failure> {
    Ok(connection.query_row("SELECT count(*) FROM sessions", [], |row| rows::number(row, 0))?)
}

/// The number of the session whose id is the first parameter. SQLite evaluates it first, and then
/// reads the messages in index order.
const SESSION_NUMBER: &str = "(SELECT number FROM sessions WHERE id = ?1)";

pub(super) fn messages(
    connection: &Connection,
    skipped: &Skipped,
    session: SessionId,
    from: u64,
    limit: usize,
) -> Result<Vec<Message>, Failure> {
    let sql = format!(
        "SELECT {MESSAGE}, messages.number FROM {MESSAGES} \
         WHERE messages.session = {SESSION_NUMBER} AND messages.\"offset\" >= ?2 \
         ORDER BY messages.\"offset\" LIMIT ?3"
    );
    let (session, from) = (session.to_string(), integer(from));
    List { table: "messages", sql: &sql, values: &[&session, &from], limit }.read(
        connection,
        skipped,
        rows::message,
    )
}

pub(super) fn passages(
    connection: &Connection,
    skipped: &Skipped,
    session: SessionId,
    attempt: AttemptId,
    from: u64,
    limit: usize,
) -> Result<Vec<Message>, Failure> {
    let sql = format!(
        "SELECT {MESSAGE}, messages.number FROM {MESSAGES} \
         WHERE messages.session = {SESSION_NUMBER} AND messages.\"offset\" >= ?2 \
         AND messages.attempt = ?3 AND messages.role = ?4 ORDER BY messages.\"offset\" LIMIT ?5"
    );
    let (session, attempt, role) =
        (session.to_string(), attempt.to_string(), Role::Assistant.to_string());
    let from = integer(from);
    List { table: "messages", sql: &sql, values: &[&session, &from, &attempt, &role], limit }.read(
        connection,
        skipped,
        rows::message,
    )
}

pub(super) fn run(connection: &Connection, id: RunId) -> Result<Option<RunRecord>, Failure> {
    one(connection, &format!("SELECT {RUN} FROM runs WHERE id = ?1"), [id.to_string()], rows::run)
}

pub(super) fn runs(
    connection: &Connection,
    skipped: &Skipped,
    filter: &RunFilter,
) -> Result<Vec<RunRecord>, Failure> {
    let before = filter.before.map(|run| number_of(connection, run)).transpose()?;
    let session = filter.session.map(|session| session.to_string());
    // A range instead of LIKE: it needs no escaping, and an index can serve it. The upper bound is
    // the prefix followed by the last Unicode character.
    let ids = filter.id_prefix.as_ref().map(|prefix| (prefix, format!("{prefix}{}", char::MAX)));
    let mut values: Vec<&dyn ToSql> = Vec::new();
    // Only the requested conditions become part of the statement, so that an index can serve it.
    let mut sql = format!("SELECT {RUN}, number FROM runs WHERE true");
    if let Some(before) = &before {
        sql.push_str(" AND number < ?");
        values.push(before);
    }
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
    let limit = filter.limit.unwrap_or(usize::MAX);
    List { table: "runs", sql: &sql, values: &values, limit }.read(connection, skipped, rows::run)
}

/// The row number of a run.
fn number_of(connection: &Connection, run: RunId) -> Result<i64, Failure> {
    let number =
        one(connection, "SELECT number FROM runs WHERE id = ?1", [run.to_string()], |row| {
            row.get(0)
        })?;
    number.ok_or_else(|| missing("run", &run).into())
}

pub(super) fn events(
    connection: &Connection,
    run: RunId,
    after: u64,
    limit: usize,
) -> Result<Vec<EventRecord>, Failure> {
    let sql = format!(
        "SELECT {RECORDED} FROM events JOIN runs ON runs.number = events.run \
         WHERE runs.id = ?1 AND events.seq > ?2 ORDER BY events.seq LIMIT ?3"
    );
    all(connection, &sql, (run.to_string(), integer(after), rows::limit(limit)), rows::recorded)
}

pub(super) fn events_of_all(
    connection: &Connection,
    skipped: &Skipped,
    after: u64,
    limit: usize,
) -> Result<Vec<EventRecord>, Failure> {
    // CROSS JOIN keeps SQLite from starting with the runs and sorting all events.
    let sql = format!(
        "SELECT {RECORDED}, events.place FROM events CROSS JOIN runs ON runs.number = events.run \
         WHERE events.place > ?1 ORDER BY events.place LIMIT ?2"
    );
    let after = integer(after);
    List { table: "events", sql: &sql, values: &[&after], limit }.read(
        connection,
        skipped,
        rows::recorded,
    )
}

pub(super) fn last_global_seq(connection: &Connection) -> Result<u64, Failure> {
    // Not just the largest remaining one: numbers are never reused, even if their events were
    // pruned.
    let sql = "SELECT max(last_place, coalesce((SELECT max(place) FROM events), 0)) FROM store";
    Ok(one(connection, sql, [], |row| rows::number(row, 0))?.unwrap_or(0))
}

pub(super) fn attempt(connection: &Connection, id: AttemptId) -> Result<Option<Attempt>, Failure> {
    let sql = format!("SELECT {ATTEMPT} FROM {ATTEMPTS} WHERE attempts.id = ?1");
    one(connection, &sql, [id.to_string()], rows::attempt)
}

pub(super) fn open_attempts(
    connection: &Connection,
    skipped: &Skipped,
) -> Result<Vec<Attempt>, Failure> {
    let sql = format!(
        "SELECT {ATTEMPT}, attempts.id AS key FROM {ATTEMPTS} \
         WHERE attempts.id IN (SELECT attempt FROM runs WHERE ended_at IS NULL) \
         UNION ALL SELECT {ATTEMPT}, attempts.id AS key FROM {ATTEMPTS} \
         WHERE attempts.run IS NULL AND attempts.chat_ended = 0 \
         ORDER BY began_at, key LIMIT ?1"
    );
    List { table: "attempts", sql: &sql, values: &[], limit: usize::MAX }.read(
        connection,
        skipped,
        rows::attempt,
    )
}

pub(super) fn queued_prompts(
    connection: &Connection,
    skipped: &Skipped,
    session: SessionId,
) -> Result<Vec<QueuedPromptRecord>, Failure> {
    let sql = format!(
        "SELECT {QUEUED_PROMPT}, number FROM prompts WHERE session = ?1 AND taken = 0 ORDER BY number LIMIT ?2"
    );
    let session = session.to_string();
    List { table: "prompts", sql: &sql, values: &[&session], limit: usize::MAX }.read(
        connection,
        skipped,
        rows::queued_prompt,
    )
}

pub(super) fn sessions_with_queued_prompts(
    connection: &Connection,
    skipped: &Skipped,
) -> Result<Vec<SessionId>, Failure> {
    // Only the session's id can be unreadable here, so it serves as the row's key.
    let sql = "SELECT DISTINCT session, session AS key FROM prompts WHERE taken = 0 ORDER BY session LIMIT ?1";
    let list = List { table: "prompts in session", sql, values: &[], limit: usize::MAX };
    list.read(connection, skipped, |row| rows::parsed(row, 0))
}

pub(super) fn prompt(
    connection: &Connection,
    id: PromptId,
) -> Result<Option<QueuedPromptRecord>, Failure> {
    let sql = format!("SELECT {QUEUED_PROMPT} FROM prompts WHERE id = ?1");
    one(connection, &sql, [id.to_string()], rows::queued_prompt)
}

pub(super) fn orchestration(
    connection: &Connection,
    session: Option<SessionId>,
) -> Result<bool, Failure> {
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

/// All rows, or the error of the first unreadable one.
fn all<T>(
    connection: &Connection,
    sql: &str,
    values: impl Params,
    read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
) -> Result<Vec<T>, Failure> {
    Ok(connection.prepare_cached(sql)?.query_map(values, read)?.collect::<Result<_, _>>()?)
}
