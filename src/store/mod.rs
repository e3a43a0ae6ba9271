//! Remembering: the events of runs and sessions, persisted so that they survive the process.
//!
//! A store decides nothing and starts nothing: it appends a [`Commit`] atomically, and reads it
//! back. What a commit means for the rows is the same for every store, in [`projection`]. Start
//! with [`Store`], then [`Commit`]; [`Sqlite`] is the durable one.

mod committed;
mod error;
mod holder;
mod memory;
pub mod projection;
mod records;
mod sqlite;
mod upkeep;

pub use committed::{Committed, Written, WrittenEvent};
pub use error::StoreError;
pub use holder::Holder;
pub use memory::Memory;
pub use records::{
    Attempt, EventRecord, Message, QueuedPromptRecord, RunFilter, RunRecord, SessionRecord,
};
pub use sqlite::{Opened, QuarantinedStore, Sqlite, SqliteOptions};
pub use upkeep::{Pruned, Quarantined};

pub use crate::session::{
    Change, Commit, Entry, NewMessage, NewSession, ProcessRecord, Role, SessionEvent,
};

use crate::run::{AttemptId, PromptId, RunId, SessionId};

/// Persists runs and sessions.
///
/// Events are append-only and the source of truth; everything else is a projection of them, except
/// the texts of the conversation. Every read that begins after a commit sees it. All methods may
/// block, and may be called from many threads at once. Every implementation passes one conformance
/// suite, which you can run on your own: `store_conformance!` in `testkit/`.
///
/// Lists skip unreadable rows. Reading such a run or its events fails with
/// [`StoreError::Unreadable`], and [`quarantined`](Self::quarantined) lists them all.
///
/// ```
/// # fn main() -> Result<(), surefire::store::StoreError> {
/// use surefire::store::{
///     Change, Commit, Memory, NewMessage, NewSession, Role, SessionEvent, Store,
/// };
/// use uuid::Uuid;
///
/// let store: &dyn Store = &Memory::default();
/// let (session, at) = (Uuid::from_u128(7).into(), 1_750_000_000_000);
/// let begun = NewSession {
///     id: session,
///     name: "Payments".into(),
///     directory: "/home/me/payments".into(),
///     agent: "claude".into(),
///     system_prompt: None,
///     at,
/// };
/// let said = NewMessage {
///     session,
///     id: Uuid::from_u128(8),
///     role: Role::User,
///     text: "Is the build green?".into(),
///     at,
///     attempt: None,
///     run: None,
/// };
/// let begins = Change::session(session, at, SessionEvent::Began(begun));
/// let committed = store.commit(&Commit { changes: vec![begins, Change::message(said)] })?;
/// let message = committed.messages().next().unwrap();
/// assert_eq!((committed.sessions[0].messages, message.offset), (1, 0));
/// assert_eq!(store.messages(session, 0, 50)?, [message.clone()]);
/// # Ok(())
/// # }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a store",
    note = "use `Sqlite`, `Memory`, or implement `Store` for your own"
)]
pub trait Store: Send + Sync + 'static {
    /// Persists a commit, atomically and durably.
    ///
    /// # Errors
    /// The session has an open run, the writer is stale, a change contradicts the store or its
    /// subject does not exist, or the storage failed. Nothing was written.
    fn commit(&self, commit: &Commit) -> Result<Committed, StoreError>;

    /// Persists several commits, each on its own, and returns their results in the same order.
    ///
    /// They may share one sync of the disk.
    fn commit_all(&self, commits: &[Commit]) -> Vec<Result<Committed, StoreError>> {
        commits.iter().map(|commit| self.commit(commit)).collect()
    }

    /// One session.
    ///
    /// # Errors
    /// The storage failed, or a row cannot be read.
    fn session(&self, id: SessionId) -> Result<Option<SessionRecord>, StoreError>;

    /// The most recently changed sessions, newest first, at most `limit`.
    ///
    /// # Errors
    /// As [`session`](Self::session).
    fn sessions(&self, limit: usize) -> Result<Vec<SessionRecord>, StoreError>;

    /// The next page of sessions, after this one.
    ///
    /// # Errors
    /// As [`session`](Self::session); [`StoreError::Missing`] if that session was deleted
    /// meanwhile.
    fn sessions_before(
        &self,
        before: &SessionRecord,
        limit: usize,
    ) -> Result<Vec<SessionRecord>, StoreError>;

    /// How many sessions there are.
    ///
    /// # Errors
    /// As [`session`](Self::session).
    fn session_count(&self) -> Result<u64, StoreError>;

    /// The messages of a conversation, from this offset on (0 is the first), at most `limit`.
    ///
    /// # Errors
    /// As [`session`](Self::session).
    fn messages(
        &self,
        session: SessionId,
        from: u64,
        limit: usize,
    ) -> Result<Vec<Message>, StoreError>;

    /// The agent's passages in one attempt, from this offset of the conversation on, at most
    /// `limit`.
    ///
    /// # Errors
    /// As [`session`](Self::session).
    fn passages(
        &self,
        session: SessionId,
        attempt: AttemptId,
        from: u64,
        limit: usize,
    ) -> Result<Vec<Message>, StoreError>;

    /// One run.
    ///
    /// # Errors
    /// As [`session`](Self::session).
    fn run(&self, id: RunId) -> Result<Option<RunRecord>, StoreError>;

    /// Runs, newest first.
    ///
    /// # Errors
    /// As [`session`](Self::session); [`StoreError::Missing`] if the run that the page starts after
    /// does not exist.
    fn runs(&self, filter: &RunFilter) -> Result<Vec<RunRecord>, StoreError>;

    /// The events of a run after this number (0 for all), at most `limit`.
    ///
    /// # Errors
    /// As [`session`](Self::session).
    fn events(&self, run: RunId, after: u64, limit: usize) -> Result<Vec<EventRecord>, StoreError>;

    /// The events of all runs after this global sequence number (0 for all), at most `limit`.
    ///
    /// # Errors
    /// As [`session`](Self::session).
    fn events_of_all(&self, after: u64, limit: usize) -> Result<Vec<EventRecord>, StoreError>;

    /// The last global sequence number; 0 before the first event. It never decreases, even if
    /// events are deleted.
    ///
    /// # Errors
    /// As [`session`](Self::session).
    fn last_global_seq(&self) -> Result<u64, StoreError>;

    /// One attempt.
    ///
    /// # Errors
    /// As [`session`](Self::session).
    fn attempt(&self, id: AttemptId) -> Result<Option<Attempt>, StoreError>;

    /// The attempts that have not ended, oldest first: in progress, or left by a crash.
    ///
    /// # Errors
    /// As [`session`](Self::session).
    fn open_attempts(&self) -> Result<Vec<Attempt>, StoreError>;

    /// The queued prompts of a session, in order.
    ///
    /// # Errors
    /// As [`session`](Self::session).
    fn queued_prompts(&self, session: SessionId) -> Result<Vec<QueuedPromptRecord>, StoreError>;

    /// The sessions with queued prompts.
    ///
    /// # Errors
    /// As [`session`](Self::session).
    fn sessions_with_queued_prompts(&self) -> Result<Vec<SessionId>, StoreError>;

    /// One prompt, queued or not.
    ///
    /// # Errors
    /// As [`session`](Self::session).
    fn prompt(&self, id: PromptId) -> Result<Option<QueuedPromptRecord>, StoreError>;

    /// Whether recipes are switched on: globally, or in one session (which requires both). The
    /// default is on.
    ///
    /// # Errors
    /// As [`session`](Self::session).
    fn orchestration(&self, session: Option<SessionId>) -> Result<bool, StoreError>;

    /// Deletes the runs that ended before this time (milliseconds since 1970). Returns how many. A
    /// run that resumes at that time or later stays, and so do conversations and queued prompts.
    ///
    /// # Errors
    /// The storage failed; nothing was deleted.
    fn prune(&self, ended_before: u64) -> Result<u64, StoreError>;

    /// Deletes the sessions without activity since this time (milliseconds since 1970), with their
    /// messages, runs, attempts and prompts. Returns which. A session with an open or paused run, a
    /// queued prompt or an open attempt stays.
    ///
    /// # Errors
    /// The storage failed; nothing was deleted.
    fn prune_sessions(&self, changed_before: u64) -> Result<Pruned, StoreError>;

    /// Returns the space of deleted rows to the file system. Returns the number of bytes. This may
    /// take a while, and commits wait for it.
    ///
    /// # Errors
    /// The storage failed, for example because the disk has no space for the copy. Nothing was
    /// lost.
    fn reclaim(&self) -> Result<u64, StoreError>;

    /// Quarantines a run that cannot be read. From then on it counts as ended: it does not hold its
    /// session and never resumes. All its rows stay.
    ///
    /// # Errors
    /// There is no such run, or the storage failed.
    fn quarantine(&self, run: RunId, why: &str) -> Result<(), StoreError>;

    /// The quarantined runs, and the rows that cannot be read. This reads the whole store.
    ///
    /// # Errors
    /// The storage failed.
    fn quarantined(&self) -> Result<Vec<Quarantined>, StoreError>;
}
