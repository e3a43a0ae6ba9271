//! What the HTTP endpoints answer that is not a message.

use serde::{Deserialize, Serialize};

use super::Stamp;
use crate::run::{Ending, Event, RunId, SessionId};

/// A run, in a line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunLine {
    /// Its id.
    pub run_id: RunId,
    /// Its session.
    pub session_id: SessionId,
    /// Its recipe's id.
    pub recipe_id: String,
    /// What people call that recipe.
    pub recipe_label: String,
    /// Where its agent works.
    pub working_directory: String,
    /// Its agent, by its own name.
    pub agent: String,
    /// Whether it only rehearses.
    pub rehearsal: bool,
    /// The run it continues.
    pub continues: Option<RunId>,
    /// When it began.
    pub started_at: Stamp,
    /// When anything last happened in it.
    pub changed_at: Stamp,
    /// The step it is at, or ended at.
    pub step: String,
    /// How many steps it has taken.
    pub step_count: u32,
    /// The number of its last event.
    pub last_seq: u64,
    /// What it cost so far: an estimate.
    pub cost_usd: f64,
    /// How it ended; `null` while it goes on.
    pub ending: Option<Ending>,
}

/// A run and what happened in it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Journal {
    /// The run.
    pub run: RunLine,
    /// What happened, in order.
    pub events: Vec<JournalEvent>,
}

/// One thing that happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JournalEvent {
    /// Its number in the run, from 1.
    pub seq: u64,
    /// When.
    pub at: Stamp,
    /// What.
    #[serde(flatten)]
    pub event: Event,
}

/// What the agent is told first in a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FirstPrompt {
    /// The words.
    pub prompt: String,
}

/// What the agent said last in a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LastReply {
    /// Its words; `null` where it has said nothing.
    pub reply: Option<String>,
}

/// What is not as it should be in the server's store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoreState {
    /// The runs that were set aside, and the rows that cannot be read.
    pub set_aside: Vec<SetAsideEntry>,
}

/// A run that was set aside, or a row that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SetAsideEntry {
    /// The run it belongs to; `null` where that is not known.
    pub run_id: Option<RunId>,
    /// The row: its table and its key.
    pub row: String,
    /// Why it cannot be read.
    pub why: String,
}
