//! The git worktree of an isolated run.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// The git worktree of an isolated run, on a branch of its own. A chain of runs shares one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Worktree {
    /// The top of the work tree that it was created from, and into which its branch is merged.
    pub repository: PathBuf,
    /// The top of the worktree.
    pub path: PathBuf,
    /// Its branch, named after the run that it was created for.
    pub branch: String,
    /// The commit that it begins at.
    pub base: String,
}

/// What became of a worktree after its run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "how", rename_all = "snake_case")]
#[non_exhaustive]
pub enum WorktreeEnd {
    /// Its branch was merged.
    Merged {
        /// The branch that it was merged into; `None` if HEAD was detached.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        into: Option<String>,
        /// The head of that branch after the merge.
        commit: String,
    },
    /// A person discarded it.
    Discarded {
        /// The last commit of its branch, by which git can still find it for a while; empty if the
        /// branch no longer existed.
        commit: String,
    },
}

impl WorktreeEnd {
    /// What became of it, in one word.
    #[must_use]
    pub const fn as_word(&self) -> &'static str {
        match self {
            Self::Merged { .. } => "merged",
            Self::Discarded { .. } => "discarded",
        }
    }
}
