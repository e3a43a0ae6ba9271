//! What is read back.

use std::path::PathBuf;

use uuid::Uuid;

use crate::run::{AttemptId, Ending, Event, PromptId, RunId, SessionId};
use crate::session::{Process, Role};

/// An event, with its numbers and its time.
#[derive(Debug, Clone, PartialEq)]
pub struct Recorded {
    /// Its place among the events of all runs: later ones are higher.
    pub place: u64,
    /// The run.
    pub run: RunId,
    /// The run's session.
    pub session: SessionId,
    /// Its number in the run, from 1, without gaps.
    pub seq: u64,
    /// When it was written, in milliseconds since 1970. Order is by number, not by time.
    pub at: u64,
    /// What happened.
    pub event: Event,
}

/// A session: the agent's conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    /// Its id.
    pub id: SessionId,
    /// What people call it.
    pub name: String,
    /// Where its agent works.
    pub directory: PathBuf,
    /// Its agent, by name.
    pub agent: String,
    /// What its agent is told beside every prompt.
    pub system_prompt: Option<String>,
    /// When it began, in milliseconds since 1970.
    pub created_at: u64,
    /// When anything last happened in it.
    pub changed_at: u64,
    /// How many messages its conversation has.
    pub messages: u64,
    /// How many commits its writers have counted; see [`Change::Expects`](super::Change::Expects).
    pub commits: u64,
    /// Whether the agent has answered in it.
    pub opened: bool,
    /// The run that goes on in it.
    pub run: Option<RunId>,
}

/// Something said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// The conversation.
    pub session: SessionId,
    /// Its place in the conversation, from 0, without gaps.
    pub offset: u64,
    /// Names the message, everywhere.
    pub id: Uuid,
    /// Who said it.
    pub role: Role,
    /// The words.
    pub text: String,
    /// When, in milliseconds since 1970; never before the message before it.
    pub at: u64,
    /// The attempt it belongs to.
    pub attempt: Option<AttemptId>,
    /// The run it belongs to.
    pub run: Option<RunId>,
    /// Whether the agent got it, or may have: not so for a prompt that was withdrawn while it was queued.
    pub delivered: bool,
}

/// A run, in a line.
#[derive(Debug, Clone, PartialEq)]
pub struct RunRecord {
    /// Its id.
    pub id: RunId,
    /// Its session.
    pub session: SessionId,
    /// Its recipe's id.
    pub recipe: String,
    /// Where its agent works.
    pub directory: PathBuf,
    /// Its agent, by name.
    pub agent: String,
    /// Whether it only rehearses.
    pub rehearsal: bool,
    /// The run it continues.
    pub continues: Option<RunId>,
    /// When it began, in milliseconds since 1970.
    pub started_at: u64,
    /// When anything last happened in it.
    pub changed_at: u64,
    /// The step it is at, or ended at.
    pub step: String,
    /// How many steps it has taken.
    pub steps: u32,
    /// The number of its last event.
    pub last_seq: u64,
    /// What it cost so far, itself and not its chain: an estimate.
    pub cost_usd: f64,
    /// How it ended; `None` while it goes on.
    pub ending: Option<Ending>,
}

/// Which runs to list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RunFilter {
    /// Of this recipe.
    pub recipe: Option<String>,
    /// Ended for this reason; a reason that carries a step is also found without it.
    pub reason: Option<String>,
    /// In this session.
    pub session: Option<SessionId>,
    /// Whose id begins like this, in lower case.
    pub id_prefix: Option<String>,
    /// Only those that go on (`true`) or have ended (`false`).
    pub open: Option<bool>,
    /// Only those that ended and wait for a time to go on.
    pub resume_due: bool,
    /// Only those that the list has after this run: the last run of one page begins the next. The run has to be there.
    pub before: Option<RunId>,
    /// At most so many; `None` for all.
    pub limit: Option<usize>,
}

/// One attempt at a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempt {
    /// Names it.
    pub id: AttemptId,
    /// The run it belongs to; `None` for a prompt outside of a run.
    pub run: Option<RunId>,
    /// The session.
    pub session: SessionId,
    /// What it passes on, where it passes something on.
    pub prompt: Option<PromptId>,
    /// When it began, in milliseconds since 1970.
    pub began_at: u64,
    /// Its process, once it had one.
    pub process: Option<Process>,
    /// Whether it has ended.
    pub ended: bool,
}

/// A prompt that waits for its turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waiting {
    /// Names it.
    pub prompt: PromptId,
    /// The words.
    pub text: String,
    /// When it was said, in milliseconds since 1970.
    pub at: u64,
    /// Whether the agent may have got it already.
    pub again: bool,
    /// Its place among all prompts, in the order in which they were sent.
    pub number: u64,
}
