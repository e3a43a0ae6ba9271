//! What the HTTP endpoints answer besides messages.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Stamp;
use crate::run::{Ending, Event, RunId, SessionId};
use crate::view::{RunFacts, RunView, Status, Timeline};
use crate::{AnyRecipe, Catalog, Outline};

/// A run's summary.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunLine {
    /// Its id.
    pub run_id: RunId,
    /// Its session.
    pub session_id: SessionId,
    /// Its recipe's id.
    pub recipe_id: String,
    /// The recipe's label.
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
    /// Its status.
    pub status: Status,
    /// How it ended; `null` while it is running.
    pub ending: Option<Ending>,
}

/// A run in a list: what `GET /api/runs` answers for each.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ListedRun {
    /// The run.
    #[serde(flatten)]
    pub run: RunLine,
    /// Its task; `null` if its recipe alone says what to do.
    pub task: Option<String>,
}

impl ListedRun {
    /// Whether each of these lower-case words occurs in the texts that a user finds a run by.
    #[must_use]
    pub fn matches(&self, words: &str) -> bool {
        let Self { run, task } = self;
        let ending = run.ending.as_ref().map(|ending| ending.title.as_str());
        let texts = [
            task.as_deref().unwrap_or_default(),
            &run.recipe_label,
            &run.recipe_id,
            &run.run_id.to_string(),
            &run.working_directory,
            &run.step,
            ending.unwrap_or_default(),
        ];
        let text = texts.join("\n").to_lowercase();
        words.split_whitespace().all(|word| text.contains(word))
    }
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
            script: None,
            started_at: self.started_at.0,
            created_from: None,
            task: None,
        };
        Timeline::new(facts, catalog.get(&self.recipe_id).map(AnyRecipe::outline))
    }
}

/// A run, its events and its view: what `GET /api/runs/{id}` answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunDetails {
    /// The run and its events.
    #[serde(flatten)]
    pub journal: Journal,
    /// What changed in its view since the requested event.
    pub view: RunView,
}

/// A run and its events.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Journal {
    /// The run.
    pub run: RunLine,
    /// The events, in order.
    pub events: Vec<JournalEvent>,
}

/// One event of a run.
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

/// What agents are working on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Work {
    /// The sessions in which an agent is working, longest first.
    pub work: Vec<WorkLine>,
}

/// A session in which an agent is working: for a run, outside of one, or both while a run waits for
/// a turn outside of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkLine {
    /// The session.
    pub session_id: SessionId,
    /// The session's name.
    pub name: String,
    /// Where its agent works.
    pub working_directory: String,
    /// Its agent, by its own name.
    pub agent: String,
    /// When the run or the turn outside of one began, whichever is earlier.
    pub since: Stamp,
    /// The open run; `null` if there is none.
    pub run: Option<WorkingRun>,
    /// The open turn outside of a run; `null` if there is none.
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
    /// The recipe's label.
    pub recipe_label: String,
    /// Whether it only rehearses.
    pub rehearsal: bool,
    /// The step it is at.
    pub step: String,
    /// How many steps it has taken.
    pub step_count: u32,
}

/// What an agent is working on outside of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkingChat {
    /// The first words of the prompt; empty if it has none.
    pub preview: String,
}

/// One recipe: what `GET /api/recipes/{id}` answers.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct ServedRecipe {
    /// The recipe as it was compiled.
    #[serde(flatten)]
    pub outline: &'static Outline,
    /// The operator's prompts by step, which the next run uses instead of the compiled ones; left
    /// out if there are none.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub changed_prompts: BTreeMap<String, String>,
    /// What is wrong with the operator's prompts, so that no run can begin; left out if nothing is.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub prompt_problems: Vec<String>,
}

/// The first prompt of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FirstPrompt {
    /// The text.
    pub prompt: String,
}

/// The agent's last reply in a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LastReply {
    /// Its text; `null` if the agent has not replied yet.
    pub reply: Option<String>,
}

/// What a run changed: what `GET /api/runs/{id}/diff` answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunDiffResponse {
    /// The turns that have a diff, in order.
    pub turns: Vec<DiffTurn>,
    /// The turn that `text` is of; `null` for all of the run.
    pub turn: Option<u32>,
    /// The unified diff.
    pub text: String,
    /// Whether it is only the beginning.
    pub cut: bool,
    /// Why there is no diff, if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unavailable: Option<String>,
}

/// A turn that has a diff.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiffTurn {
    /// 1-based index of the turn in the run.
    pub turn: u32,
    /// The number of the visit that it belongs to.
    pub visit: u32,
    /// That step.
    pub step: String,
    /// Whether its diff is not empty.
    pub changed: bool,
}

/// The damage that the server found in its store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoreState {
    /// The quarantined runs, and the rows that cannot be read.
    pub set_aside: Vec<SetAsideEntry>,
}

/// A quarantined run, or a row that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SetAsideEntry {
    /// The run it belongs to; `null` if that is not known.
    pub run_id: Option<RunId>,
    /// The row: its table and its key.
    pub row: String,
    /// Why it cannot be read.
    pub why: String,
}
