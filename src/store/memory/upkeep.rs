//! Pruning and quarantine, in memory.

use super::memory_state::MemoryState;
use crate::run::{RunId, SessionId};
use crate::store::projection::missing;
use crate::store::upkeep::quarantined_ending;
use crate::store::{Pruned, Quarantined, StoreError};

impl MemoryState {
    pub(super) fn quarantine(&mut self, id: RunId, why: &str) -> Result<(), StoreError> {
        let row = self
            .runs
            .iter_mut()
            .find(|row| row.record.id == id)
            .ok_or_else(|| missing("run", &id))?;
        let run = &mut row.record;
        run.ending = Some(quarantined_ending(why, &run.step, run.steps, run.rehearsal));
        let (last_seq, session) = (run.last_seq, run.session);
        row.attempt = None;
        for row in self.sessions.iter_mut().filter(|row| row.session.id == session) {
            row.session.run = row.session.run.filter(|run| *run != id);
        }
        self.quarantined.retain(|(known, ..)| *known != id);
        self.quarantined.push((id, last_seq, why.to_owned()));
        Ok(())
    }

    /// The quarantined runs without events since. Every other row here is readable.
    pub(super) fn quarantined(&self) -> Vec<Quarantined> {
        let rows = (1_u64..).zip(self.runs.iter().map(|row| &row.record));
        let listed = rows.filter_map(|(row, run)| {
            let same = |(id, seq, _): &&(RunId, u64, String)| *id == run.id && *seq == run.last_seq;
            let (_, _, why) = self.quarantined.iter().find(same)?;
            Some(Quarantined { run: Some(run.id), row: format!("runs {row}"), why: why.clone() })
        });
        listed.collect()
    }

    pub(super) fn prune_sessions(&mut self, before: u64) -> Pruned {
        let is_over = |id: SessionId| {
            let open = |resume_at: Option<Option<u64>>| resume_at.is_none_or(|at| at.is_some());
            let mut runs = self.runs.iter().map(|row| &row.record).filter(|run| run.session == id);
            let mut attempts = self.attempts.iter().filter(|row| row.session == id);
            !runs.any(|run| open(run.ending.as_ref().map(|it| it.resume_at)))
                && !self.prompts.iter().any(|prompt| prompt.session == id && !prompt.taken)
                && attempts.all(|row| self.attempt_of(row).ended)
        };
        let sessions = self.sessions.iter().map(|row| &row.session);
        let old = sessions.filter(|session| session.changed_at < before && is_over(session.id));
        let mut pruned =
            Pruned { sessions: old.map(|session| session.id).collect(), ..Pruned::default() };
        for session in pruned.sessions.clone() {
            pruned.runs +=
                self.runs.iter().filter(|row| row.record.session == session).count() as u64;
            let attempts = self.attempts.iter().filter(|attempt| attempt.session == session);
            pruned.attempts.extend(attempts.map(|attempt| attempt.id));
            self.forget(session);
        }
        pruned
    }
}
