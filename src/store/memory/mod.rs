//! A store that forgets everything when it is dropped, for tests.

mod kept;
mod upkeep;

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use self::kept::Kept;
use super::projection::{missing, project};
use super::{
    Attempt, Commit, Committed, Message, Pruned, Quarantined, Recorded, Role, RunFilter, RunRecord, Session,
    Store, StoreError, Waiting,
};
use crate::run::{AttemptId, PromptId, RunId, SessionId};

/// A store in memory, with the same behaviour as [`Sqlite`](super::Sqlite) but for what a disk does.
///
/// ```
/// use surefire::store::{Memory, Store};
///
/// let store = Memory::default();
/// assert_eq!(store.session_count(), Ok(0));
/// ```
#[derive(Debug, Default)]
pub struct Memory {
    kept: Mutex<Kept>,
}

impl Memory {
    fn kept(&self) -> MutexGuard<'_, Kept> {
        // A commit is worked out before any of it is written, so a panic elsewhere cannot have left half of one.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Store for Memory {
    fn commit(&self, commit: &Commit) -> Result<Committed, StoreError> {
        let mut kept = self.kept();
        let projected = project(commit, &*kept)?;
        kept.write(&projected);
        Ok(projected.committed)
    }

    fn session(&self, id: SessionId) -> Result<Option<Session>, StoreError> {
        let kept = self.kept();
        Ok(kept.sessions.iter().map(|row| &row.session).find(|session| session.id == id).cloned())
    }

    fn sessions(&self, limit: usize) -> Result<Vec<Session>, StoreError> {
        let kept = self.kept();
        let mut sessions: Vec<_> = kept.sessions.iter().rev().map(|row| &row.session).collect();
        sessions.sort_by_key(|session| std::cmp::Reverse(session.changed_at));
        Ok(sessions.into_iter().take(limit).cloned().collect())
    }

    fn sessions_before(&self, before: &Session, limit: usize) -> Result<Vec<Session>, StoreError> {
        let kept = self.kept();
        let place = kept.sessions.iter().position(|row| row.session.id == before.id);
        let before = (before.changed_at, place.ok_or_else(|| missing("session", &before.id))?);
        let mut sessions: Vec<_> = kept.sessions.iter().map(|row| &row.session).enumerate().collect();
        sessions.sort_by_key(|(place, session)| std::cmp::Reverse((session.changed_at, *place)));
        let wanted = sessions.into_iter().filter(|(place, session)| (session.changed_at, *place) < before);
        Ok(wanted.take(limit).map(|(_, session)| session.clone()).collect())
    }

    fn session_count(&self) -> Result<u64, StoreError> {
        Ok(self.kept().sessions.len() as u64)
    }

    fn messages(&self, session: SessionId, from: u64, limit: usize) -> Result<Vec<Message>, StoreError> {
        let kept = self.kept();
        let wanted = kept.messages.iter().filter(|it| it.session == session && it.offset >= from);
        Ok(wanted.take(limit).map(|message| Message::clone(message)).collect())
    }

    fn passages(
        &self,
        session: SessionId,
        attempt: AttemptId,
        from: u64,
        limit: usize,
    ) -> Result<Vec<Message>, StoreError> {
        let kept = self.kept();
        let of_session = kept.messages.iter().filter(|it| it.session == session && it.offset >= from);
        let said = of_session.filter(|it| it.role == Role::Assistant && it.attempt == Some(attempt));
        Ok(said.take(limit).map(|message| Message::clone(message)).collect())
    }

    fn run(&self, id: RunId) -> Result<Option<RunRecord>, StoreError> {
        Ok(self.kept().runs.iter().map(|row| &row.record).find(|run| run.id == id).cloned())
    }

    fn runs(&self, filter: &RunFilter) -> Result<Vec<RunRecord>, StoreError> {
        let kept = self.kept();
        let end = match filter.before {
            None => kept.runs.len(),
            Some(before) => {
                let place = kept.runs.iter().position(|row| row.record.id == before);
                place.ok_or_else(|| missing("run", &before))?
            }
        };
        let runs = kept.runs[..end].iter().rev().map(|row| &row.record);
        let wanted = runs.filter(|run| matches(filter, run));
        Ok(wanted.take(filter.limit.unwrap_or(usize::MAX)).cloned().collect())
    }

    fn events(&self, run: RunId, after: u64, limit: usize) -> Result<Vec<Recorded>, StoreError> {
        let kept = self.kept();
        let wanted = kept.events.iter().filter(|it| it.run == run && it.seq > after);
        Ok(wanted.take(limit).map(|event| Recorded::clone(event)).collect())
    }

    fn events_of_all(&self, after: u64, limit: usize) -> Result<Vec<Recorded>, StoreError> {
        let kept = self.kept();
        let wanted = kept.events.iter().filter(|it| it.place > after);
        Ok(wanted.take(limit).map(|event| Recorded::clone(event)).collect())
    }

    fn last_place(&self) -> Result<u64, StoreError> {
        Ok(self.kept().last_place)
    }

    fn attempt(&self, id: AttemptId) -> Result<Option<Attempt>, StoreError> {
        let kept = self.kept();
        Ok(kept.attempts.iter().find(|row| row.id == id).map(|row| kept.attempt_of(row)))
    }

    fn open_attempts(&self) -> Result<Vec<Attempt>, StoreError> {
        let kept = self.kept();
        let attempts = kept.attempts.iter().map(|row| kept.attempt_of(row));
        let mut open: Vec<_> = attempts.filter(|attempt| !attempt.ended).collect();
        open.sort_by_key(|attempt| (attempt.began_at, attempt.id));
        Ok(open)
    }

    fn waiting(&self, session: SessionId) -> Result<Vec<Waiting>, StoreError> {
        let kept = self.kept();
        let waiting = kept.prompts.iter().filter(|prompt| prompt.session == session && !prompt.taken);
        Ok(waiting.map(|prompt| prompt.waiting.clone()).collect())
    }

    fn waiting_sessions(&self) -> Result<Vec<SessionId>, StoreError> {
        let kept = self.kept();
        let sessions = kept.prompts.iter().filter(|prompt| !prompt.taken).map(|prompt| prompt.session);
        Ok(sessions.collect::<BTreeSet<_>>().into_iter().collect())
    }

    fn prompt(&self, id: PromptId) -> Result<Option<Waiting>, StoreError> {
        let kept = self.kept();
        Ok(kept.prompts.iter().find(|it| it.waiting.prompt == id).map(|it| it.waiting.clone()))
    }

    fn orchestration(&self, session: Option<SessionId>) -> Result<bool, StoreError> {
        let kept = self.kept();
        let mut off_in = kept.sessions.iter().filter(|row| !row.orchestration).map(|row| row.session.id);
        Ok(!kept.off && session.is_none_or(|session| off_in.all(|off| off != session)))
    }

    fn prune(&self, ended_before: u64) -> Result<u64, StoreError> {
        Ok(self.kept().prune(ended_before))
    }

    fn prune_sessions(&self, changed_before: u64) -> Result<Pruned, StoreError> {
        Ok(self.kept().prune_sessions(changed_before))
    }

    fn reclaim(&self) -> Result<u64, StoreError> {
        Ok(0)
    }

    fn quarantine(&self, run: RunId, why: &str) -> Result<(), StoreError> {
        self.kept().quarantine(run, why)
    }

    fn quarantined(&self) -> Result<Vec<Quarantined>, StoreError> {
        Ok(self.kept().quarantined())
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
    fn a_panic_in_one_thread_leaves_the_store_to_the_others() {
        let store = Memory::default();
        let died = std::thread::scope(|scope| {
            let dies = || {
                let _kept = store.kept();
                panic!("on purpose");
            };
            scope.spawn(dies).join()
        });
        assert!(died.is_err() && store.kept.is_poisoned());
        store.commit(&Commit::default()).unwrap();
    }
}
