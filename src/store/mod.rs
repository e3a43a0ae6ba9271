//! Remembering: what happened in runs and sessions, kept so that nothing of it is lost when the process is.
//!
//! A store decides nothing and starts nothing: it appends what it is given, all of a [`Commit`] or none of it, and
//! gives it back. What a commit means for its rows is the same for every store, in [`projection`]. Start with [`Store`],
//! then [`Commit`]; [`Sqlite`] is the real one.

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
pub use records::{Attempt, Message, Recorded, RunFilter, RunRecord, Session, Waiting};
pub use sqlite::{Opened, SetAside, Sqlite, SqliteOptions};
pub use upkeep::{Pruned, Quarantined};

pub use crate::session::{Change, Commit, Entry, NewMessage, NewSession, Process, Role, SessionEvent};

use crate::run::{AttemptId, PromptId, RunId, SessionId};

/// Where runs and sessions are kept.
///
/// Events are only ever appended, and are the truth; everything else that is read here follows from them or stands
/// beside them (the words of the conversation). What a commit wrote is seen by every read that begins after it. All
/// methods may block, and may be called from many threads at once. Implementations pass one suite of conformance
/// tests, which is there for yours as well: `store_conformance!` in `testkit/`.
///
/// A list leaves out the rows that cannot be read, and has the others; asking for such a run or its events says what is
/// wrong with it ([`StoreError::Unreadable`]). [`quarantined`](Self::quarantined) names them all.
///
/// ```
/// # fn main() -> Result<(), surefire::store::StoreError> {
/// use surefire::store::{Change, Commit, Memory, NewMessage, NewSession, Role, SessionEvent, Store};
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
    /// Writes all of it, durably, or nothing.
    ///
    /// # Errors
    /// The session has a run already, the run has moved on, what a change is about is not there or contradicts it, or
    /// the storage itself failed. Nothing was written then.
    fn commit(&self, commit: &Commit) -> Result<Committed, StoreError>;

    /// Writes several commits, each for itself, and says of each what became of it, in the same order.
    ///
    /// They may share what takes time, the disk's sync.
    fn commit_all(&self, commits: &[Commit]) -> Vec<Result<Committed, StoreError>> {
        commits.iter().map(|commit| self.commit(commit)).collect()
    }

    /// One session.
    ///
    /// # Errors
    /// The storage failed, or holds what cannot be read.
    fn session(&self, id: SessionId) -> Result<Option<Session>, StoreError>;

    /// The sessions that were last changed, newest first, at most so many.
    ///
    /// # Errors
    /// As [`session`](Self::session).
    fn sessions(&self, limit: usize) -> Result<Vec<Session>, StoreError>;

    /// The sessions that a list has after this one, which was the last of the page before.
    ///
    /// # Errors
    /// As [`session`](Self::session); [`StoreError::Missing`] if that session was deleted meanwhile.
    fn sessions_before(&self, before: &Session, limit: usize) -> Result<Vec<Session>, StoreError>;

    /// How many sessions there are.
    ///
    /// # Errors
    /// As [`session`](Self::session).
    fn session_count(&self) -> Result<u64, StoreError>;

    /// The words of a conversation, from this offset on (0 is the first), at most so many.
    ///
    /// # Errors
    /// As [`session`](Self::session).
    fn messages(&self, session: SessionId, from: u64, limit: usize) -> Result<Vec<Message>, StoreError>;

    /// What the agent said in one attempt, from this offset of the conversation on, at most so many.
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

    /// Runs, those that began last first.
    ///
    /// # Errors
    /// As [`session`](Self::session); [`StoreError::Missing`] if the run that a page is to begin after is not there.
    fn runs(&self, filter: &RunFilter) -> Result<Vec<RunRecord>, StoreError>;

    /// What happened in a run after this event (0 for all), at most so many.
    ///
    /// # Errors
    /// As [`session`](Self::session).
    fn events(&self, run: RunId, after: u64, limit: usize) -> Result<Vec<Recorded>, StoreError>;

    /// What happened in all runs after this place in the common order (0 for all), at most so many.
    ///
    /// # Errors
    /// As [`session`](Self::session).
    fn events_of_all(&self, after: u64, limit: usize) -> Result<Vec<Recorded>, StoreError>;

    /// The last place in the common order; 0 where nothing has happened yet. It never goes back, also when events are
    /// forgotten.
    ///
    /// # Errors
    /// As [`session`](Self::session).
    fn last_place(&self) -> Result<u64, StoreError>;

    /// One attempt.
    ///
    /// # Errors
    /// As [`session`](Self::session).
    fn attempt(&self, id: AttemptId) -> Result<Option<Attempt>, StoreError>;

    /// The attempts that were begun and never ended, the oldest first: what a crash left behind.
    ///
    /// # Errors
    /// As [`session`](Self::session).
    fn open_attempts(&self) -> Result<Vec<Attempt>, StoreError>;

    /// What people said in a session and the agent was not told yet, in order.
    ///
    /// # Errors
    /// As [`session`](Self::session).
    fn waiting(&self, session: SessionId) -> Result<Vec<Waiting>, StoreError>;

    /// The sessions in which something waits that the agent was not told yet.
    ///
    /// # Errors
    /// As [`session`](Self::session).
    fn waiting_sessions(&self) -> Result<Vec<SessionId>, StoreError>;

    /// What somebody said, whether it still waits or not.
    ///
    /// # Errors
    /// As [`session`](Self::session).
    fn prompt(&self, id: PromptId) -> Result<Option<Waiting>, StoreError>;

    /// Whether recipes are switched on: everywhere, or for one session (both have to be). They are until somebody
    /// switches them off.
    ///
    /// # Errors
    /// As [`session`](Self::session).
    fn orchestration(&self, session: Option<SessionId>) -> Result<bool, StoreError>;

    /// Forgets the runs that ended before this time (milliseconds since 1970), and says how many they were. A run that
    /// is to go on at that time or later stays, and so do the conversation and what still waits to be said.
    ///
    /// # Errors
    /// The storage failed. Nothing was forgotten then.
    fn prune(&self, ended_before: u64) -> Result<u64, StoreError>;

    /// Deletes the sessions in which nothing happened since this time (milliseconds since 1970), with their messages,
    /// runs, attempts and prompts, and says which they were. A session with a run that has not ended or is to resume by
    /// itself, a queued prompt or an open attempt stays.
    ///
    /// # Errors
    /// The storage failed. Nothing was deleted then.
    fn prune_sessions(&self, changed_before: u64) -> Result<Pruned, StoreError>;

    /// Returns the space of what was deleted to the file system, and says how many bytes that were. This may take a while,
    /// and commits wait for it.
    ///
    /// # Errors
    /// The storage failed, as it does where the disk has no room to do that in. Nothing was lost then.
    fn reclaim(&self) -> Result<u64, StoreError>;

    /// Sets aside a run that cannot be read. It counts as ended from then on: it holds no session, and resumes neither by
    /// itself nor when an engine starts. All its rows stay.
    ///
    /// # Errors
    /// There is no such run, or the storage failed.
    fn quarantine(&self, run: RunId, why: &str) -> Result<(), StoreError>;

    /// The runs that were set aside, and the rows that cannot be read. This reads the whole store.
    ///
    /// # Errors
    /// The storage failed.
    fn quarantined(&self) -> Result<Vec<Quarantined>, StoreError>;
}
