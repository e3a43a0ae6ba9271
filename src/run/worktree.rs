//! The git worktree of a run that works apart.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// The git worktree of a run that works apart, on a branch of its own. A chain of runs shares one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Worktree {
    /// The top of the work tree that it was made from, and that its branch is merged into.
    pub repository: PathBuf,
    /// The top of the worktree.
    pub path: PathBuf,
    /// Its branch, named after the run that it was made for.
    pub branch: String,
    /// The commit that it begins at.
    pub base: String,
}

/// What became of a worktree after its run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "how", rename_all = "snake_case")]
pub enum WorktreeEnd {
    /// Its branch was merged.
    Merged {
        /// The branch that it was merged into; `None` where HEAD was detached.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        into: Option<String>,
        /// Where that branch is since.
        commit: String,
    },
    /// It was thrown away at a person's wish.
    Discarded {
        /// The last commit of its branch, by which git can still find it for a while; empty where nothing was left of it.
        commit: String,
    },
}

impl WorktreeEnd {
    /// What became of it, in a word.
    #[must_use]
    pub const fn in_a_word(&self) -> &'static str {
        match self {
            Self::Merged { .. } => "merged",
            Self::Discarded { .. } => "discarded",
        }
    }
}
