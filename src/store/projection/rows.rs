//! The rows that a store keeps: what is read back, and what only the next commit needs to know.

use crate::run::{AttemptId, PromptId, RunId, SessionId};
use crate::session::Process;
use crate::store::records::{Attempt, RunRecord, Session, Waiting};

/// A session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionRow {
    /// The session. Its `run` follows from the rows of its runs; a store may keep it, or look it up.
    pub session: Session,
    /// When its last message was said, in milliseconds since 1970; 0 before the first.
    pub last_message_at: u64,
    /// Whether recipes are switched on in it.
    pub orchestration: bool,
}

/// A run.
#[derive(Debug, Clone, PartialEq)]
pub struct RunRow {
    /// The run.
    pub record: RunRecord,
    /// The turn that its agent is in.
    pub attempt: Option<AttemptId>,
}

/// An attempt at a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttemptRow {
    /// Names it.
    pub id: AttemptId,
    /// The run it belongs to; `None` for a prompt outside of a run.
    pub run: Option<RunId>,
    /// The session.
    pub session: SessionId,
    /// The prompt that it passes on, if any.
    pub prompt: Option<PromptId>,
    /// When it began, in milliseconds since 1970.
    pub began_at: u64,
    /// Its process, once it had one.
    pub process: Option<Process>,
    /// For one outside of a run: whether it has ended. One of a run is open for as long as [`RunRow::attempt`] names it,
    /// so that a reply does not have to write it again.
    pub chat_ended: bool,
}

impl AttemptRow {
    /// The attempt as it is read back, beside the turn that its run is in.
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
    pub waiting: Waiting,
    /// Its session.
    pub session: SessionId,
    /// The run that passes it on.
    pub run: Option<RunId>,
    /// Whether it is no longer queued: the agent is given it, or it was withdrawn.
    pub taken: bool,
}
