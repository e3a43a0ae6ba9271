//! The rows to write for a commit.

use uuid::Uuid;

use super::rows::{AttemptRow, PromptRow, RunRow, SessionRow};
use crate::run::SessionId;
use crate::store::committed::{Committed, Written};
use crate::store::records::{EventRecord, Message};

/// The rows to write for a commit, in the order of the fields; events and messages come last.
#[derive(Debug, Clone, PartialEq)]
pub struct Projected {
    /// The sessions to delete, with everything that belongs to them. The fields below may create
    /// them anew.
    pub forgotten: Vec<SessionId>,
    /// The sessions. New rows are in the order in which they began, here and below.
    pub sessions: Vec<Upsert<SessionRow>>,
    /// The runs. Those that have ended come before those that take their session.
    pub runs: Vec<Upsert<RunRow>>,
    /// The attempts.
    pub attempts: Vec<Upsert<AttemptRow>>,
    /// The prompts.
    pub prompts: Vec<Upsert<PromptRow>>,
    /// The ids of withdrawn prompts' messages, which the agent will never receive. Mark them after
    /// appending this commit's messages.
    pub undelivered: Vec<(SessionId, Uuid)>,
    /// Whether recipes are switched on globally, if that changes.
    pub orchestration: Option<bool>,
    /// The last global sequence number. The store has to keep it even if it deletes the event,
    /// since numbers are never reused.
    pub last_global_seq: u64,
    /// The result of the commit.
    pub committed: Committed,
    /// The entries of sessions that this commit deletes again. They are reported but not written.
    pub(super) unwritten: Vec<usize>,
}

/// A row to write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Upsert<T> {
    /// The row, as it is after the commit.
    pub row: T,
    /// Whether the row is new.
    pub is_new: bool,
}

impl Projected {
    /// The events to append, in order.
    pub fn events(&self) -> impl Iterator<Item = &EventRecord> {
        self.entries().filter_map(Written::recorded)
    }

    /// The messages to append, in order.
    pub fn messages(&self) -> impl Iterator<Item = &Message> {
        self.entries().filter_map(|written| written.message.as_ref())
    }

    fn entries(&self) -> impl Iterator<Item = &Written> {
        let numbered = self.committed.entries.iter().enumerate();
        numbered.filter(|(index, _)| !self.unwritten.contains(index)).map(|(_, written)| written)
    }
}
