//! What is persisted atomically.

use serde::{Deserialize, Serialize};

use super::event::SessionEvent;
use super::records::{NewMessage, ProcessRecord};
use crate::run::{AttemptId, Event, RunId, SessionId};

/// Changes that belong together: all of them are persisted, or none.
///
/// ```
/// use surefire::session::{Change, Commit, Entry, NewMessage, Role};
/// # use uuid::Uuid;
/// # let session = Uuid::from_u128(7).into();
///
/// let message = NewMessage {
///     session,
///     id: Uuid::from_u128(8),
///     role: Role::User,
///     text: "Is the build green?".into(),
///     at: 1_750_000_000_000,
///     attempt: None,
///     run: None,
/// };
/// // The session has had three commits; if it has had more, this one is refused.
/// let expects = Change::Expects { session, commits: 3 };
/// let commit = Commit { changes: vec![expects, Change::message(message)] };
/// let json = serde_json::to_string(&commit).unwrap();
/// assert_eq!(serde_json::from_str::<Commit>(&json).unwrap(), commit);
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
    /// An optimistic lock: the writer knows this many commits of a session. If the session has had
    /// more or fewer, nothing of the commit is persisted; otherwise its count grows by one. So a
    /// commit that is applied twice is stale the second time.
    Expects {
        /// The session. It may begin in the same commit, before this.
        session: SessionId,
        /// How many commits it has had.
        commits: u64,
    },
    /// What happened in a run, in order. A run begins with [`Event::Started`], and holds its
    /// session until [`Event::Ended`]; [`Event::Resumed`] makes it hold the session again.
    ///
    /// The events also determine the state of attempts and prompts: a turn that began is an open
    /// attempt until its reply or the run's end, and the prompt that it delivers is no longer
    /// queued, unless the run's end interrupts its delivery.
    Run {
        /// The run.
        run: RunId,
        /// The number of the last event that the writer knows; if there is a later one, nothing is
        /// persisted.
        after: u64,
        /// When, in milliseconds since 1970.
        at: u64,
        /// The events, each with its message.
        entries: Vec<Entry<Event>>,
    },
    /// What happened in a session outside of its runs, in order.
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
        process: ProcessRecord,
    },
    /// Recipes are switched on or off for the whole server.
    Orchestration {
        /// On or off.
        enabled: bool,
    },
    /// A session is deleted with everything that belongs to it. It must not have an open run.
    #[serde(rename = "forgotten")]
    SessionDeleted {
        /// The session.
        session: SessionId,
    },
}

impl Change {
    /// Something that happened in a session outside of its runs.
    #[must_use]
    pub fn session(session: SessionId, at: u64, event: SessionEvent) -> Self {
        Self::Session { session, at, entries: vec![Entry { event: Some(event), message: None }] }
    }

    /// A message without an event: a passage that the agent wrote in the middle of a turn.
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
    /// The message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<NewMessage>,
}

/// The default of a missing field; serde would require `E: Default` otherwise.
const fn none<E>() -> Option<E> {
    None
}

impl<E> From<E> for Entry<E> {
    fn from(event: E) -> Self {
        Self { event: Some(event), message: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_deletion_of_a_session_keeps_its_stored_name() {
        let session: SessionId = "019078e5-0000-7000-8000-000000000001".parse().unwrap();
        let deleted = Change::SessionDeleted { session };
        let json = format!(r#"{{"change":"forgotten","session":"{session}"}}"#);
        assert_eq!(serde_json::to_string(&deleted).unwrap(), json);
        assert_eq!(serde_json::from_str::<Change>(&json).unwrap(), deleted);
    }
}
