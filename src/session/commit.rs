//! What is persisted at once.

use serde::{Deserialize, Serialize};

use super::event::SessionEvent;
use super::records::{NewMessage, Process};
use crate::run::{AttemptId, Event, RunId, SessionId};

/// Changes that belong together: all of them are persisted, or none.
///
/// ```
/// use surefire::session::{Change, Commit, Entry, NewMessage, Role};
/// # use uuid::Uuid;
/// # let session = Uuid::from_u128(7).into();
///
/// let said = NewMessage {
///     session,
///     id: Uuid::from_u128(8),
///     role: Role::User,
///     text: "Is the build green?".into(),
///     at: 1_750_000_000_000,
///     attempt: None,
///     run: None,
/// };
/// // The session has had three commits; if it has had more, this one is refused.
/// let commit = Commit { changes: vec![Change::Expects { session, commits: 3 }, Change::message(said)] };
/// let sent = serde_json::to_string(&commit).unwrap();
/// assert_eq!(serde_json::from_str::<Commit>(&sent).unwrap(), commit);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Commit {
    /// The changes, in order.
    pub changes: Vec<Change>,
}

/// One change.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "change", rename_all = "snake_case")]
pub enum Change {
    /// The writer knows this many commits of a session. If the session has had more or fewer, nothing of the commit is
    /// persisted; otherwise it has had one more afterwards. So a commit that is applied twice is stale the second time.
    Expects {
        /// The session. It may begin in the same commit, before this.
        session: SessionId,
        /// How many commits it has had.
        commits: u64,
    },
    /// What happened in a run, in order. A run begins with [`Event::Started`], and holds its session until
    /// [`Event::Ended`]; [`Event::Resumed`] takes it again.
    ///
    /// The events also say what becomes of attempts and prompts: a turn that began is an open attempt until its reply
    /// or the run's end, and what it passes on is no longer queued, unless the end cut it short.
    Run {
        /// The run.
        run: RunId,
        /// The number of the last event that the writer knows of; if there is a later one, nothing is persisted.
        after: u64,
        /// When, in milliseconds since 1970.
        at: u64,
        /// The events, each with its message.
        entries: Vec<Entry<Event>>,
    },
    /// What happened in a session beside its runs, in order.
    Session {
        /// The session.
        session: SessionId,
        /// When, in milliseconds since 1970.
        at: u64,
        /// The events, each with its message.
        entries: Vec<Entry<SessionEvent>>,
    },
    /// An attempt has a process now.
    Spawned {
        /// The attempt.
        attempt: AttemptId,
        /// Its process.
        process: Process,
    },
    /// Recipes are switched on or off everywhere.
    Orchestration {
        /// On or off.
        enabled: bool,
    },
    /// A session is deleted with everything that belongs to it. It must not have an open run.
    Forgotten {
        /// The session.
        session: SessionId,
    },
}

impl Change {
    /// Something that happened in a session beside its runs.
    #[must_use]
    pub fn session(session: SessionId, at: u64, event: SessionEvent) -> Self {
        Self::Session { session, at, entries: vec![Entry { event: Some(event), message: None }] }
    }

    /// A message that no event goes with: a passage that the agent said in the middle of a turn.
    #[must_use]
    pub fn message(message: NewMessage) -> Self {
        let (session, at) = (message.session, message.at);
        Self::Session { session, at, entries: vec![Entry { event: None, message: Some(message) }] }
    }
}

/// An event and the message that it adds to the conversation: at least one of the two.
///
/// They are published together: an assistant's message before its event, a user's message after it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Entry<E> {
    /// What happened.
    #[serde(default = "none", skip_serializing_if = "Option::is_none")]
    pub event: Option<E>,
    /// What was said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<NewMessage>,
}

/// A field that is left out; serde would ask for `E: Default` otherwise.
const fn none<E>() -> Option<E> {
    None
}

impl<E> From<E> for Entry<E> {
    fn from(event: E) -> Self {
        Self { event: Some(event), message: None }
    }
}
