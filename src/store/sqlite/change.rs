//! What each change of a commit does to the tables.

use std::fmt::Display;

use rusqlite::{Connection, Params};

use super::append;
use super::failure::Failure;
use super::read::{self, one};
use super::rows::{self, integer};
use super::write::execute;
use crate::run::{AttemptId, PromptId, RunId, SessionId};
use crate::store::rules::{missing, taken, text_of, twice};
use crate::store::{Change, Committed, Message, NewMessage, NewSession, StoreError};

/// A commit that is being written.
pub(super) struct Writing<'t> {
    pub(super) connection: &'t Connection,
    pub(super) last_place: u64,
    pub(super) committed: Committed,
    /// The sessions that were not there before.
    begun: Vec<SessionId>,
    /// What changes about the sessions that the commit is about: read once and written once, however much happens.
    sessions: Vec<SessionLine>,
}

struct SessionLine {
    id: SessionId,
    messages: u64,
    last_message_at: u64,
    changed_at: u64,
    changed: bool,
}

impl<'t> Writing<'t> {
    pub(super) fn new(connection: &'t Connection, last_place: u64) -> Self {
        let (committed, begun, sessions) = (Committed::default(), Vec::new(), Vec::new());
        Self { connection, last_place, committed, begun, sessions }
    }

    pub(super) fn apply(&mut self, change: &Change) -> Result<(), Failure> {
        match change {
            Change::Session(session) => self.add_session(session),
            Change::Events { run, after, events, at } => append::events(self, *run, *after, events, *at),
            Change::Message(message) => self.add_message(message),
            Change::Spawned { attempt, process } => {
                let sql = "UPDATE attempts SET pid = ?2, process_started = ?3 WHERE id = ?1";
                let done = self.execute(sql, (attempt.to_string(), process.pid, &process.started))?;
                found(done, "attempt", attempt)
            }
            Change::Queued { prompt, session, text, at } => {
                self.touch(*session, *at)?;
                self.queue(*prompt, *session, None, text, *at)
            }
            Change::ChatBegan { attempt, session, prompt, at } => {
                self.touch(*session, *at)?;
                if let Some(holder) = self.holder(*session)? {
                    return Err(StoreError::Busy { session: *session, holder }.into());
                }
                self.begin_attempt(*attempt, None, *session, Some(*prompt), *at)
            }
            Change::ChatEnded { attempt, unheard } => {
                if *unheard {
                    self.wait_again(*attempt)?;
                }
                let sql = "UPDATE attempts SET chat_ended = 1 WHERE id = ?1 AND run IS NULL";
                found(self.execute(sql, [attempt.to_string()])?, "attempt", attempt)
            }
            Change::Withdrawn { prompts } => {
                for prompt in prompts {
                    self.execute("UPDATE prompts SET taken = 1 WHERE id = ?1", [prompt.to_string()])?;
                }
                Ok(())
            }
            Change::Opened { session } => {
                let sql = "UPDATE sessions SET opened = 1 WHERE id = ?1";
                found(self.execute(sql, [session.to_string()])?, "session", session)
            }
            Change::Orchestration { session: None, enabled } => {
                self.execute("UPDATE store SET orchestration = ?1", [enabled])?;
                Ok(())
            }
            Change::Orchestration { session: Some(session), enabled } => {
                let sql = "UPDATE sessions SET orchestration = ?2 WHERE id = ?1";
                found(self.execute(sql, (session.to_string(), enabled))?, "session", session)
            }
            Change::Forgotten { session } => self.forget(*session),
        }
    }

    /// Writes what was only noted so far.
    pub(super) fn finish(mut self) -> Result<Committed, Failure> {
        for line in self.sessions.iter().filter(|line| line.changed) {
            let sql =
                "UPDATE sessions SET messages = ?2, last_message_at = ?3, changed_at = ?4 WHERE id = ?1";
            let (last_message_at, changed_at) = (integer(line.last_message_at), integer(line.changed_at));
            let values = (line.id.to_string(), integer(line.messages), last_message_at, changed_at);
            self.execute(sql, values)?;
        }
        for id in &self.begun {
            self.committed.sessions.extend(read::session(self.connection, *id)?);
        }
        Ok(self.committed)
    }

    fn add_session(&mut self, session: &NewSession) -> Result<(), Failure> {
        let sql = "INSERT INTO sessions (id, name, directory, agent, system_prompt, created_at, changed_at) \
                   VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6) ON CONFLICT (id) DO NOTHING";
        let NewSession { id, name, agent, system_prompt, at, .. } = session;
        let directory = text_of(&session.directory)?;
        let values = (id.to_string(), name, directory, agent, system_prompt, integer(*at));
        if self.execute(sql, values)? > 0 {
            self.begun.push(*id);
        }
        Ok(())
    }

    fn add_message(&mut self, new: &NewMessage) -> Result<(), Failure> {
        let line = self.session(new.session)?;
        let (offset, at) = (line.messages, new.at.max(line.last_message_at));
        line.messages += 1;
        line.last_message_at = at;
        self.touch(new.session, at)?;
        let sql = "INSERT INTO messages (session, \"offset\", id, role, text, at, attempt, run) \
                   VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
        let (session, id, role) = (new.session.to_string(), new.id.to_string(), new.role.to_string());
        let (attempt, run) = (new.attempt.map(|id| id.to_string()), new.run.map(|id| id.to_string()));
        self.execute(sql, (session, integer(offset), id, role, &new.text, integer(at), attempt, run))?;
        self.committed.messages.push(Message {
            session: new.session,
            offset,
            id: new.id,
            role: new.role,
            text: new.text.clone(),
            at,
            attempt: new.attempt,
            run: new.run,
        });
        Ok(())
    }

    fn forget(&mut self, session: SessionId) -> Result<(), Failure> {
        if let Some(holder) = self.holder(session)? {
            return Err(StoreError::Busy { session, holder }.into());
        }
        self.sessions.retain(|line| line.id != session);
        self.begun.retain(|begun| *begun != session);
        // All that belongs to it refers to it, and goes with it.
        let gone = self.execute("DELETE FROM sessions WHERE id = ?1", [session.to_string()])?;
        found(gone, "session", &session)
    }

    fn session(&mut self, id: SessionId) -> Result<&mut SessionLine, Failure> {
        let known = self.sessions.iter().position(|line| line.id == id);
        let index = match known {
            Some(index) => index,
            None => {
                let sql = "SELECT messages, last_message_at, changed_at FROM sessions WHERE id = ?1";
                let line = one(self.connection, sql, [id.to_string()], |row| {
                    let (messages, last_message_at) = (rows::number(row, 0)?, rows::number(row, 1)?);
                    let changed_at = rows::number(row, 2)?;
                    Ok(SessionLine { id, messages, last_message_at, changed_at, changed: false })
                })?;
                self.sessions.push(line.ok_or_else(|| missing("session", &id))?);
                self.sessions.len() - 1
            }
        };
        Ok(&mut self.sessions[index])
    }

    /// Something happened in the session.
    pub(super) fn touch(&mut self, session: SessionId, at: u64) -> Result<(), Failure> {
        let line = self.session(session)?;
        line.changed_at = line.changed_at.max(at);
        line.changed = true;
        Ok(())
    }

    /// The run that goes on in a session.
    pub(super) fn holder(&self, session: SessionId) -> Result<Option<RunId>, Failure> {
        let sql = "SELECT id FROM runs WHERE session = ?1 AND ended_at IS NULL";
        one(self.connection, sql, [session.to_string()], |row| rows::parsed(row, 0))
    }

    /// Puts a prompt in the queue. One that is queued again, by a run, keeps its place.
    pub(super) fn queue(
        &self,
        prompt: PromptId,
        session: SessionId,
        run: Option<RunId>,
        text: &str,
        at: u64,
    ) -> Result<(), Failure> {
        let sql = "INSERT INTO prompts (id, session, run, text, at) VALUES (?1, ?2, ?3, ?4, ?5) \
                   ON CONFLICT (id) DO UPDATE SET run = excluded.run, taken = 0 \
                   WHERE session = excluded.session AND excluded.run IS NOT NULL";
        let run = run.map(|run| run.to_string());
        let values = (prompt.to_string(), session.to_string(), run, text, integer(at));
        match self.execute(sql, values)? {
            0 => Err(twice("prompt", &prompt).into()),
            _ => Ok(()),
        }
    }

    /// What an attempt was to pass on was not heard for certain.
    pub(super) fn wait_again(&self, attempt: AttemptId) -> Result<(), Failure> {
        let sql = "UPDATE prompts SET taken = 0 WHERE id = (SELECT prompt FROM attempts WHERE id = ?1)";
        self.execute(sql, [attempt.to_string()])?;
        Ok(())
    }

    /// Writes down that the agent is about to be asked. A prompt that it is asked with no longer waits.
    pub(super) fn begin_attempt(
        &self,
        attempt: AttemptId,
        run: Option<RunId>,
        session: SessionId,
        prompt: Option<PromptId>,
        at: u64,
    ) -> Result<(), Failure> {
        if let Some(prompt) = prompt {
            let sql = "SELECT taken FROM prompts WHERE id = ?1 AND session = ?2";
            let id = (prompt.to_string(), session.to_string());
            match one(self.connection, sql, id, |row| row.get::<_, bool>(0))? {
                None => return Err(missing("prompt", &prompt).into()),
                Some(true) => return Err(taken(prompt).into()),
                Some(false) => {
                    self.execute("UPDATE prompts SET taken = 1 WHERE id = ?1", [prompt.to_string()])?;
                }
            }
        }
        let sql = "INSERT INTO attempts (id, run, session, prompt, began_at) VALUES (?1, ?2, ?3, ?4, ?5) \
                   ON CONFLICT (id) DO NOTHING";
        let (run, prompt) = (run.map(|run| run.to_string()), prompt.map(|prompt| prompt.to_string()));
        let values = (attempt.to_string(), run, session.to_string(), prompt, integer(at));
        match self.execute(sql, values)? {
            0 => Err(twice("attempt", &attempt).into()),
            _ => Ok(()),
        }
    }

    pub(super) fn execute(&self, sql: &str, values: impl Params) -> Result<usize, Failure> {
        execute(self.connection, sql, values)
    }
}

/// A change that touched no row was about something that is not there.
fn found(rows: usize, kind: &'static str, id: &impl Display) -> Result<(), Failure> {
    if rows == 0 { Err(missing(kind, id).into()) } else { Ok(()) }
}
