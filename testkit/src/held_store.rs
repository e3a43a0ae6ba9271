//! A store that fails or blocks on demand.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard};

use surefire::run::{AttemptId, PromptId, RunId, SessionId};
use surefire::store::{
    Attempt, Change, Commit, Committed, EventRecord, Memory, Message, Pruned, Quarantined,
    QueuedPromptRecord, RunFilter, RunRecord, SessionRecord, Store, StoreError,
};
use tokio::sync::Notify;

/// A store in memory that fails or blocks on demand.
#[derive(Debug, Default)]
pub struct HeldStore {
    inner: Memory,
    /// Every commit fails: the disk is full.
    pub full: AtomicBool,
    /// How many commits failed for that reason.
    pub refused: AtomicUsize,
    /// Every read fails, too.
    pub unreadable: AtomicBool,
    /// The list of sessions has a row that can never be read.
    pub damaged: AtomicBool,
    /// Messages get impossible offsets.
    pub nonsense: AtomicBool,
    /// How many commits were written.
    pub commits: AtomicUsize,
    /// How many commits of an agent's passages are still to fail.
    pub passages_that_fail: AtomicUsize,
    /// How often passages were read.
    pub passages_read: AtomicUsize,
    /// How many reads of a run's events are still to fail.
    pub journals_that_fail: AtomicUsize,
    /// How many reads of a list of runs are still to fail.
    pub lists_that_fail: AtomicUsize,
    /// The next commit that records a process blocks.
    pub holds_a_process: AtomicBool,
    /// Only commits of a single change fit.
    pub nearly_full: AtomicBool,
    /// Whether reads of the list of sessions block.
    lists_held: Mutex<bool>,
    /// How many of them are blocked.
    pub lists_waiting: AtomicUsize,
    hold: Mutex<Hold>,
    holding: Notify,
    refusing: Notify,
    runs_held: Mutex<bool>,
    runs_released: Condvar,
    released: Condvar,
    list_released: Condvar,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Hold {
    #[default]
    Open,
    /// The next commit blocks before it is written.
    Before,
    /// The next commit blocks after it was written, before it returns.
    After,
    Holding,
}

impl HeldStore {
    /// Sets whether reads of the list of sessions block.
    ///
    /// # Panics
    /// If a read of the list has panicked.
    pub fn hold_lists(&self, held: bool) {
        *self.lists_held.lock().expect("no list panics") = held;
        self.list_released.notify_all();
    }

    /// Makes the next commit block before it is written.
    pub fn hold_before_the_next_commit(&self) {
        *self.hold() = Hold::Before;
    }

    /// Makes the next commit block after it was written, before it returns.
    pub fn hold_after_the_next_commit(&self) {
        *self.hold() = Hold::After;
    }

    /// Releases the held commit.
    pub fn release(&self) {
        *self.hold() = Hold::Open;
        self.released.notify_all();
    }

    /// Waits until a commit is blocked.
    pub async fn holds(&self) {
        loop {
            let holding = self.holding.notified();
            if *self.hold() == Hold::Holding {
                return;
            }
            holding.await;
        }
    }

    /// Makes every read of a run block.
    pub fn hold_reads_of_runs(&self) {
        *self.runs_held() = true;
    }

    /// Releases the held reads of runs.
    pub fn release_reads_of_runs(&self) {
        *self.runs_held() = false;
        self.runs_released.notify_all();
    }

    /// Waits until a commit has failed.
    pub async fn refuses(&self) {
        loop {
            let refusing = self.refusing.notified();
            if self.refused.load(Ordering::SeqCst) > 0 {
                return;
            }
            refusing.await;
        }
    }

    fn runs_held(&self) -> MutexGuard<'_, bool> {
        self.runs_held.lock().expect("no read panics")
    }

    fn hold(&self) -> MutexGuard<'_, Hold> {
        self.hold.lock().expect("no commit panics")
    }

    fn block(&self, when: Hold) {
        let mut hold = self.hold();
        if *hold == when {
            *hold = Hold::Holding;
            self.holding.notify_waiters();
            let released = self.released.wait_while(hold, |hold| *hold == Hold::Holding);
            drop(released.expect("no commit panics"));
        }
    }

    fn readable(&self) -> Result<&Memory, StoreError> {
        if self.unreadable.load(Ordering::SeqCst) {
            return Err(StoreError::Failed { why: "disk I/O error".into() });
        }
        Ok(&self.inner)
    }
}

/// Whether a commit only adds messages: passages of the agent, in the middle of a turn.
fn is_passage(commit: &Commit) -> bool {
    let mut changes =
        commit.changes.iter().filter(|it| !matches!(it, Change::Expects { .. })).peekable();
    let only_messages = |change: &Change| match change {
        Change::Run { entries, .. } => entries.iter().all(|it| it.event.is_none()),
        Change::Session { entries, .. } => entries.iter().all(|it| it.event.is_none()),
        Change::Expects { .. }
        | Change::Spawned { .. }
        | Change::Orchestration { .. }
        | Change::SessionDeleted { .. } => false,
    };
    changes.peek().is_some() && changes.all(only_messages)
}

/// Fails, and counts down, until the count is zero.
fn fails(left: &AtomicUsize) -> Result<(), StoreError> {
    let one_less = |left: usize| left.checked_sub(1);
    match left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, one_less) {
        Ok(_) => Err(StoreError::Locked),
        Err(_) => Ok(()),
    }
}

impl Store for HeldStore {
    fn commit(&self, commit: &Commit) -> Result<Committed, StoreError> {
        if self.full.load(Ordering::SeqCst) {
            self.refused.fetch_add(1, Ordering::SeqCst);
            self.refusing.notify_waiters();
            return Err(StoreError::Full);
        }
        if self.nearly_full.load(Ordering::SeqCst) && commit.changes.len() > 1 {
            return Err(StoreError::Full);
        }
        let spawned = commit.changes.iter().any(|change| matches!(change, Change::Spawned { .. }));
        if spawned && self.holds_a_process.swap(false, Ordering::SeqCst) {
            self.hold_before_the_next_commit();
        }
        if is_passage(commit) {
            fails(&self.passages_that_fail)?;
        }
        self.block(Hold::Before);
        let mut committed = self.inner.commit(commit);
        if let (Ok(committed), true) = (&mut committed, self.nonsense.load(Ordering::SeqCst)) {
            let messages = committed.entries.iter_mut().filter_map(|it| it.message.as_mut());
            messages.for_each(|message| message.offset = u64::MAX);
        }
        self.commits.fetch_add(usize::from(committed.is_ok()), Ordering::SeqCst);
        self.block(Hold::After);
        committed
    }
    fn session(&self, id: SessionId) -> Result<Option<SessionRecord>, StoreError> {
        self.readable()?.session(id)
    }
    fn sessions(&self, limit: usize) -> Result<Vec<SessionRecord>, StoreError> {
        if self.damaged.load(Ordering::SeqCst) {
            return Err(StoreError::Unreadable { what: "a session".into() });
        }
        self.lists_waiting.fetch_add(1, Ordering::SeqCst);
        let held = self.lists_held.lock().unwrap();
        drop(self.list_released.wait_while(held, |held| *held).unwrap());
        self.lists_waiting.fetch_sub(1, Ordering::SeqCst);
        self.readable()?.sessions(limit)
    }
    fn sessions_before(
        &self,
        before: &SessionRecord,
        limit: usize,
    ) -> Result<Vec<SessionRecord>, StoreError> {
        self.readable()?.sessions_before(before, limit)
    }
    fn session_count(&self) -> Result<u64, StoreError> {
        self.readable()?.session_count()
    }
    fn messages(
        &self,
        session: SessionId,
        from: u64,
        limit: usize,
    ) -> Result<Vec<Message>, StoreError> {
        self.readable()?.messages(session, from, limit)
    }
    fn passages(
        &self,
        session: SessionId,
        attempt: AttemptId,
        from: u64,
        limit: usize,
    ) -> Result<Vec<Message>, StoreError> {
        self.passages_read.fetch_add(1, Ordering::SeqCst);
        self.readable()?.passages(session, attempt, from, limit)
    }
    fn run(&self, id: RunId) -> Result<Option<RunRecord>, StoreError> {
        let held = self.runs_held();
        drop(self.runs_released.wait_while(held, |held| *held).expect("no read panics"));
        self.readable()?.run(id)
    }
    fn runs(&self, filter: &RunFilter) -> Result<Vec<RunRecord>, StoreError> {
        fails(&self.lists_that_fail)?;
        self.readable()?.runs(filter)
    }
    fn events(&self, run: RunId, after: u64, limit: usize) -> Result<Vec<EventRecord>, StoreError> {
        fails(&self.journals_that_fail)?;
        self.readable()?.events(run, after, limit)
    }
    fn events_of_all(&self, after: u64, limit: usize) -> Result<Vec<EventRecord>, StoreError> {
        self.readable()?.events_of_all(after, limit)
    }
    fn last_global_seq(&self) -> Result<u64, StoreError> {
        self.readable()?.last_global_seq()
    }
    fn attempt(&self, id: AttemptId) -> Result<Option<Attempt>, StoreError> {
        self.readable()?.attempt(id)
    }
    fn open_attempts(&self) -> Result<Vec<Attempt>, StoreError> {
        self.readable()?.open_attempts()
    }
    fn queued_prompts(&self, session: SessionId) -> Result<Vec<QueuedPromptRecord>, StoreError> {
        self.readable()?.queued_prompts(session)
    }
    fn sessions_with_queued_prompts(&self) -> Result<Vec<SessionId>, StoreError> {
        self.readable()?.sessions_with_queued_prompts()
    }
    fn prompt(&self, id: PromptId) -> Result<Option<QueuedPromptRecord>, StoreError> {
        self.readable()?.prompt(id)
    }
    fn orchestration(&self, session: Option<SessionId>) -> Result<bool, StoreError> {
        self.readable()?.orchestration(session)
    }
    fn prune(&self, ended_before: u64) -> Result<u64, StoreError> {
        self.readable()?.prune(ended_before)
    }
    fn prune_sessions(&self, changed_before: u64) -> Result<Pruned, StoreError> {
        self.readable()?.prune_sessions(changed_before)
    }
    fn reclaim(&self) -> Result<u64, StoreError> {
        self.readable()?.reclaim()
    }
    fn quarantine(&self, run: RunId, why: &str) -> Result<(), StoreError> {
        self.readable()?.quarantine(run, why)
    }
    fn quarantined(&self) -> Result<Vec<Quarantined>, StoreError> {
        self.readable()?.quarantined()
    }
}
