//! Discards a worktree.

use std::path::Path;

use super::run_worktree::RunWorktree;
use crate::gate::git::error::GitError;
use crate::gate::git::repository::Git;

/// What was discarded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Discarded {
    /// The last commit of the branch, by which git can still find its work for a while; empty if
    /// the branch and the worktree were already gone.
    pub commit: String,
    /// How many uncommitted files were deleted.
    pub uncommitted: usize,
}

impl Git {
    /// Removes a worktree with everything in it, and its branch. It is idempotent: what is already
    /// removed is not an error.
    ///
    /// # Errors
    /// The path is a symbolic link or leads to a repository, the branch is checked out elsewhere,
    /// or git fails.
    pub async fn discard_worktree(
        &self,
        repository_top: &Path,
        path: &Path,
        branch: &str,
    ) -> Result<Discarded, GitError> {
        let worktree = RunWorktree::new(self.environment(), repository_top, path, branch)?;
        let registered = worktree.registered().await?;
        let tip = worktree.tip().await?;
        let uncommitted = if worktree.is_present().await? {
            // A damaged worktree can be discarded too.
            worktree.uncommitted().await.map_or(0, |files| files.len())
        } else {
            0
        };
        worktree.remove().await?;
        worktree.delete_branch().await?;
        let commit = tip.or_else(|| registered?.head).unwrap_or_default();
        Ok(Discarded { commit, uncommitted })
    }
}
