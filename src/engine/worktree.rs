//! A run's own git worktree: where it is, and how it is merged or discarded after the run.

use std::path::{Path, PathBuf};

use super::blocking::on_own_runtime;
use super::error::{DecideError, EngineError, ResumeError};
use crate::gate::{self, Environment, Git, GitError, WorktreeState};
use crate::run::{CannotEndWorktree, RunId, Worktree, WorktreeEnd};
use crate::session::SessionRefusal;
use crate::store::StoreError;
use crate::{Advise, Remedy};

/// What to do with the worktree of a run that has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum WorktreeChoice {
    /// Merge its branch into the branch checked out where the run was started, and remove it.
    Merge,
    /// Remove it with its branch and its uncommitted changes.
    Discard,
}

/// Why a worktree was not merged or discarded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WorktreeError {
    /// The run has no worktree to merge or discard.
    #[error(transparent)]
    Cannot(#[from] CannotEndWorktree),
    /// Git cannot merge or remove it.
    #[error(transparent)]
    Merge(#[from] gate::GitWorktreeError),
    /// The run cannot be read.
    #[error(transparent)]
    Run(#[from] ResumeError),
    /// Anything else.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

impl WorktreeError {
    /// The conflicting files, relative to the top of the work tree; empty if conflicts are not the
    /// reason.
    #[must_use]
    pub fn conflicts(&self) -> &[PathBuf] {
        match self {
            Self::Merge(gate::GitWorktreeError::Conflicts { files }) => files,
            Self::Merge(_) | Self::Cannot(_) | Self::Run(_) | Self::Engine(_) => &[],
        }
    }
}

impl Advise for WorktreeError {
    fn remedy(&self) -> Option<Remedy> {
        match self {
            Self::Cannot(cannot) => cannot.remedy(),
            // The error message says what to do.
            Self::Merge(_) => None,
            Self::Run(error) => error.remedy(),
            Self::Engine(error) => error.remedy(),
        }
    }
}

impl From<GitError> for WorktreeError {
    fn from(error: GitError) -> Self {
        Self::Merge(error.into())
    }
}

impl From<StoreError> for WorktreeError {
    fn from(error: StoreError) -> Self {
        Self::Engine(error.into())
    }
}

impl From<DecideError> for WorktreeError {
    fn from(error: DecideError) -> Self {
        match error {
            DecideError::Refused(SessionRefusal::Worktree(cannot)) => cannot.into(),
            DecideError::Refused(_) | DecideError::NotPersisted(_) => Self::Engine(error.into()),
        }
    }
}

/// The state of a run's worktree: what discarding it would lose. Changes nothing.
///
/// # Errors
/// Git failed.
pub async fn worktree_state(worktree: &Worktree) -> Result<WorktreeState, GitError> {
    let Worktree { repository, path, branch, .. } = worktree.clone();
    let git = Git::new(&Environment::inherited());
    let state =
        on_own_runtime(
            move || async move { git.worktree_state(&repository, &path, &branch).await },
        );
    state.await.map_err(GitError::CannotStart)?
}

/// The folder for worktrees in a data directory.
#[must_use]
pub fn worktrees_directory(data: &Path) -> PathBuf {
    data.join("worktrees")
}

/// Plans the worktree of a run that is about to start.
pub(super) fn plan(data: &Path, run: RunId, repository: PathBuf, base: String) -> Worktree {
    let id: String = run.to_string().chars().take(8).collect();
    // The real path, because each turn compares the directory with its real path.
    let data = data.canonicalize().unwrap_or_else(|_| data.to_owned());
    Worktree {
        repository,
        path: worktrees_directory(&data).join(run.to_string()),
        branch: format!("surefire/{id}"),
        base,
    }
}

/// Creates a worktree. After a crash, creates the missing parts.
pub(super) async fn make(git: &Git, worktree: &Worktree) -> Result<(), GitError> {
    let (git, Worktree { repository, path, branch, base }) = (git.clone(), worktree.clone());
    let made = on_own_runtime(move || async move {
        git.add_worktree(&repository, &path, &branch, &base).await
    });
    made.await.map_err(GitError::CannotStart)?
}

/// Merges or discards a worktree.
pub(super) async fn end(
    git: &Git,
    worktree: &Worktree,
    choice: WorktreeChoice,
) -> Result<WorktreeEnd, WorktreeError> {
    let (git, Worktree { repository, path, branch, .. }) = (git.clone(), worktree.clone());
    let ended = on_own_runtime(move || async move {
        Ok(match choice {
            WorktreeChoice::Merge => {
                let gate::Merged { into, commit } =
                    git.merge_worktree(&repository, &path, &branch).await?;
                WorktreeEnd::Merged { into, commit }
            }
            WorktreeChoice::Discard => {
                let discarded = git.discard_worktree(&repository, &path, &branch).await?;
                WorktreeEnd::Discarded { commit: discarded.commit }
            }
        })
    });
    ended.await.map_err(GitError::CannotStart)?
}
