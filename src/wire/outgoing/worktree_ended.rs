//! What became of the worktree of a run.

use serde::{Deserialize, Serialize};

use crate::run::{RunId, WorktreeEnd};

/// The worktree of a run was merged or discarded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorktreeEnded {
    /// The run.
    pub run_id: RunId,
    /// Which of the two, and the commit that has its state.
    #[serde(flatten)]
    pub end: WorktreeEnd,
}
