//! `merge_run` and `discard_run`: what becomes of the worktree of a run that has ended.

use serde::{Deserialize, Serialize};

use crate::run::RunId;
use crate::wire::forms::run_id;

/// Merges the worktree of a run into the branch that the run was started from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct MergeRun {
    /// The run.
    #[serde(deserialize_with = "run_id")]
    pub run_id: RunId,
}

/// Discards the worktree of a run, with its uncommitted changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiscardRun {
    /// The run.
    #[serde(deserialize_with = "run_id")]
    pub run_id: RunId,
}
