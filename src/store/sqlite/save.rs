//! Writing the rows of a commit.

use rusqlite::{Connection, Params, params};
use serde::Serialize;

use super::failure::Failure;
use super::numbers::Numbers;
use super::rows::integer;
use super::texts;
use crate::run::Event;
use crate::store::error::StoreError;
use crate::store::projection::{
    AttemptRow, Projected, PromptRow, RunRow, SessionRow, Upsert, text_of,
};
use crate::store::records::{EventRecord, Message, QueuedPromptRecord, RunRecord};

pub(super) fn save(connection: &Connection, projected: &Projected) -> Result<(), Failure> {
    for session in &projected.forgotten {
        // Foreign keys delete everything that belongs to the session.
        execute(connection, "DELETE FROM sessions WHERE id = ?1", [session.to_string()])?;
    }
    if !projected.forgotten.is_empty() {
        // The last events may belong to a deleted session and not be written.
        let sql = "UPDATE store SET last_place = max(last_place, ?1)";
        execute(connection, sql, [integer(projected.last_global_seq)])?;
        texts::delete_unused(connection)?;
    }
    let mut numbers = Numbers::new(connection);
    for Upsert { row, is_new } in &projected.sessions {
        if *is_new { insert_session(connection, row)? } else { update_session(connection, row)? }
    }
    for Upsert { row, is_new } in &projected.runs {
        if *is_new {
            insert_run(connection, row)?;
        } else {
            update_run(connection, row, resumes(projected, row))?;
        }
    }
    for Upsert { row, is_new } in &projected.attempts {
        if *is_new {
            insert_attempt(connection, &mut numbers, row)?;
        } else {
            update_attempt(connection, row)?;
        }
    }
    for Upsert { row, is_new } in &projected.prompts {
        if *is_new { insert_prompt(connection, row)? } else { update_prompt(connection, row)? }
    }
    if let Some(enabled) = projected.orchestration {
        execute(connection, "UPDATE store SET orchestration = ?1", [enabled])?;
    }
    projected.events().try_for_each(|event| append_event(connection, &mut numbers, event))?;
    projected
        .messages()
        .try_for_each(|message| append_message(connection, &mut numbers, message))?;
    for (session, message) in &projected.undelivered {
        let sql = "UPDATE messages SET delivered = 0 WHERE session = ?1 AND id = ?2";
        execute(connection, sql, (numbers.session(*session)?, message.to_string()))?;
    }
    Ok(())
}

fn insert_session(connection: &Connection, row: &SessionRow) -> Result<(), Failure> {
    let sql = "INSERT INTO sessions (id, name, directory, agent, system_prompt, created_at, changed_at, messages, \
               last_message_at, opened, orchestration, commits) \
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)";
    let session = &row.session;
    let values = params![
        session.id.to_string(),
        session.name,
        text_of(&session.directory)?,
        session.agent,
        session.system_prompt,
        integer(session.created_at),
        integer(session.changed_at),
        integer(session.messages),
        integer(row.last_message_at),
        session.opened,
        row.orchestration,
        integer(session.commits),
    ];
    execute(connection, sql, values).map(drop)
}

fn update_session(connection: &Connection, row: &SessionRow) -> Result<(), Failure> {
    let sql = "UPDATE sessions SET changed_at = ?2, messages = ?3, last_message_at = ?4, opened = ?5, \
               orchestration = ?6, commits = ?7 WHERE id = ?1";
    let session = &row.session;
    let values = params![
        session.id.to_string(),
        integer(session.changed_at),
        integer(session.messages),
        integer(row.last_message_at),
        session.opened,
        row.orchestration,
        integer(session.commits),
    ];
    execute(connection, sql, values).map(drop)
}

fn insert_run(connection: &Connection, row: &RunRow) -> Result<(), Failure> {
    let sql = "INSERT INTO runs (id, session, recipe, directory, agent, rehearsal, continues, started_at, changed_at, \
               step, steps, last_seq, cost_usd, attempt, ended_at, reason, resume_at, ending) \
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18)";
    let run = &row.record;
    let ended = Ended::of(run)?;
    let values = params![
        run.id.to_string(),
        run.session.to_string(),
        run.recipe,
        text_of(&run.directory)?,
        run.agent,
        run.rehearsal,
        run.continues.map(|run| run.to_string()),
        integer(run.started_at),
        integer(run.changed_at),
        run.step,
        run.steps,
        integer(run.last_seq),
        run.cost_usd,
        row.attempt.map(|attempt| attempt.to_string()),
        ended.at,
        ended.reason,
        ended.resume_at,
        ended.ending,
    ];
    execute(connection, sql, values).map(drop)
}

fn update_run(connection: &Connection, row: &RunRow, resumed: bool) -> Result<(), Failure> {
    let run = &row.record;
    let (id, changed_at, last_seq) =
        (run.id.to_string(), integer(run.changed_at), integer(run.last_seq));
    let attempt = row.attempt.map(|attempt| attempt.to_string());
    if run.ending.is_none() && !resumed {
        // The common case: the columns of the end are indexed, so leave them untouched.
        let sql = "UPDATE runs SET changed_at = ?2, step = ?3, steps = ?4, last_seq = ?5, cost_usd = ?6, \
                   attempt = ?7 WHERE id = ?1";
        let values = (id, changed_at, &run.step, run.steps, last_seq, run.cost_usd, attempt);
        return execute(connection, sql, values).map(drop);
    }
    let sql = "UPDATE runs SET changed_at = ?2, step = ?3, steps = ?4, last_seq = ?5, cost_usd = ?6, attempt = ?7, \
               ended_at = ?8, reason = ?9, resume_at = ?10, ending = ?11 WHERE id = ?1";
    let Ended { at, reason, resume_at, ending } = Ended::of(run)?;
    let values = (
        id,
        changed_at,
        &run.step,
        run.steps,
        last_seq,
        run.cost_usd,
        attempt,
        at,
        reason,
        resume_at,
        ending,
    );
    execute(connection, sql, values).map(drop)
}

/// Whether a run that had ended may be open again.
fn resumes(projected: &Projected, row: &RunRow) -> bool {
    let mut events = projected.events().filter(|it| it.run == row.record.id);
    events.any(|it| matches!(it.event, Event::Resumed { .. }))
}

/// The columns of a run that are empty until it has ended.
struct Ended<'r> {
    at: Option<i64>,
    reason: Option<&'r str>,
    resume_at: Option<i64>,
    ending: Option<String>,
}

impl<'r> Ended<'r> {
    fn of(run: &'r RunRecord) -> Result<Self, StoreError> {
        let ending = run.ending.as_ref();
        Ok(Self {
            // A run does not change after its end, so its last change is its end.
            at: ending.map(|_| integer(run.changed_at)),
            reason: ending.map(|ending| ending.reason.as_str()),
            resume_at: ending.and_then(|ending| ending.resume_at).map(integer),
            ending: ending.map(json).transpose()?,
        })
    }
}

fn insert_attempt(
    connection: &Connection,
    numbers: &mut Numbers<'_>,
    row: &AttemptRow,
) -> Result<(), Failure> {
    let sql = "INSERT INTO attempts (id, run, session, prompt, began_at, pid, process_started, chat_ended) \
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
    let values = params![
        row.id.to_string(),
        row.run.map(|run| numbers.run(run)).transpose()?,
        numbers.session(row.session)?,
        row.prompt.map(|prompt| prompt.to_string()),
        integer(row.began_at),
        row.process.as_ref().map(|process| process.pid),
        row.process.as_ref().map(|process| &process.started),
        row.chat_ended,
    ];
    execute(connection, sql, values).map(drop)
}

fn update_attempt(connection: &Connection, row: &AttemptRow) -> Result<(), Failure> {
    let sql = "UPDATE attempts SET pid = ?2, process_started = ?3, chat_ended = ?4 WHERE id = ?1";
    let (pid, started) =
        row.process.as_ref().map(|process| (process.pid, &process.started)).unzip();
    execute(connection, sql, (row.id.to_string(), pid, started, row.chat_ended)).map(drop)
}

fn insert_prompt(connection: &Connection, row: &PromptRow) -> Result<(), Failure> {
    let sql = "INSERT INTO prompts (id, session, run, text, at, again, taken) \
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
    // The database assigns its number.
    let QueuedPromptRecord { prompt, text, at, again, number: _ } = &row.record;
    let (id, session, run) =
        (prompt.to_string(), row.session.to_string(), row.run.map(|run| run.to_string()));
    let values = (id, session, run, text, integer(*at), again, row.taken);
    execute(connection, sql, values).map(drop)
}

fn update_prompt(connection: &Connection, row: &PromptRow) -> Result<(), Failure> {
    let sql = "UPDATE prompts SET run = ?2, again = ?3, taken = ?4 WHERE id = ?1";
    let (id, run) = (row.record.prompt.to_string(), row.run.map(|run| run.to_string()));
    execute(connection, sql, (id, run, row.record.again, row.taken)).map(drop)
}

fn append_event(
    connection: &Connection,
    numbers: &mut Numbers<'_>,
    it: &EventRecord,
) -> Result<(), Failure> {
    let sql =
        "INSERT INTO events (place, run, seq, at, event, body) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    let (run, event, body) = (numbers.run(it.run)?, it.event.name(), json(&it.event)?);
    let values = (integer(it.global_seq), run, integer(it.seq), integer(it.at), event, body);
    execute(connection, sql, values).map(drop)
}

fn append_message(
    connection: &Connection,
    numbers: &mut Numbers<'_>,
    it: &Message,
) -> Result<(), Failure> {
    let sql = "INSERT INTO messages (session, \"offset\", id, role, text, said, at, attempt, run) \
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
    let (session, id, role) =
        (numbers.session(it.session)?, it.id.to_string(), it.role.to_string());
    let said = texts::number_of(connection, it)?;
    let text = said.is_none().then_some(&it.text);
    let (attempt, run) = (it.attempt.map(|id| id.to_string()), it.run.map(|id| id.to_string()));
    let values = (session, integer(it.offset), id, role, text, said, integer(it.at), attempt, run);
    execute(connection, sql, values).map(drop)
}

/// Executes a statement. Returns how many rows it changed.
pub(super) fn execute(
    connection: &Connection,
    sql: &str,
    values: impl Params,
) -> Result<usize, Failure> {
    Ok(connection.prepare_cached(sql)?.execute(values)?)
}

fn json(value: &impl Serialize) -> Result<String, StoreError> {
    serde_json::to_string(value).map_err(|error| StoreError::Failed { why: error.to_string() })
}
