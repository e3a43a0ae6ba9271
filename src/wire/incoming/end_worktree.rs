//! `merge_run` and `discard_run`: what becomes of the worktree of a run that has ended.

use serde::{Deserialize, Serialize};

use crate::run::RunId;
use crate::wire::forms::run_id;

/// To merge what a run did in a worktree of its own into the branch that it was started from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct MergeRun {
    /// The run.
    #[serde(deserialize_with = "run_id")]
    pub run_id: RunId,
}

/// To throw away what a run did in a worktree of its own, with what is not committed in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiscardRun {
    /// The run.
    #[serde(deserialize_with = "run_id")]
    pub run_id: RunId,
}
