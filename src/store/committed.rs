//! The result of a commit.

use super::records::{EventRecord, Message, SessionRecord};
use crate::run::SessionId;
use crate::session::SessionEvent;

/// The result of a commit: the sessions it began, and its entries with their numbers.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Committed {
    /// The new sessions, as they are after the whole commit.
    pub sessions: Vec<SessionRecord>,
    /// The entries of all its changes, in the commit's order.
    pub entries: Vec<Written>,
}

/// A persisted event and the message that belongs to it: at least one of the two.
#[derive(Debug, Clone, PartialEq)]
pub struct Written {
    /// What happened.
    pub event: Option<WrittenEvent>,
    /// The message.
    pub message: Option<Message>,
}

/// A persisted event.
#[allow(
    clippy::large_enum_variant,
    reason = "most are events of runs, and boxing each costs more than the space"
)]
#[derive(Debug, Clone, PartialEq)]
pub enum WrittenEvent {
    /// In a run.
    Run(EventRecord),
    /// In a session, outside its runs.
    Session {
        /// The session.
        session: SessionId,
        /// What happened.
        event: SessionEvent,
    },
}

impl Committed {
    /// The events of runs, in order.
    pub fn events(&self) -> impl Iterator<Item = &EventRecord> {
        self.entries.iter().filter_map(Written::recorded)
    }

    /// The messages, in order.
    pub fn messages(&self) -> impl Iterator<Item = &Message> {
        self.entries.iter().filter_map(|written| written.message.as_ref())
    }
}

impl Written {
    /// The event, if it happened in a run.
    #[must_use]
    pub const fn recorded(&self) -> Option<&EventRecord> {
        match &self.event {
            Some(WrittenEvent::Run(recorded)) => Some(recorded),
            Some(WrittenEvent::Session { .. }) | None => None,
        }
    }
}
