//! Throwing a worktree away.

use std::path::Path;

use super::place::Place;
use crate::gate::git::error::GitError;
use crate::gate::git::repository::Git;

/// What was thrown away.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Discarded {
    /// The last commit of the branch, by which its work can be found for some time yet; empty if the branch and the
    /// worktree were gone before.
    pub commit: String,
    /// How many files were not committed, and are gone.
    pub uncommitted: usize,
}

impl Git {
    /// Removes a worktree with all that is in it, and its branch. What was removed before is fine, and so is a call again
    /// after a crash.
    ///
    /// # Errors
    /// The path is a symbolic link or leads to a repository, the branch is checked out elsewhere, or git fails.
    pub async fn discard_worktree(
        &self,
        repository_top: &Path,
        path: &Path,
        branch: &str,
    ) -> Result<Discarded, GitError> {
        let place = Place::new(self.environment(), repository_top, path, branch)?;
        let registered = place.registered().await?;
        let tip = place.tip().await?;
        let uncommitted = if place.is_present().await? {
            // A damaged worktree can be thrown away too.
            place.uncommitted().await.map_or(0, |files| files.len())
        } else {
            0
        };
        place.remove().await?;
        place.delete_branch().await?;
        let commit = tip.or_else(|| registered?.head).unwrap_or_default();
        Ok(Discarded { commit, uncommitted })
    }
}
