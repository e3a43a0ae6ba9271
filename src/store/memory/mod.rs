//! A store in memory, for tests. Dropping it loses everything.

mod memory_state;
mod upkeep;

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use self::memory_state::MemoryState;
use super::projection::{missing, project};
use super::{
    Attempt, Commit, Committed, EventRecord, Message, Pruned, Quarantined, QueuedPromptRecord,
    Role, RunFilter, RunRecord, SessionRecord, Store, StoreError,
};
use crate::run::{AttemptId, PromptId, RunId, SessionId};

/// A store in memory, with the same behaviour as [`Sqlite`](super::Sqlite) except for durability.
///
/// ```
/// use surefire::store::{Memory, Store};
///
/// let store = Memory::default();
/// assert_eq!(store.session_count(), Ok(0));
/// ```
#[derive(Debug, Default)]
pub struct Memory {
    state: Mutex<MemoryState>,
}

impl Memory {
    fn state(&self) -> MutexGuard<'_, MemoryState> {
        // A commit is projected before any of it is written, so a panic cannot leave half of one.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Store for Memory {
    fn commit(&self, commit: &Commit) -> Result<Committed, StoreError> {
        let mut state = self.state();
        let projected = project(commit, &*state)?;
        state.write(&projected);
        Ok(projected.committed)
    }

    fn session(&self, id: SessionId) -> Result<Option<SessionRecord>, StoreError> {
        let state = self.state();
        Ok(state.sessions.iter().map(|row| &row.session).find(|session| session.id == id).cloned())
    }

    fn sessions(&self, limit: usize) -> Result<Vec<SessionRecord>, StoreError> {
        let state = self.state();
        let mut sessions: Vec<_> = state.sessions.iter().rev().map(|row| &row.session).collect();
        sessions.sort_by_key(|session| std::cmp::Reverse(session.changed_at));
        Ok(sessions.into_iter().take(limit).cloned().collect())
    }

    fn sessions_before(
        &self,
        before: &SessionRecord,
        limit: usize,
    ) -> Result<Vec<SessionRecord>, StoreError> {
        let state = self.state();
        let place = state.sessions.iter().position(|row| row.session.id == before.id);
        let before = (before.changed_at, place.ok_or_else(|| missing("session", &before.id))?);
        let mut sessions: Vec<_> =
            state.sessions.iter().map(|row| &row.session).enumerate().collect();
        sessions.sort_by_key(|(place, session)| std::cmp::Reverse((session.changed_at, *place)));
        let wanted =
            sessions.into_iter().filter(|(place, session)| (session.changed_at, *place) < before);
        Ok(wanted.take(limit).map(|(_, session)| session.clone()).collect())
    }

    fn session_count(&self) -> Result<u64, StoreError> {
        Ok(self.state().sessions.len() as u64)
    }

    fn messages(
        &self,
        session: SessionId,
        from: u64,
        limit: usize,
    ) -> Result<Vec<Message>, StoreError> {
        let state = self.state();
        let wanted = state.messages.iter().filter(|it| it.session == session && it.offset >= from);
        Ok(wanted.take(limit).map(|message| Message::clone(message)).collect())
    }

    fn passages(
        &self,
        session: SessionId,
        attempt: AttemptId,
        from: u64,
        limit: usize,
    ) -> Result<Vec<Message>, StoreError> {
        let state = self.state();
        let of_session =
            state.messages.iter().filter(|it| it.session == session && it.offset >= from);
        let passages =
            of_session.filter(|it| it.role == Role::Assistant && it.attempt == Some(attempt));
        Ok(passages.take(limit).map(|message| Message::clone(message)).collect())
    }

    fn run(&self, id: RunId) -> Result<Option<RunRecord>, StoreError> {
        Ok(self.state().runs.iter().map(|row| &row.record).find(|run| run.id == id).cloned())
    }

    fn runs(&self, filter: &RunFilter) -> Result<Vec<RunRecord>, StoreError> {
        let state = self.state();
        let end = match filter.before {
            None => state.runs.len(),
            Some(before) => {
                let place = state.runs.iter().position(|row| row.record.id == before);
                place.ok_or_else(|| missing("run", &before))?
            }
        };
        let runs = state.runs[..end].iter().rev().map(|row| &row.record);
        let wanted = runs.filter(|run| matches(filter, run));
        Ok(wanted.take(filter.limit.unwrap_or(usize::MAX)).cloned().collect())
    }

    fn events(&self, run: RunId, after: u64, limit: usize) -> Result<Vec<EventRecord>, StoreError> {
        let state = self.state();
        let wanted = state.events.iter().filter(|it| it.run == run && it.seq > after);
        Ok(wanted.take(limit).map(|event| EventRecord::clone(event)).collect())
    }

    fn events_of_all(&self, after: u64, limit: usize) -> Result<Vec<EventRecord>, StoreError> {
        let state = self.state();
        let wanted = state.events.iter().filter(|it| it.global_seq > after);
        Ok(wanted.take(limit).map(|event| EventRecord::clone(event)).collect())
    }

    fn last_global_seq(&self) -> Result<u64, StoreError> {
        Ok(self.state().last_global_seq)
    }

    fn attempt(&self, id: AttemptId) -> Result<Option<Attempt>, StoreError> {
        let state = self.state();
        Ok(state.attempts.iter().find(|row| row.id == id).map(|row| state.attempt_of(row)))
    }

    fn open_attempts(&self) -> Result<Vec<Attempt>, StoreError> {
        let state = self.state();
        let attempts = state.attempts.iter().map(|row| state.attempt_of(row));
        let mut open: Vec<_> = attempts.filter(|attempt| !attempt.ended).collect();
        open.sort_by_key(|attempt| (attempt.began_at, attempt.id));
        Ok(open)
    }

    fn queued_prompts(&self, session: SessionId) -> Result<Vec<QueuedPromptRecord>, StoreError> {
        let state = self.state();
        let queued =
            state.prompts.iter().filter(|prompt| prompt.session == session && !prompt.taken);
        Ok(queued.map(|prompt| prompt.record.clone()).collect())
    }

    fn sessions_with_queued_prompts(&self) -> Result<Vec<SessionId>, StoreError> {
        let state = self.state();
        let sessions =
            state.prompts.iter().filter(|prompt| !prompt.taken).map(|prompt| prompt.session);
        Ok(sessions.collect::<BTreeSet<_>>().into_iter().collect())
    }

    fn prompt(&self, id: PromptId) -> Result<Option<QueuedPromptRecord>, StoreError> {
        let state = self.state();
        Ok(state.prompts.iter().find(|it| it.record.prompt == id).map(|it| it.record.clone()))
    }

    fn orchestration(&self, session: Option<SessionId>) -> Result<bool, StoreError> {
        let state = self.state();
        let mut off_in =
            state.sessions.iter().filter(|row| !row.orchestration).map(|row| row.session.id);
        Ok(!state.off && session.is_none_or(|session| off_in.all(|off| off != session)))
    }

    fn prune(&self, ended_before: u64) -> Result<u64, StoreError> {
        Ok(self.state().prune(ended_before))
    }

    fn prune_sessions(&self, changed_before: u64) -> Result<Pruned, StoreError> {
        Ok(self.state().prune_sessions(changed_before))
    }

    fn reclaim(&self) -> Result<u64, StoreError> {
        Ok(0)
    }

    fn quarantine(&self, run: RunId, why: &str) -> Result<(), StoreError> {
        self.state().quarantine(run, why)
    }

    fn quarantined(&self) -> Result<Vec<Quarantined>, StoreError> {
        Ok(self.state().quarantined())
    }
}

fn matches(filter: &RunFilter, run: &RunRecord) -> bool {
    let reason = run.ending.as_ref().map(|ending| ending.reason.as_str());
    let without_step = reason.and_then(|reason| reason.split_once(':')).map(|(code, _)| code);
    let resume_at = run.ending.as_ref().and_then(|ending| ending.resume_at);
    filter.recipe.as_ref().is_none_or(|recipe| *recipe == run.recipe)
        && filter.id_prefix.as_deref().is_none_or(|prefix| run.id.to_string().starts_with(prefix))
        && filter.session.is_none_or(|session| session == run.session)
        && filter.reason.as_deref().is_none_or(|it| reason == Some(it) || without_step == Some(it))
        && filter.open.is_none_or(|open| open == run.ending.is_none())
        && (!filter.resume_due || resume_at.is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_in_one_thread_leaves_the_store_usable() {
        let store = Memory::default();
        let joined = std::thread::scope(|scope| {
            let panics = || {
                let _guard = store.state();
                panic!("on purpose");
            };
            scope.spawn(panics).join()
        });
        assert!(joined.is_err() && store.state.is_poisoned());
        store.commit(&Commit::default()).unwrap();
    }
}
