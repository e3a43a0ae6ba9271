//! What a store has to write for a commit.

use uuid::Uuid;

use super::rows::{AttemptRow, PromptRow, RunRow, SessionRow};
use crate::run::SessionId;
use crate::store::committed::{Committed, Written};
use crate::store::records::{Message, Recorded};

/// What to write for a commit, in the order of the fields; events and messages come last.
#[derive(Debug, Clone, PartialEq)]
pub struct Projected {
    /// The sessions to delete, with everything that belongs to them. They may be new again in the fields that follow.
    pub forgotten: Vec<SessionId>,
    /// The sessions. New rows are in the order in which they began, here and below.
    pub sessions: Vec<Upsert<SessionRow>>,
    /// The runs. Those that have ended come before those that take their session.
    pub runs: Vec<Upsert<RunRow>>,
    /// The attempts.
    pub attempts: Vec<Upsert<AttemptRow>>,
    /// The prompts.
    pub prompts: Vec<Upsert<PromptRow>>,
    /// The messages that the agent will never get, by their ids: prompts that were withdrawn. They are marked once the messages
    /// of this commit are appended.
    pub undelivered: Vec<(SessionId, Uuid)>,
    /// Recipes are switched on or off everywhere.
    pub orchestration: Option<bool>,
    /// The last place that was given to an event. Where events are deleted, the store has to remember it: places are
    /// never given twice.
    pub last_place: u64,
    /// What the commit became.
    pub committed: Committed,
    /// The entries of sessions that were forgotten later in the same commit. They are reported and not written.
    pub(super) unwritten: Vec<usize>,
}

/// A row to write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Upsert<T> {
    /// The row, as it is after the commit.
    pub row: T,
    /// Whether there was none with its id before.
    pub is_new: bool,
}

impl Projected {
    /// The events to append, in order.
    pub fn events(&self) -> impl Iterator<Item = &Recorded> {
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
