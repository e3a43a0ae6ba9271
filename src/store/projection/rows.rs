//! The rows of a store: the public records, and the fields that only the next commit needs.

use crate::run::{AttemptId, PromptId, RunId, SessionId};
use crate::session::ProcessRecord;
use crate::store::records::{Attempt, QueuedPromptRecord, RunRecord, SessionRecord};

/// A session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionRow {
    /// The session. Its `run` is derived from the rows of its runs; a store may save it or look it
    /// up.
    pub session: SessionRecord,
    /// The time of its last message, in milliseconds since 1970; 0 before the first.
    pub last_message_at: u64,
    /// Whether recipes are switched on in it.
    pub orchestration: bool,
}

/// A run.
#[derive(Debug, Clone, PartialEq)]
pub struct RunRow {
    /// The run.
    pub record: RunRecord,
    /// The attempt in progress.
    pub attempt: Option<AttemptId>,
}

/// An attempt at a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttemptRow {
    /// Its id.
    pub id: AttemptId,
    /// The run it belongs to; `None` for a prompt outside of a run.
    pub run: Option<RunId>,
    /// The session.
    pub session: SessionId,
    /// The prompt that it delivers, if any.
    pub prompt: Option<PromptId>,
    /// When it began, in milliseconds since 1970.
    pub began_at: u64,
    /// Its process, once it had one.
    pub process: Option<ProcessRecord>,
    /// For an attempt outside a run: whether it has ended. An attempt of a run is open while
    /// [`RunRow::attempt`] names it, so that a reply does not have to write this row again.
    pub chat_ended: bool,
}

impl AttemptRow {
    /// The public record of the attempt. `turn` is the attempt in progress in its run.
    #[must_use]
    pub fn attempt(&self, turn: Option<AttemptId>) -> Attempt {
        let Self { id, run, session, prompt, began_at, .. } = *self;
        let ended = if run.is_some() { turn != Some(id) } else { self.chat_ended };
        Attempt { id, run, session, prompt, began_at, process: self.process.clone(), ended }
    }
}

/// A prompt that a client sent. The order of the rows is the order of the queue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptRow {
    /// The prompt.
    pub record: QueuedPromptRecord,
    /// Its session.
    pub session: SessionId,
    /// The run that delivers it.
    pub run: Option<RunId>,
    /// Whether it is no longer queued: delivered or withdrawn.
    pub taken: bool,
}
