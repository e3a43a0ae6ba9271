//! The records that a store returns.

use std::path::PathBuf;

use uuid::Uuid;

use crate::run::{AttemptId, Ending, Event, PromptId, RunId, SessionId};
use crate::session::{ProcessRecord, Role};

/// A persisted event.
#[derive(Debug, Clone, PartialEq)]
pub struct EventRecord {
    /// Its position among the events of all runs, in commit order.
    pub global_seq: u64,
    /// The run.
    pub run: RunId,
    /// The run's session.
    pub session: SessionId,
    /// Its 1-based number in the run, without gaps.
    pub seq: u64,
    /// When it was persisted, in milliseconds since 1970. Order by number, not by time.
    pub at: u64,
    /// What happened.
    pub event: Event,
}

/// A session: the agent's conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionRecord {
    /// Its id.
    pub id: SessionId,
    /// Its display name.
    pub name: String,
    /// Where its agent works.
    pub directory: PathBuf,
    /// Its agent's name.
    pub agent: String,
    /// The system prompt for its agent.
    pub system_prompt: Option<String>,
    /// When it began, in milliseconds since 1970.
    pub created_at: u64,
    /// When it last changed.
    pub changed_at: u64,
    /// How many messages its conversation has.
    pub messages: u64,
    /// The number of commits to it; see [`Change::Expects`](super::Change::Expects).
    pub commits: u64,
    /// Whether the agent has replied in it.
    pub opened: bool,
    /// Its open run.
    pub run: Option<RunId>,
}

/// A message of a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// The session.
    pub session: SessionId,
    /// Its 0-based position in the conversation, without gaps.
    pub offset: u64,
    /// Its id.
    pub id: Uuid,
    /// Who sent it.
    pub role: Role,
    /// The text.
    pub text: String,
    /// When, in milliseconds since 1970. Never earlier than the previous message.
    pub at: u64,
    /// The attempt it belongs to.
    pub attempt: Option<AttemptId>,
    /// The run it belongs to.
    pub run: Option<RunId>,
    /// Whether the agent received it, or may have: `false` for a prompt that was withdrawn while
    /// queued.
    pub delivered: bool,
}

/// A run's summary.
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
    /// Its agent's name.
    pub agent: String,
    /// Whether it is a rehearsal.
    pub rehearsal: bool,
    /// The run it continues.
    pub continues: Option<RunId>,
    /// When it began, in milliseconds since 1970.
    pub started_at: u64,
    /// When it last changed.
    pub changed_at: u64,
    /// Its current or last step.
    pub step: String,
    /// How many steps it has taken.
    pub steps: u32,
    /// The number of its last event.
    pub last_seq: u64,
    /// Its estimated cost so far, without the rest of its chain.
    pub cost_usd: f64,
    /// How it ended; `None` while it is open.
    pub ending: Option<Ending>,
}

/// Which runs to list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RunFilter {
    /// Of this recipe.
    pub recipe: Option<String>,
    /// Ended for this reason. A reason with a step also matches without it.
    pub reason: Option<String>,
    /// In this session.
    pub session: Option<SessionId>,
    /// With an id that starts with this prefix, in lower case.
    pub id_prefix: Option<String>,
    /// Only those that are open (`true`) or have ended (`false`).
    pub open: Option<bool>,
    /// Only paused ones, which resume at a set time.
    pub resume_due: bool,
    /// Only those listed after this run, which has to exist: pass the last run of a page to get the
    /// next page.
    pub before: Option<RunId>,
    /// The maximum number; `None` for all.
    pub limit: Option<usize>,
}

setters!(RunFilter {
    recipe: Option<String>,
    reason: Option<String>,
    session: Option<SessionId>,
    id_prefix: Option<String>,
    open: Option<bool>,
    resume_due: bool,
    before: Option<RunId>,
    limit: Option<usize>,
});

/// One attempt at a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempt {
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
    /// Whether it has ended.
    pub ended: bool,
}

/// A queued prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueuedPromptRecord {
    /// Its id.
    pub prompt: PromptId,
    /// The text.
    pub text: String,
    /// When it was sent, in milliseconds since 1970.
    pub at: u64,
    /// Whether the agent may have received it already.
    pub again: bool,
    /// Its position among all prompts, in the order in which they were sent.
    pub number: u64,
}
