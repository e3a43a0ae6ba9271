//! Making a worktree.

use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;

use super::place::{Found, Place};
use crate::gate::blocking::blocking;
use crate::gate::git::error::GitError;
use crate::gate::git::repository::Git;

impl Git {
    /// Makes a worktree of a repository, on a new branch that begins at `base`: the name or the id of a commit.
    ///
    /// It may be called again after a crash: a worktree that is there on that branch is left as it is, and one that was made
    /// half-way is made anew, on the branch if that is there. Directories above it are made for their owner alone.
    ///
    /// # Errors
    /// Something else is at the path, the branch is checked out elsewhere, there is no such base, or git fails: because the
    /// disk is full, say.
    pub async fn add_worktree(
        &self,
        repository_top: &Path,
        path: &Path,
        branch: &str,
        base: &str,
    ) -> Result<(), GitError> {
        let place = Place::new(self.environment(), repository_top, path, branch)?;
        let found = place.found().await?;
        if let Some(registered) = place.registered().await? {
            let on_branch = registered.branch.as_deref().is_none_or(|it| it == branch);
            match found {
                _ if registered.half_made => place.remove().await?,
                // Detached it is in the middle of a rebase, or the agent left it so.
                Found::Worktree if on_branch => return Ok(()),
                Found::Worktree => {
                    let other = registered.branch.unwrap_or_default();
                    return Err(in_the_way(
                        &place,
                        format!("it is on the branch `{other}`; run `git switch {branch}` there"),
                    ));
                }
                // A commit without any file leaves nothing but `.git` in its worktree.
                Found::Hull if on_branch && place.path.join(".git").exists() => return Ok(()),
                Found::Nothing | Found::Hull => place.remove().await?,
                Found::Other => return Err(foreign(&place)),
            }
        } else {
            match found {
                Found::Nothing => {}
                Found::Hull => place.remove_directory().await?,
                Found::Worktree | Found::Other => return Err(foreign(&place)),
            }
        }
        make_above(&place).await?;
        let adding = match place.tip().await? {
            Some(_) => place.program.call(&["worktree", "add", "--"]).argument(&place.path).argument(branch),
            None => {
                let call = place.program.call(&["worktree", "add", "--no-track", "-b", branch, "--"]);
                call.argument(&place.path).argument(base)
            }
        };
        adding.output().await.map(drop)
    }
}

fn in_the_way(place: &Place, why: String) -> GitError {
    GitError::InTheWay { path: place.path.clone(), why }
}

/// It may hold work that is worth something, so it is not removed.
fn foreign(place: &Place) -> GitError {
    in_the_way(
        place,
        "files are there that git does not know as this worktree; move them elsewhere".to_owned(),
    )
}

async fn make_above(place: &Place) -> Result<(), GitError> {
    let path = place.path.clone();
    let made = blocking(move || match path.parent() {
        Some(above) => DirBuilder::new().recursive(true).mode(0o700).create(above),
        None => Ok(()),
    });
    made.await.map_err(|source| GitError::Directory { path: place.path.clone(), verb: "made", source })
}
