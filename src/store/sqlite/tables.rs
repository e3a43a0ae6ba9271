//! Reading the rows that a commit affects, in its transaction.

use rusqlite::{Connection, Row};

use super::read::one;
use super::rows::{self, ATTEMPTS, QUEUED_PROMPT, RUN, RUN_WIDTH, SESSION, SESSION_WIDTH};
use crate::run::{AttemptId, PromptId, RunId, SessionId};
use crate::store::error::StoreError;
use crate::store::projection::{AttemptRow, PromptRow, ReadRows, RunRow, SessionRow};

/// The database, and the last global sequence number.
pub(super) struct Tables<'c> {
    pub(super) connection: &'c Connection,
    pub(super) last_global_seq: u64,
}

/// The columns of a session that are read for a commit only. They follow those of [`SESSION`].
const SESSION_REST: &str = "sessions.last_message_at, sessions.orchestration";

/// The same, for a run; they follow those of [`RUN`].
const RUN_REST: &str = "runs.attempt";

impl ReadRows for Tables<'_> {
    fn last_global_seq(&self) -> Result<u64, StoreError> {
        Ok(self.last_global_seq)
    }

    fn session(&self, id: SessionId) -> Result<Option<(SessionRow, Option<RunRow>)>, StoreError> {
        let sql = format!(
            "SELECT {SESSION}, {SESSION_REST}, {RUN}, {RUN_REST} FROM sessions \
             LEFT JOIN runs ON runs.session = sessions.id AND runs.ended_at IS NULL WHERE sessions.id = ?1"
        );
        let read = |row: &Row<'_>| {
            let session = session(row, 0)?;
            let holder = session.session.run.map(|_| run(row, SESSION_WIDTH + 2)).transpose()?;
            Ok((session, holder))
        };
        Ok(one(self.connection, &sql, [id.to_string()], read)?)
    }

    fn run(&self, id: RunId) -> Result<Option<(RunRow, SessionRow)>, StoreError> {
        let sql = format!(
            "SELECT {RUN}, {RUN_REST}, {SESSION}, {SESSION_REST} FROM runs \
             JOIN sessions ON sessions.id = runs.session WHERE runs.id = ?1"
        );
        let read = |row: &Row<'_>| Ok((run(row, 0)?, session(row, RUN_WIDTH + 1)?));
        Ok(one(self.connection, &sql, [id.to_string()], read)?)
    }

    fn attempt(&self, id: AttemptId) -> Result<Option<AttemptRow>, StoreError> {
        let sql = format!(
            "SELECT attempts.id, runs.id, sessions.id, attempts.prompt, attempts.began_at, attempts.pid, \
             attempts.process_started, attempts.chat_ended FROM {ATTEMPTS} WHERE attempts.id = ?1"
        );
        Ok(one(self.connection, &sql, [id.to_string()], attempt)?)
    }

    fn prompt(&self, id: PromptId) -> Result<Option<PromptRow>, StoreError> {
        let sql = format!("SELECT {QUEUED_PROMPT}, session, run, taken FROM prompts WHERE id = ?1");
        Ok(one(self.connection, &sql, [id.to_string()], prompt)?)
    }
}

fn session(row: &Row<'_>, first: usize) -> rusqlite::Result<SessionRow> {
    let rest = first + SESSION_WIDTH;
    Ok(SessionRow {
        session: rows::session_from(row, first)?,
        last_message_at: rows::number(row, rest)?,
        orchestration: row.get(rest + 1)?,
    })
}

fn run(row: &Row<'_>, first: usize) -> rusqlite::Result<RunRow> {
    let record = rows::run_from(row, first)?;
    Ok(RunRow { record, attempt: rows::parsed_if_any(row, first + RUN_WIDTH)? })
}

fn attempt(row: &Row<'_>) -> rusqlite::Result<AttemptRow> {
    Ok(AttemptRow {
        id: rows::parsed(row, 0)?,
        run: rows::parsed_if_any(row, 1)?,
        session: rows::parsed(row, 2)?,
        prompt: rows::parsed_if_any(row, 3)?,
        began_at: rows::number(row, 4)?,
        process: rows::process(row, 5)?,
        chat_ended: row.get(7)?,
    })
}

fn prompt(row: &Row<'_>) -> rusqlite::Result<PromptRow> {
    Ok(PromptRow {
        record: rows::queued_prompt(row)?,
        session: rows::parsed(row, 5)?,
        run: rows::parsed_if_any(row, 6)?,
        taken: row.get(7)?,
    })
}
