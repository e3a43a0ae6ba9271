//! What the HTTP endpoints answer that is not a message.

use serde::{Deserialize, Serialize};

use super::Stamp;
use crate::run::{Ending, Event, RunId, SessionId};
use crate::view::{RunFacts, RunView, Status, Timeline};
use crate::{AnyRecipe, Catalog};

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
    /// How it stands, at a glance.
    pub status: Status,
    /// How it ended; `null` while it is running.
    pub ending: Option<Ending>,
}

impl RunLine {
    /// Its timeline, before any of its events.
    #[must_use]
    pub fn timeline(&self, catalog: Catalog) -> Timeline {
        let facts = RunFacts {
            run: self.run_id,
            session: self.session_id,
            recipe: self.recipe_id.clone(),
            recipe_label: self.recipe_label.clone(),
            directory: self.working_directory.clone(),
            agent: self.agent.clone(),
            rehearsal: self.rehearsal,
            started_at: self.started_at.0,
            made_from: None,
        };
        Timeline::new(facts, catalog.get(&self.recipe_id).map(AnyRecipe::outline))
    }
}

/// A run, what happened in it, and how that is shown: what `GET /api/runs/{id}` answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunDetails {
    /// The run and its events.
    #[serde(flatten)]
    pub journal: Journal,
    /// What changed in how it is shown since the event that was asked for.
    pub view: RunView,
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

/// What agents work on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Work {
    /// The sessions in which an agent is at work, those that have been so for longest first.
    pub work: Vec<WorkLine>,
}

/// A session in which an agent is at work: for a run, outside of one, or both, where a run waits for such a turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkLine {
    /// The session.
    pub session_id: SessionId,
    /// What people call it.
    pub name: String,
    /// Where its agent works.
    pub working_directory: String,
    /// Its agent, by its own name.
    pub agent: String,
    /// When the run began, or the turn outside of one, whichever came first.
    pub since: Stamp,
    /// The run that is open; `null` where there is none.
    pub run: Option<WorkingRun>,
    /// The turn outside of a run that is open; `null` where there is none.
    pub chat: Option<WorkingChat>,
    /// How many prompts are queued.
    pub queued: u64,
}

/// The run that an agent works for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkingRun {
    /// Its id.
    pub run_id: RunId,
    /// Its recipe's id.
    pub recipe_id: String,
    /// What people call that recipe.
    pub recipe_label: String,
    /// Whether it only rehearses.
    pub rehearsal: bool,
    /// The step it is at.
    pub step: String,
    /// How many steps it has taken.
    pub step_count: u32,
}

/// What an agent works on outside of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkingChat {
    /// The first words of the prompt; empty where it has none.
    pub preview: String,
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

/// What a run changed: what `GET /api/runs/{id}/diff` answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunDiff {
    /// The turns that there are diffs of, in order.
    pub turns: Vec<DiffTurn>,
    /// The turn that `text` is of; `null` for all of the run.
    pub turn: Option<u32>,
    /// The unified diff.
    pub text: String,
    /// Whether it is only the beginning.
    pub cut: bool,
    /// Why there is no diff, where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unavailable: Option<String>,
}

/// A turn that there is a diff of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiffTurn {
    /// 1-based index of the turn in the run.
    pub turn: u32,
    /// The visit of a step that it belongs to, by its number.
    pub visit: u32,
    /// That step.
    pub step: String,
    /// Whether anything differs.
    pub changed: bool,
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
