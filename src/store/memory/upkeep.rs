//! What keeping a store for years needs, in memory.

use super::kept::Kept;
use crate::run::{RunId, SessionId};
use crate::store::rules::missing;
use crate::store::upkeep::set_aside_ending;
use crate::store::{Pruned, Quarantined, StoreError};

impl Kept {
    pub(super) fn quarantine(&mut self, id: RunId, why: &str) -> Result<(), StoreError> {
        let run = self.runs.iter_mut().find(|run| run.id == id).ok_or_else(|| missing("run", &id))?;
        run.ending = Some(set_aside_ending(why, &run.step, run.steps, run.rehearsal));
        let last_seq = run.last_seq;
        for attempt in self.attempts.iter_mut().filter(|attempt| attempt.run == Some(id)) {
            attempt.ended = true;
        }
        self.quarantined.retain(|(known, ..)| *known != id);
        self.quarantined.push((id, last_seq, why.to_owned()));
        Ok(())
    }

    /// The runs that were set aside and in which nothing has happened since. Everything else here can be read.
    pub(super) fn quarantined(&self) -> Vec<Quarantined> {
        let rows = (1_u64..).zip(&self.runs);
        let listed = rows.filter_map(|(row, run)| {
            let same = |(id, seq, _): &&(RunId, u64, String)| *id == run.id && *seq == run.last_seq;
            let (_, _, why) = self.quarantined.iter().find(same)?;
            Some(Quarantined { run: Some(run.id), row: format!("runs {row}"), why: why.clone() })
        });
        listed.collect()
    }

    pub(super) fn prune_sessions(&mut self, before: u64) -> Result<Pruned, StoreError> {
        let is_over = |id: SessionId| {
            let open = |resume_at: Option<Option<u64>>| resume_at.is_none_or(|at| at.is_some());
            !self.runs.iter().any(|run| run.session == id && open(run.ending.as_ref().map(|it| it.resume_at)))
                && !self.prompts.iter().any(|prompt| prompt.session == id && !prompt.taken)
                && !self.attempts.iter().any(|attempt| attempt.session == id && !attempt.ended)
        };
        let old = self.sessions.iter().filter(|session| session.changed_at < before && is_over(session.id));
        let mut pruned = Pruned { sessions: old.map(|session| session.id).collect(), ..Pruned::default() };
        for session in pruned.sessions.clone() {
            pruned.runs += self.runs.iter().filter(|run| run.session == session).count() as u64;
            let attempts = self.attempts.iter().filter(|attempt| attempt.session == session);
            pruned.attempts.extend(attempts.map(|attempt| attempt.id));
            self.forget(session)?;
        }
        Ok(pruned)
    }
}
