//! What a commit became.

use super::records::{Message, Recorded, Session};
use crate::run::SessionId;
use crate::session::SessionEvent;

/// What a commit became: the sessions it began, and its entries with the numbers they were given.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Committed {
    /// The sessions that were not there before, as they are after the whole commit.
    pub sessions: Vec<Session>,
    /// The entries of all its changes, in the commit's order.
    pub entries: Vec<Written>,
}

/// An event and the message that belongs to it, as they were written: at least one of the two.
#[derive(Debug, Clone, PartialEq)]
pub struct Written {
    /// What happened.
    pub event: Option<WrittenEvent>,
    /// What was said.
    pub message: Option<Message>,
}

/// Something that happened, as it was written.
#[allow(
    clippy::large_enum_variant,
    reason = "most are events of runs, and a box for each costs more than the room"
)]
#[derive(Debug, Clone, PartialEq)]
pub enum WrittenEvent {
    /// In a run.
    Run(Recorded),
    /// In a session, beside its runs.
    Session {
        /// The session.
        session: SessionId,
        /// What happened.
        event: SessionEvent,
    },
}

impl Committed {
    /// The events of runs, in order.
    pub fn events(&self) -> impl Iterator<Item = &Recorded> {
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
    pub const fn recorded(&self) -> Option<&Recorded> {
        match &self.event {
            Some(WrittenEvent::Run(recorded)) => Some(recorded),
            Some(WrittenEvent::Session { .. }) | None => None,
        }
    }
}
