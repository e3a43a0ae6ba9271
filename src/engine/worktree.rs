//! The git worktree of a run that works apart: where it is, and what becomes of it after the run.

use std::path::{Path, PathBuf};

use super::blocking::on_a_clock_of_its_own;
use super::error::{EngineError, NotDone, ResumeError};
use crate::gate::{self, Environment, Git, GitError, WorktreeState};
use crate::run::{CannotEndWorktree, RunId, Worktree, WorktreeEnd};
use crate::session::Refusal;
use crate::store::StoreError;
use crate::{Advise, Remedy};

/// What a person does with the worktree of a run that has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WorktreeChoice {
    /// Merges its branch into what is checked out where the run was started, and removes it.
    Merge,
    /// Throws it away, with its branch and what is not committed in it.
    Discard,
}

/// Why a worktree is still there.
#[derive(Debug, thiserror::Error)]
pub enum WorktreeError {
    /// The run has none that could be merged or thrown away.
    #[error(transparent)]
    Cannot(#[from] CannotEndWorktree),
    /// It cannot be merged as it is.
    #[error(transparent)]
    Merge(#[from] gate::WorktreeError),
    /// The run cannot be read.
    #[error(transparent)]
    Run(#[from] ResumeError),
    /// Anything else.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

impl WorktreeError {
    /// The files that both sides changed, from the top of the work tree, where that is why it was not merged.
    #[must_use]
    pub fn conflicts(&self) -> &[PathBuf] {
        match self {
            Self::Merge(gate::WorktreeError::Conflicts { files }) => files,
            Self::Merge(_) | Self::Cannot(_) | Self::Run(_) | Self::Engine(_) => &[],
        }
    }
}

impl Advise for WorktreeError {
    fn remedy(&self) -> Option<Remedy> {
        match self {
            Self::Cannot(cannot) => cannot.remedy(),
            // Its words say what to do.
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

impl From<NotDone> for WorktreeError {
    fn from(error: NotDone) -> Self {
        match error {
            NotDone::Refused(Refusal::Worktree(cannot)) => cannot.into(),
            NotDone::Refused(_) | NotDone::NotPersisted(_) => Self::Engine(error.into()),
        }
    }
}

/// How the worktree of a run is, without changing it: what would be lost if it were thrown away.
///
/// # Errors
/// Git cannot say.
pub async fn worktree_state(worktree: &Worktree) -> Result<WorktreeState, GitError> {
    let Worktree { repository, path, branch, .. } = worktree.clone();
    let git = Git::new(&Environment::inherited());
    let state =
        on_a_clock_of_its_own(move || async move { git.worktree_state(&repository, &path, &branch).await });
    state.await.map_err(GitError::CannotStart)?
}

/// Where worktrees are made in a data directory.
#[must_use]
pub fn worktrees_directory(data: &Path) -> PathBuf {
    data.join("worktrees")
}

/// The worktree of a run that is about to begin.
pub(super) fn plan(data: &Path, run: RunId, repository: PathBuf, base: String) -> Worktree {
    let id: String = run.to_string().chars().take(8).collect();
    // A directory is compared by its real path before each turn.
    let data = data.canonicalize().unwrap_or_else(|_| data.to_owned());
    Worktree {
        repository,
        path: worktrees_directory(&data).join(run.to_string()),
        branch: format!("surefire/{id}"),
        base,
    }
}

/// Makes a worktree, or what is missing of it after a crash.
pub(super) async fn make(git: &Git, worktree: &Worktree) -> Result<(), GitError> {
    let (git, Worktree { repository, path, branch, base }) = (git.clone(), worktree.clone());
    let made =
        on_a_clock_of_its_own(
            move || async move { git.add_worktree(&repository, &path, &branch, &base).await },
        );
    made.await.map_err(GitError::CannotStart)?
}

/// Does with a worktree what a person chose.
pub(super) async fn end(
    git: &Git,
    worktree: &Worktree,
    choice: WorktreeChoice,
) -> Result<WorktreeEnd, WorktreeError> {
    let (git, Worktree { repository, path, branch, .. }) = (git.clone(), worktree.clone());
    let ended = on_a_clock_of_its_own(move || async move {
        Ok(match choice {
            WorktreeChoice::Merge => {
                let gate::Merged { into, commit } = git.merge_worktree(&repository, &path, &branch).await?;
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
