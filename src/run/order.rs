//! What somebody asked for when they started a run.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::ids::{RunId, SessionId};
use super::limits::{Limits, Spent};
use super::project::{Permits, Project};
use super::worktree::Worktree;
use crate::Tool;

/// All that is settled when a run begins, and does not change until it ends.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Order {
    /// The run.
    pub run: RunId,
    /// The conversation it takes place in.
    pub session: SessionId,
    /// The agent that does the work, by its name.
    pub agent: String,
    /// Whether that agent only pretends.
    pub rehearsal: bool,
    /// Where the agent works.
    pub directory: PathBuf,
    /// What the run is about; the agent reads it with the first step's prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<String>,
    /// The model to use, whatever the recipe says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// What the operator allows the agent on top of what its steps declare.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub allow_tools: Vec<Tool>,
    /// What the machine's user lets it do beyond what holds for every run.
    #[serde(default, skip_serializing_if = "Permits::is_empty")]
    pub permits: Permits,
    /// What the repository's own file adds.
    #[serde(default, skip_serializing_if = "Project::is_empty")]
    pub project: Project,
    /// The worktree that it works in, where it works apart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worktree: Option<Worktree>,
    /// What it may use up.
    pub limits: Limits,
    /// What the chain had used up before this run.
    pub spent: Spent,
    /// How often the chain had restarted, this run included.
    pub restarts: u32,
    /// The run that this one continues in a fresh session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub continues: Option<RunId>,
}
