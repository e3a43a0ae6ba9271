//! Looking at a work tree from the engine, on a thread and with a clock of its own.

use std::future::Future;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::engine::blocking::on_a_clock_of_its_own;
use crate::engine::shared::Shared;
use crate::gate::{self, GitError, Repository};
use crate::run::{CommitSeen, FileChange, HeadWindow, RunId, TreeState};

/// Where a run keeps what has to outlive it: the objects of its snapshots.
pub(in crate::engine) fn objects(data: &Path, run: RunId) -> PathBuf {
    data.join("runs").join(run.to_string()).join("objects")
}

/// Looks at a directory's repository; `None` where it is in none.
///
/// A tree may be large and a disk slow: so nothing else of the engine waits on the same thread, and how long git may take
/// does not depend on what the engine's own clock is told. A look ends when the engine stops.
pub(in crate::engine) async fn look<T, F>(
    shared: &Arc<Shared>,
    directory: &Path,
    run: RunId,
    look: impl FnOnce(Repository) -> F + Send + 'static,
) -> Result<Option<T>, GitError>
where
    T: Send + 'static,
    F: Future<Output = Result<T, GitError>>,
{
    // Most directories outside of git are told by that, without asking git.
    if !directory.ancestors().any(|it| it.join(".git").symlink_metadata().is_ok()) {
        return Ok(None);
    }
    let (git, stop) = (shared.git.clone(), shared.stop.clone());
    let (directory, objects) = (directory.to_owned(), objects(&shared.options.data, run));
    let looked = on_a_clock_of_its_own(move || async move {
        let looking = async {
            match git.find(&directory, &objects).await? {
                Some(repository) => look(repository).await.map(Some),
                None => Ok(None),
            }
        };
        tokio::select! {
            biased;
            () = stop.cancelled() => Ok(None),
            seen = looking => seen,
        }
    });
    looked.await.map_err(GitError::CannotStart)?
}

/// A work tree as a run's events have it.
pub(super) fn seen(state: gate::TreeState) -> TreeState {
    TreeState { head: state.head.commit, branch: state.head.branch, tree: Some(state.tree) }
}

/// The same for the gate; `None` where only HEAD is known.
pub(super) fn for_gate(state: &TreeState) -> Option<gate::TreeState> {
    let head = gate::Head { commit: state.head.clone(), branch: state.branch.clone() };
    Some(gate::TreeState { head, tree: state.tree.clone()? })
}

pub(super) fn windows(windows: &[HeadWindow]) -> Vec<gate::Window> {
    let window = |it: &HeadWindow| gate::Window { before: it.before.clone(), after: it.after.clone() };
    windows.iter().map(window).collect()
}

/// What a run changed, as its events have it.
pub(super) fn changes(changes: gate::Changes, commits: Vec<gate::CommitSeen>) -> crate::run::Changes {
    let file = |it: gate::ChangedFile| crate::run::ChangedFile {
        path: it.path.to_string_lossy().into_owned(),
        change: match it.kind {
            gate::ChangeKind::Added => FileChange::Added,
            gate::ChangeKind::Modified => FileChange::Modified,
            gate::ChangeKind::Deleted => FileChange::Deleted,
            gate::ChangeKind::Renamed { from } => FileChange::Renamed(from.to_string_lossy().into_owned()),
            gate::ChangeKind::TypeChanged => FileChange::TypeChanged,
        },
        added: it.added,
        removed: it.removed,
    };
    crate::run::Changes {
        files: changes.files.into_iter().map(file).collect(),
        total_files: u32::try_from(changes.total_files).unwrap_or(u32::MAX),
        added: changes.added,
        removed: changes.removed,
        commits: commits.into_iter().map(|it| CommitSeen { id: it.id, subject: it.subject }).collect(),
    }
}
