//! A worktree's place: the repository, the path and the branch, and what git says of them.

use std::ffi::OsString;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::registered::{Registered, real, registered};
use super::{GitWorktreeError, WORKTREE_TIMEOUT};
use crate::gate::environment::Environment;
use crate::gate::git::error::GitError;
use crate::gate::git::program::{Program, path as git_path, unexpected};
use crate::gate::git::repository::checked;
use crate::process::run_blocking;

/// What is not committed in a work tree: tracked or untracked, ignored files left out.
const STATUS: [&str; 6] = [
    "status",
    "--porcelain=v1",
    "-z",
    "--no-renames",
    "--untracked-files=all",
    "--ignore-submodules=none",
];

/// What git leaves in its directory while it is in the middle of something.
const IN_PROGRESS: [(&str, &str); 6] = [
    ("MERGE_HEAD", "a merge"),
    ("rebase-merge", "a rebase"),
    ("rebase-apply", "a rebase"),
    ("CHERRY_PICK_HEAD", "a cherry-pick"),
    ("REVERT_HEAD", "a revert"),
    ("BISECT_START", "a bisection"),
];

/// A worktree that is there or is to be made.
pub(super) struct RunWorktree {
    /// Git in the repository itself.
    pub(super) program: Program,
    pub(super) top: PathBuf,
    /// Absolute, with the links above it followed.
    pub(super) path: PathBuf,
    pub(super) branch: String,
    environment: Environment,
}

/// What is found on the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Found {
    Nothing,
    /// A directory that is empty, or has only the file `.git` that git writes first.
    Hull,
    /// A directory with the file `.git` of a worktree, and more.
    Worktree,
    /// A directory that is not the top of a worktree.
    Other,
}

impl RunWorktree {
    pub(super) fn new(
        environment: &Environment,
        top: &Path,
        path: &Path,
        branch: &str,
    ) -> Result<Self, GitError> {
        let path = real(path);
        let refused =
            |why: &str| Err(GitError::InTheWay { path: path.clone(), why: why.to_owned() });
        if path.is_symlink() {
            return refused("it is a symbolic link; remove the link");
        }
        if real(top).starts_with(&path)
            || top.canonicalize().is_ok_and(|top| top.starts_with(&path))
        {
            return refused("the repository itself is there; name another directory");
        }
        let program = Program::new(environment, top).timeout(WORKTREE_TIMEOUT);
        Ok(Self {
            program,
            top: top.to_owned(),
            path,
            branch: branch.to_owned(),
            environment: environment.clone(),
        })
    }

    pub(super) async fn registered(&self) -> Result<Option<Registered>, GitError> {
        registered(&self.program, &self.path).await
    }

    /// What is at the path.
    pub(super) async fn found(&self) -> Result<Found, GitError> {
        let path = self.path.clone();
        let found = run_blocking(move || look(&path)).await;
        found.map_err(|source| GitError::Directory {
            path: self.path.clone(),
            verb: "looked at",
            source,
        })
    }

    /// Git in the worktree. Where the worktree lost its `.git`, it must not find a repository above
    /// it.
    fn inside(&self) -> Program {
        let above = self.path.parent().unwrap_or(&self.path);
        Program::new(&self.environment, &self.path)
            .timeout(WORKTREE_TIMEOUT)
            .variable("GIT_CEILING_DIRECTORIES", above)
    }

    /// Whether the worktree's copy of a submodule has this commit, and the repository's own has
    /// not.
    pub(super) async fn is_only_in_worktree(
        &self,
        submodule: &Path,
        commit: &str,
    ) -> Result<bool, GitError> {
        Ok(self.has(&self.path, submodule, commit).await?
            && !self.has(&self.top, submodule, commit).await?)
    }

    async fn has(&self, top: &Path, submodule: &Path, commit: &str) -> Result<bool, GitError> {
        let directory = top.join(submodule);
        // Without it the submodule is not checked out, and git would look above.
        if !directory.join(".git").exists() {
            return Ok(false);
        }
        let program = Program::new(&self.environment, &directory);
        let answer = program.call(&["cat-file", "-e", checked(commit)?]).answer().await?;
        Ok(answer.code == Some(0))
    }

    /// The files in the worktree that are not committed.
    pub(super) async fn uncommitted(&self) -> Result<Vec<PathBuf>, GitError> {
        status(&self.inside()).await
    }

    /// The files in the repository's own work tree that are not committed.
    pub(super) async fn uncommitted_at_top(&self) -> Result<Vec<PathBuf>, GitError> {
        status(&self.program).await
    }

    /// Fails if git is in the middle of something in the worktree.
    pub(super) async fn check_idle(&self) -> Result<(), GitWorktreeError> {
        check_idle(&self.inside(), &self.path).await
    }

    /// Fails if git is in the middle of something in the repository's own work tree.
    pub(super) async fn check_idle_at_top(&self) -> Result<(), GitWorktreeError> {
        check_idle(&self.program, &self.top).await
    }

    /// Where the branch is; `None` if there is no such branch.
    pub(super) async fn tip(&self) -> Result<Option<String>, GitError> {
        self.commit(&format!("refs/heads/{}", self.branch)).await
    }

    /// Where HEAD of the repository is; `None` without a commit.
    pub(super) async fn head(&self) -> Result<Option<String>, GitError> {
        self.commit("HEAD").await
    }

    async fn commit(&self, name: &str) -> Result<Option<String>, GitError> {
        let name = format!("{name}^{{commit}}");
        let answer =
            self.program.call(&["rev-parse", "--verify", "--quiet", &name]).answer().await?;
        match answer.code {
            Some(0) => {
                let id = String::from_utf8_lossy(&answer.stdout).trim_end().to_owned();
                checked(&id).map_err(|_| unexpected("git rev-parse", &answer.stdout))?;
                Ok(Some(id))
            }
            Some(1) => Ok(None),
            Some(_) | None => Err(answer.into_error()),
        }
    }

    /// How many commits can be reached from the second and not from the first.
    pub(super) async fn count(&self, not: Option<&str>, commit: &str) -> Result<usize, GitError> {
        let mut call = self.program.call(&["rev-list", "--count", commit]);
        if let Some(not) = not {
            call = call.argument(format!("^{not}"));
        }
        let output = call.output().await?;
        let number = String::from_utf8_lossy(&output).trim_end().parse();
        number.map_err(|_| unexpected("git rev-list", &output))
    }

    /// Makes the repository forget the worktree, and removes its directory with all that is in it.
    /// What is not registered or not there is fine.
    pub(super) async fn remove(&self) -> Result<(), GitError> {
        let found = self.found().await?;
        let is_registered = self.registered().await?.is_some();
        if is_registered && matches!(found, Found::Worktree | Found::Nothing) {
            // Once for what is not committed, once for a lock.
            let answer = self.unregister().answer().await?;
            if answer.code == Some(0) {
                return Ok(());
            }
            tracing::debug!(
                words = answer.words(),
                "failed to remove a worktree, removing its directory"
            );
        }
        self.remove_directory().await?;
        if is_registered && self.registered().await?.is_some() {
            self.unregister().output().await?;
        }
        Ok(())
    }

    fn unregister(&self) -> crate::gate::git::program::Call<'_> {
        self.program.call(&["worktree", "remove", "--force", "--force", "--"]).argument(&self.path)
    }

    /// Removes the directory alone; links in it are removed and not followed.
    pub(super) async fn remove_directory(&self) -> Result<(), GitError> {
        let path = self.path.clone();
        let removed = run_blocking(move || {
            if path.join(".git").is_dir() {
                return Err(io::Error::other(
                    "a repository of its own is there; move it elsewhere",
                ));
            }
            match std::fs::remove_dir_all(&path) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
                removed => removed,
            }
        });
        let failed =
            |source| GitError::Directory { path: self.path.clone(), verb: "removed", source };
        removed.await.map_err(failed)
    }

    /// Deletes the branch, wherever it is. No such branch is fine.
    pub(super) async fn delete_branch(&self) -> Result<(), GitError> {
        if self.tip().await?.is_some() {
            self.program
                .call(&["branch", "--delete", "--force", "--quiet", "--", &self.branch])
                .output()
                .await?;
        }
        Ok(())
    }

    /// In whose name a commit is made.
    pub(super) fn identity(&self) -> Vec<(&'static str, OsString)> {
        self.environment.identity()
    }
}

fn look(path: &Path) -> io::Result<Found> {
    let entries = match std::fs::read_dir(path) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Found::Nothing),
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => return Ok(Found::Other),
        Err(error) => return Err(error),
    };
    let (mut has_link, mut has_more) = (false, false);
    for entry in entries {
        let entry = entry?;
        // In a worktree it is a file that names the repository.
        let is_link = entry.file_name().as_bytes() == b".git" && entry.file_type()?.is_file();
        has_link |= is_link;
        has_more |= !is_link;
    }
    Ok(match (has_link, has_more) {
        (true, true) => Found::Worktree,
        (_, false) => Found::Hull,
        (false, true) => Found::Other,
    })
}

/// `<XY> <path>`, between NUL bytes.
async fn status(program: &Program) -> Result<Vec<PathBuf>, GitError> {
    let output = program.call(&STATUS).output().await?;
    let records = output.split(|byte| *byte == 0).filter(|record| !record.is_empty());
    let paths = records.map(|record| record.get(3..).map(git_path)).collect::<Option<_>>();
    paths.ok_or_else(|| unexpected("git status", &output))
}

async fn check_idle(program: &Program, directory: &Path) -> Result<(), GitWorktreeError> {
    let mut call = program.call(&["rev-parse"]);
    for (name, _) in IN_PROGRESS {
        call = call.arguments(["--git-path", name]);
    }
    let output = call.output().await?;
    // From the directory in which git was called.
    let paths: Vec<_> =
        output.split(|byte| *byte == b'\n').map(|line| directory.join(git_path(line))).collect();
    let found = IN_PROGRESS.iter().zip(&paths).find(|(_, path)| path.exists());
    match found {
        Some(((_, what), _)) => {
            Err(GitWorktreeError::InProgress { directory: directory.to_owned(), what })
        }
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_at_a_path() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| look(&folder.path().join(name)).unwrap();
        for name in ["empty", "first", "whole", "other", "repository/.git"] {
            std::fs::create_dir_all(folder.path().join(name)).unwrap();
        }
        for name in ["first/.git", "whole/.git", "whole/a", "other/a", "file"] {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        assert_eq!(
            (at("missing"), at("empty"), at("first")),
            (Found::Nothing, Found::Hull, Found::Hull)
        );
        assert_eq!(
            (at("whole"), at("other"), at("file")),
            (Found::Worktree, Found::Other, Found::Other)
        );
        assert_eq!(at("repository"), Found::Other);
    }
}
