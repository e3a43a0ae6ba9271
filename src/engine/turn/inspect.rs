//! Inspecting a work tree with git, on a thread and a runtime of its own.

use std::future::Future;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::engine::blocking::on_own_runtime;
use crate::engine::shared::Shared;
use crate::gate::{self, GitError, Repository};
use crate::run::{CommitSeen, FileChange, HeadWindow, RunId, TreeState};

/// The directory of the git objects of a run's snapshots. They outlive the run.
pub(in crate::engine) fn objects(data: &Path, run: RunId) -> PathBuf {
    data.join("runs").join(run.to_string()).join("objects")
}

/// Inspects the repository of a directory; `None` if it is not in one.
///
/// Trees may be large and disks slow, so the inspection has a thread of its own, and git's timeouts
/// do not depend on the engine's clock. It ends when the engine stops its agents.
pub(in crate::engine) async fn repository<T, F>(
    shared: &Arc<Shared>,
    directory: &Path,
    run: RunId,
    inspect: impl FnOnce(Repository) -> F + Send + 'static,
) -> Result<Option<T>, GitError>
where
    T: Send + 'static,
    F: Future<Output = Result<T, GitError>>,
{
    // Recognizes most directories outside git without running git.
    if !directory.ancestors().any(|it| it.join(".git").symlink_metadata().is_ok()) {
        return Ok(None);
    }
    let (git, stop) = (shared.git.clone(), shared.stop.clone());
    let (directory, objects) = (directory.to_owned(), objects(&shared.options.data, run));
    let inspected = on_own_runtime(move || async move {
        let inspecting = async {
            match git.find(&directory, &objects).await? {
                Some(repository) => inspect(repository).await.map(Some),
                None => Ok(None),
            }
        };
        tokio::select! {
            biased;
            () = stop.cancelled() => Ok(None),
            seen = inspecting => seen,
        }
    });
    inspected.await.map_err(GitError::CannotStart)?
}

/// A snapshot, as a run's events store it.
pub(super) fn seen(state: gate::TreeSnapshot) -> TreeState {
    TreeState { head: state.head.commit, branch: state.head.branch, tree: Some(state.tree) }
}

/// A persisted state as the snapshot that the gate expects; `None` if only HEAD is known.
pub(super) fn for_gate(state: &TreeState) -> Option<gate::TreeSnapshot> {
    let head = gate::Head { commit: state.head.clone(), branch: state.branch.clone() };
    Some(gate::TreeSnapshot { head, tree: state.tree.clone()? })
}

pub(super) fn windows(windows: &[HeadWindow]) -> Vec<gate::CommitRange> {
    let window =
        |it: &HeadWindow| gate::CommitRange { before: it.before.clone(), after: it.after.clone() };
    windows.iter().map(window).collect()
}

/// The changes of a run, as its events store them.
pub(super) fn changes(
    changes: gate::TreeChanges,
    commits: Vec<gate::FoundCommit>,
) -> crate::run::Changes {
    let file = |it: gate::TreeChange| crate::run::ChangedFile {
        path: it.path.to_string_lossy().into_owned(),
        change: match it.kind {
            gate::ChangeKind::Added => FileChange::Added,
            gate::ChangeKind::Modified => FileChange::Modified,
            gate::ChangeKind::Deleted => FileChange::Deleted,
            gate::ChangeKind::Renamed { from } => {
                FileChange::Renamed(from.to_string_lossy().into_owned())
            }
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
        commits: commits
            .into_iter()
            .map(|it| CommitSeen { id: it.id, subject: it.subject })
            .collect(),
    }
}
