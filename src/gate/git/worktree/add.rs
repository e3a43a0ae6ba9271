//! Creates a worktree.

use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;

use super::run_worktree::{Found, RunWorktree};
use crate::gate::git::error::GitError;
use crate::gate::git::repository::Git;
use crate::process::run_blocking;

impl Git {
    /// Creates a worktree of a repository, on a new branch that begins at `base`, the name or the
    /// id of a commit.
    ///
    /// It may be called again after a crash: an existing worktree on that branch stays as it is,
    /// and an incomplete one is created anew, on the branch if that exists. Directories above it
    /// are created with access for their owner alone.
    ///
    /// # Errors
    /// Something else is at the path, the branch is checked out elsewhere, the base does
    /// not exist, or git fails, for example because the disk is full.
    pub async fn add_worktree(
        &self,
        repository_top: &Path,
        path: &Path,
        branch: &str,
        base: &str,
    ) -> Result<(), GitError> {
        let worktree = RunWorktree::new(self.environment(), repository_top, path, branch)?;
        let found = worktree.found().await?;
        if let Some(registered) = worktree.registered().await? {
            let on_branch = registered.branch.as_deref().is_none_or(|it| it == branch);
            match found {
                _ if registered.half_made => worktree.remove().await?,
                // A detached HEAD means that a rebase is in progress, or that the agent left it so.
                Found::Worktree if on_branch => return Ok(()),
                Found::Worktree => {
                    let other = registered.branch.unwrap_or_default();
                    return Err(in_the_way(
                        &worktree,
                        format!("it is on the branch `{other}`; run `git switch {branch}` there"),
                    ));
                }
                // The worktree of a commit without files contains only `.git`.
                Found::Hull if on_branch && worktree.path.join(".git").exists() => return Ok(()),
                Found::Nothing | Found::Hull => worktree.remove().await?,
                Found::Other => return Err(foreign(&worktree)),
            }
        } else {
            match found {
                Found::Nothing => {}
                Found::Hull => worktree.remove_directory().await?,
                Found::Worktree | Found::Other => return Err(foreign(&worktree)),
            }
        }
        make_above(&worktree).await?;
        let adding = match worktree.tip().await? {
            Some(_) => worktree
                .program
                .call(&["worktree", "add", "--"])
                .argument(&worktree.path)
                .argument(branch),
            None => {
                let call =
                    worktree.program.call(&["worktree", "add", "--no-track", "-b", branch, "--"]);
                call.argument(&worktree.path).argument(base)
            }
        };
        adding.output().await.map(drop)
    }
}

fn in_the_way(worktree: &RunWorktree, why: String) -> GitError {
    GitError::InTheWay { path: worktree.path.clone(), why }
}

/// It may contain valuable work, so it is not removed.
fn foreign(worktree: &RunWorktree) -> GitError {
    in_the_way(
        worktree,
        "files are there that git does not know as this worktree; move them elsewhere".to_owned(),
    )
}

async fn make_above(worktree: &RunWorktree) -> Result<(), GitError> {
    let path = worktree.path.clone();
    let made = run_blocking(move || match path.parent() {
        Some(above) => DirBuilder::new().recursive(true).mode(0o700).create(above),
        None => Ok(()),
    });
    made.await.map_err(|source| GitError::Directory {
        path: worktree.path.clone(),
        verb: "made",
        source,
    })
}
