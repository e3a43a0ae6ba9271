//! The rows after the changes applied so far.

use super::projected::Projected;
use super::read::ReadRows;
use super::rows::{AttemptRow, PromptRow, RunRow, SessionRow};
use super::rules::missing;
use super::table::Table;
use crate::run::{AttemptId, PromptId, RunId, SessionId};
use crate::session::NewSession;
use crate::store::committed::{Committed, Written, WrittenEvent};
use crate::store::error::StoreError;
use crate::store::records::{Message, SessionRecord};

pub(super) struct Draft<'r> {
    stored: &'r dyn ReadRows,
    sessions: Table<SessionRow>,
    runs: Table<RunRow>,
    attempts: Table<AttemptRow>,
    prompts: Table<PromptRow>,
    pub(super) orchestration: Option<bool>,
    last_global_seq: u64,
    /// The new sessions.
    begun: Vec<SessionId>,
    /// Deleted sessions: their rows in the store are ignored.
    forgotten: Vec<SessionId>,
    entries: Vec<Written>,
    unwritten: Vec<usize>,
    /// The withdrawn prompts, which the agent will never receive.
    undelivered: Vec<(SessionId, PromptId)>,
}

impl<'r> Draft<'r> {
    pub(super) fn new(stored: &'r dyn ReadRows) -> Result<Self, StoreError> {
        Ok(Self {
            stored,
            sessions: Table::default(),
            runs: Table::default(),
            attempts: Table::default(),
            prompts: Table::default(),
            orchestration: None,
            last_global_seq: stored.last_global_seq()?,
            begun: Vec::new(),
            forgotten: Vec::new(),
            entries: Vec::new(),
            unwritten: Vec::new(),
            undelivered: Vec::new(),
        })
    }

    pub(super) fn session(&mut self, id: SessionId) -> Result<Option<&SessionRow>, StoreError> {
        if self.sessions.get(id).is_none()
            && self.is_kept(id)
            && let Some((session, holder)) = self.stored.session(id)?
        {
            self.sessions.hold(session);
            if let Some(run) = holder {
                self.runs.hold(run);
            }
        }
        Ok(self.sessions.get(id))
    }

    /// A session to change. It has to exist.
    pub(super) fn change_session(&mut self, id: SessionId) -> Result<&mut SessionRow, StoreError> {
        self.session(id)?;
        self.sessions.change(id).ok_or_else(|| missing("session", &id))
    }

    pub(super) fn run(&mut self, id: RunId) -> Result<Option<&RunRow>, StoreError> {
        if self.runs.get(id).is_none()
            && let Some((run, session)) = self.stored.run(id)?
            && self.is_kept(session.session.id)
        {
            // The session is read no later than its runs, so its holder is known here.
            self.sessions.hold(session);
            self.runs.hold(run);
        }
        Ok(self.runs.get(id))
    }

    /// A run to change. It has to exist.
    pub(super) fn change_run(&mut self, id: RunId) -> Result<&mut RunRow, StoreError> {
        self.run(id)?;
        self.runs.change(id).ok_or_else(|| missing("run", &id))
    }

    pub(super) fn attempt(&mut self, id: AttemptId) -> Result<Option<&AttemptRow>, StoreError> {
        if self.attempts.get(id).is_none()
            && let Some(row) = self.stored.attempt(id)?
            && self.is_kept(row.session)
        {
            self.attempts.hold(row);
        }
        Ok(self.attempts.get(id))
    }

    pub(super) fn change_attempt(
        &mut self,
        id: AttemptId,
    ) -> Result<Option<&mut AttemptRow>, StoreError> {
        self.attempt(id)?;
        Ok(self.attempts.change(id))
    }

    pub(super) fn prompt(&mut self, id: PromptId) -> Result<Option<&PromptRow>, StoreError> {
        if self.prompts.get(id).is_none()
            && let Some(row) = self.stored.prompt(id)?
            && self.is_kept(row.session)
        {
            self.prompts.hold(row);
        }
        Ok(self.prompts.get(id))
    }

    /// Marks a prompt as queued, or as no longer queued. A missing prompt was pruned.
    pub(super) fn take_prompt(&mut self, id: PromptId, taken: bool) -> Result<(), StoreError> {
        if self.prompt(id)?.is_some_and(|row| row.taken != taken)
            && let Some(row) = self.prompts.change(id)
        {
            row.taken = taken;
        }
        Ok(())
    }

    /// Withdraws a prompt from its session's queue.
    pub(super) fn withdraw_prompt(
        &mut self,
        session: SessionId,
        id: PromptId,
    ) -> Result<(), StoreError> {
        if self.prompt(id)?.is_some_and(|row| row.session == session && !row.taken) {
            self.undelivered.push((session, id));
            self.take_prompt(id, true)?;
        }
        Ok(())
    }

    /// Marks a prompt that the agent may have received already.
    pub(super) fn repeat_prompt(&mut self, id: PromptId) -> Result<(), StoreError> {
        if self.prompt(id)?.is_some_and(|row| !row.record.again)
            && let Some(row) = self.prompts.change(id)
        {
            row.record.again = true;
        }
        Ok(())
    }

    pub(super) fn assign_prompt(&mut self, id: PromptId, run: RunId) {
        if let Some(row) = self.prompts.change(id) {
            (row.run, row.taken) = (Some(run), false);
        }
    }

    pub(super) fn add_session(&mut self, new: &NewSession) {
        let session = SessionRecord {
            id: new.id,
            name: new.name.clone(),
            directory: new.directory.clone(),
            agent: new.agent.clone(),
            system_prompt: new.system_prompt.clone(),
            created_at: new.at,
            changed_at: new.at,
            messages: 0,
            commits: 0,
            opened: false,
            run: None,
        };
        self.begun.push(new.id);
        self.sessions.add(SessionRow { session, last_message_at: 0, orchestration: true });
    }

    pub(super) fn add_run(&mut self, row: RunRow) {
        self.runs.add(row);
    }

    pub(super) fn add_attempt(&mut self, row: AttemptRow) {
        self.attempts.add(row);
    }

    pub(super) fn add_prompt(&mut self, row: PromptRow) {
        self.prompts.add(row);
    }

    /// The global sequence number of the next event.
    pub(super) const fn next_global_seq(&mut self) -> u64 {
        self.last_global_seq += 1;
        self.last_global_seq
    }

    pub(super) fn add_entry(&mut self, event: Option<WrittenEvent>, message: Option<Message>) {
        self.entries.push(Written { event, message });
    }

    /// Drops a session and everything that belongs to it, including what this commit has added.
    pub(super) fn forget(&mut self, session: SessionId) {
        self.sessions.forget(session);
        self.runs.forget(session);
        self.attempts.forget(session);
        self.prompts.forget(session);
        self.begun.retain(|begun| *begun != session);
        self.undelivered.retain(|(of, _)| *of != session);
        let numbered = self.entries.iter().enumerate();
        let gone = numbered.filter(|(_, written)| is_of(written, session)).map(|(index, _)| index);
        self.unwritten.extend(gone);
        self.forgotten.push(session);
    }

    fn is_kept(&self, session: SessionId) -> bool {
        !self.forgotten.contains(&session)
    }

    pub(super) fn finish(self) -> Projected {
        let begun = self.begun.iter().filter_map(|id| self.sessions.get(*id));
        let sessions = begun.map(|row| row.session.clone()).collect();
        // Ended runs first: a run can take a session only after the previous one has ended. New
        // runs keep the order in which they began.
        let runs = self.runs.into_changed().into_iter();
        let (ended, others): (Vec<_>, Vec<_>) =
            runs.partition(|run| !run.is_new && run.row.record.ending.is_some());
        // A client's message has the same id as its prompt.
        let undelivered =
            self.undelivered.iter().map(|(session, prompt)| (*session, prompt.uuid()));
        Projected {
            undelivered: undelivered.collect(),
            forgotten: self.forgotten,
            sessions: self.sessions.into_changed(),
            runs: ended.into_iter().chain(others).collect(),
            attempts: self.attempts.into_changed(),
            prompts: self.prompts.into_changed(),
            orchestration: self.orchestration,
            last_global_seq: self.last_global_seq,
            committed: Committed { sessions, entries: self.entries },
            unwritten: self.unwritten,
        }
    }
}

fn is_of(written: &Written, session: SessionId) -> bool {
    let of_event = match &written.event {
        Some(WrittenEvent::Run(recorded)) => Some(recorded.session),
        Some(WrittenEvent::Session { session, .. }) => Some(*session),
        None => written.message.as_ref().map(|message| message.session),
    };
    of_event == Some(session)
}
