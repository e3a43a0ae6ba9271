//! What a run is started with.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::changed_prompts::ChangedPrompts;
use super::ids::{RunId, SessionId};
use super::limits::{Limits, Usage};
use super::project::{Permits, Project};
use super::worktree::Worktree;
use crate::Tool;

/// What a run is started with. It is fixed until the run ends, except for what a resume adds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunSpec {
    /// The run.
    pub run: RunId,
    /// The conversation it takes place in.
    pub session: SessionId,
    /// The agent that does the work, by its name.
    pub agent: String,
    /// Whether that agent only rehearses.
    pub rehearsal: bool,
    /// What a rehearsal plays, as `--rehearse` takes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub script: Option<String>,
    /// Where the agent works.
    pub directory: PathBuf,
    /// The task of the run; the agent gets it with the first step's prompt.
    #[serde(rename = "about", default, skip_serializing_if = "Option::is_none")]
    pub task: Option<String>,
    /// The model to use; it overrides the recipe's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The prompts that the operator changed; they are used until the chain ends.
    #[serde(default, skip_serializing_if = "ChangedPrompts::is_empty")]
    pub prompts: ChangedPrompts,
    /// What the operator allows the agent in addition to what its steps declare.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub allow_tools: Vec<Tool>,
    /// What the operator permits beyond the rules of every run.
    #[serde(default, skip_serializing_if = "Permits::is_empty")]
    pub permits: Permits,
    /// What the repository's own file adds.
    #[serde(default, skip_serializing_if = "Project::is_empty")]
    pub project: Project,
    /// Its own worktree, if it is isolated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worktree: Option<Worktree>,
    /// What it may use up.
    pub limits: Limits,
    /// What the chain had used up before this run.
    pub spent: Usage,
    /// How often the chain has restarted, including the start of this run.
    pub restarts: u32,
    /// The run that this one continues in a fresh session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub continues: Option<RunId>,
}
