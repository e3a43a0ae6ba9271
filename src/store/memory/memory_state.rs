//! The rows of the memory store.

use std::sync::Arc;

use crate::run::{AttemptId, PromptId, RunId, SessionId};
use crate::store::error::StoreError;
use crate::store::projection::{
    AttemptRow, Projected, PromptRow, ReadRows, RunRow, SessionRow, Upsert,
};
use crate::store::records::{Attempt, EventRecord, Message, RunRecord};

/// All rows, each kind in insertion order.
#[derive(Debug, Default)]
pub(super) struct MemoryState {
    pub(super) sessions: Vec<SessionRow>,
    pub(super) messages: Vec<Arc<Message>>,
    pub(super) runs: Vec<RunRow>,
    pub(super) events: Vec<Arc<EventRecord>>,
    pub(super) attempts: Vec<AttemptRow>,
    pub(super) prompts: Vec<PromptRow>,
    pub(super) last_global_seq: u64,
    /// Recipes are switched off everywhere.
    pub(super) off: bool,
    /// The quarantined runs, each with its last event at that time and the reason.
    pub(super) quarantined: Vec<(RunId, u64, String)>,
}

impl ReadRows for MemoryState {
    fn last_global_seq(&self) -> Result<u64, StoreError> {
        Ok(self.last_global_seq)
    }

    fn session(&self, id: SessionId) -> Result<Option<(SessionRow, Option<RunRow>)>, StoreError> {
        let found = self.sessions.iter().find(|it| it.session.id == id).cloned();
        Ok(found.map(|row| {
            let holder = row.session.run.and_then(|run| self.run_row(run)).cloned();
            (row, holder)
        }))
    }

    fn run(&self, id: RunId) -> Result<Option<(RunRow, SessionRow)>, StoreError> {
        let Some(run) = self.run_row(id) else { return Ok(None) };
        let session = self.sessions.iter().find(|it| it.session.id == run.record.session);
        Ok(session.map(|session| (run.clone(), session.clone())))
    }

    fn attempt(&self, id: AttemptId) -> Result<Option<AttemptRow>, StoreError> {
        Ok(self.attempts.iter().find(|it| it.id == id).cloned())
    }

    fn prompt(&self, id: PromptId) -> Result<Option<PromptRow>, StoreError> {
        Ok(self.prompts.iter().find(|it| it.record.prompt == id).cloned())
    }
}

impl MemoryState {
    pub(super) fn write(&mut self, projected: &Projected) {
        projected.forgotten.iter().for_each(|session| self.forget(*session));
        put(&mut self.sessions, &projected.sessions, |it| it.session.id);
        put(&mut self.runs, &projected.runs, |it| it.record.id);
        put(&mut self.attempts, &projected.attempts, |it| it.id);
        put(&mut self.prompts, &projected.prompts, |it| it.record.prompt);
        let mut last = 0;
        for PromptRow { record, .. } in &mut self.prompts {
            // A new prompt gets its number here, after all others.
            record.number = if record.number == 0 { last + 1 } else { record.number };
            last = record.number;
        }
        self.off = projected.orchestration.map_or(self.off, |enabled| !enabled);
        self.last_global_seq = projected.last_global_seq;
        self.events.extend(projected.events().cloned().map(Arc::new));
        self.messages.extend(projected.messages().cloned().map(Arc::new));
        for message in &mut self.messages {
            if projected.undelivered.contains(&(message.session, message.id)) {
                Arc::make_mut(message).delivered = false;
            }
        }
    }

    fn run_row(&self, id: RunId) -> Option<&RunRow> {
        self.runs.iter().find(|it| it.record.id == id)
    }

    pub(super) fn attempt_of(&self, row: &AttemptRow) -> Attempt {
        row.attempt(row.run.and_then(|run| self.run_row(run)).and_then(|run| run.attempt))
    }

    pub(super) fn forget(&mut self, session: SessionId) {
        self.sessions.retain(|it| it.session.id != session);
        self.messages.retain(|it| it.session != session);
        self.runs.retain(|it| it.record.session != session);
        self.events.retain(|it| it.session != session);
        self.attempts.retain(|it| it.session != session);
        self.prompts.retain(|it| it.session != session);
    }

    pub(super) fn prune(&mut self, before: u64) -> u64 {
        let is_old = |run: &&RunRecord| {
            let resumes_later = |at: Option<u64>| at.is_some_and(|at| at >= before);
            run.changed_at < before
                && run.ending.as_ref().is_some_and(|it| !resumes_later(it.resume_at))
        };
        let records = self.runs.iter().map(|it| &it.record);
        let gone: Vec<RunId> = records.filter(is_old).map(|run| run.id).collect();
        let is_gone = |run: Option<RunId>| run.is_some_and(|run| gone.contains(&run));
        self.runs.retain(|it| !gone.contains(&it.record.id));
        self.events.retain(|it| !gone.contains(&it.run));
        self.attempts.retain(|it| !is_gone(it.run));
        // A queued prompt is not part of a run's history, so it stays.
        self.prompts.retain(|it| !it.taken || !is_gone(it.run));
        for prompt in self.prompts.iter_mut().filter(|it| is_gone(it.run)) {
            prompt.run = None;
        }
        gone.len() as u64
    }
}

fn put<T: Clone, I: PartialEq>(rows: &mut Vec<T>, written: &[Upsert<T>], id: impl Fn(&T) -> I) {
    for Upsert { row, .. } in written {
        match rows.iter_mut().find(|it| id(it) == id(row)) {
            Some(present) => present.clone_from(row),
            None => rows.push(row.clone()),
        }
    }
}
