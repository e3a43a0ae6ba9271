//! How a worktree is.

use std::path::Path;

use super::run_worktree::{Found, RunWorktree};
use crate::gate::git::error::GitError;
use crate::gate::git::repository::Git;

/// How a worktree is.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct WorktreeState {
    /// Whether its directory is there, and the repository knows it.
    pub present: bool,
    /// The commit of its branch; `None` if the branch is not there.
    pub branch: Option<String>,
    /// How many files in it are not committed, untracked ones among them, ignored ones not.
    pub uncommitted: usize,
    /// How many commits its branch has that HEAD of the repository has not.
    pub ahead: usize,
}

impl Git {
    /// How a worktree is, without changing it.
    ///
    /// # Errors
    /// A symbolic link is at the path, or git fails.
    pub async fn worktree_state(
        &self,
        repository_top: &Path,
        path: &Path,
        branch: &str,
    ) -> Result<WorktreeState, GitError> {
        let worktree = RunWorktree::new(self.environment(), repository_top, path, branch)?;
        let present = worktree.is_present().await?;
        let uncommitted = if present { worktree.uncommitted().await?.len() } else { 0 };
        let branch = worktree.tip().await?;
        let ahead = match &branch {
            Some(tip) => worktree.count(worktree.head().await?.as_deref(), tip).await?,
            None => 0,
        };
        Ok(WorktreeState { present, branch, uncommitted, ahead })
    }
}

impl RunWorktree {
    /// Whether the directory of the worktree is there, and the repository knows it.
    pub(super) async fn is_present(&self) -> Result<bool, GitError> {
        let is_worktree = match self.found().await? {
            Found::Worktree => true,
            Found::Hull => self.path.join(".git").exists(),
            Found::Nothing | Found::Other => false,
        };
        Ok(is_worktree && self.registered().await?.is_some())
    }
}
