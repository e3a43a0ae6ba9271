//! One run per work tree: two runs that change files must not share a git work tree.
//!
//! A lock file in the user's runtime directory, named by the work tree's device and inode, also
//! keeps out other servers, regardless of their data directory. Each run of a chain
//! passes the lock to the next.

use std::collections::HashMap;
use std::io::{Read, Seek, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};

use super::file_lock::{FileLock, NotLocked};
use crate::recipe::advice;
use crate::run::{Event, RunId, TreeClaim};
use crate::session::{Change, Commit};
use crate::{Advise, Remedy};

/// How much of a lock file is read. It names one run.
const MAX_NOTE_BYTES: u64 = 4096;

/// The work trees that runs of this engine hold.
#[derive(Debug, Default)]
pub(super) struct TreeLocks {
    held: Mutex<HashMap<TreeId, HeldTree>>,
}

/// The device and inode of a work tree's top.
type TreeId = (u64, u64);

#[derive(Debug)]
struct HeldTree {
    run: RunId,
    recipe: String,
    /// `None` if lock files cannot be created. The runs of this engine still exclude each other.
    lock: Option<FileLock>,
    file: (PathBuf, String),
}

/// The content of a lock file: its holder.
#[derive(Debug, Serialize, Deserialize)]
struct Note {
    run: RunId,
    recipe: String,
}

/// Another run holds the work tree.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{} works in `{}` already{}", .other.as_deref().unwrap_or("another run"), .tree.display(), advice(self))]
#[non_exhaustive]
pub struct Collision {
    /// The top of the work tree.
    pub tree: PathBuf,
    /// A description of the other run, if known.
    pub other: Option<String>,
}

impl Advise for Collision {
    fn remedy(&self) -> Option<Remedy> {
        Some(Remedy::WaitOrForceParallel)
    }
}

impl TreeLocks {
    /// Locks the work tree that contains a directory for a run. Does nothing outside git.
    /// Idempotent for the holder.
    pub(super) fn hold(
        &self,
        locks: &Path,
        directory: &Path,
        claim: TreeClaim,
    ) -> Result<(), Collision> {
        let Some(tree) = work_tree(directory) else { return Ok(()) };
        let Ok(found) = tree.metadata() else { return Ok(()) };
        let id = (found.dev(), found.ino());
        let mut held = self.held();
        let other = match held.get(&id) {
            Some(holder) if holder.run == claim.run => return Ok(()),
            Some(holder) => Some(describe(holder.run, &holder.recipe)),
            None => {
                let name = format!("tree-{}-{}.lock", id.0, id.1);
                match FileLock::take(locks, &name) {
                    Ok(mut lock) => {
                        write_note(&mut lock, claim);
                        let (run, recipe) = (claim.run, claim.recipe.to_owned());
                        let file = (locks.to_owned(), name);
                        held.insert(id, HeldTree { run, recipe, lock: Some(lock), file });
                        return Ok(());
                    }
                    Err(NotLocked::Held) => read_note(&locks.join(name)),
                    Err(NotLocked::Failed(error)) => {
                        tracing::warn!(%error, "failed to lock a work tree; other servers can use it at the same time");
                        let (run, recipe) = (claim.run, claim.recipe.to_owned());
                        held.insert(
                            id,
                            HeldTree { run, recipe, lock: None, file: (locks.to_owned(), name) },
                        );
                        return Ok(());
                    }
                }
            }
        };
        if claim.parallel { Ok(()) } else { Err(Collision { tree, other }) }
    }

    /// Releases the work tree that a run holds.
    pub(super) fn release(&self, run: RunId) {
        let mut held = self.held();
        let ids: Vec<_> = held.iter().filter(|(_, it)| it.run == run).map(|(id, _)| *id).collect();
        for HeldTree { lock, file: (directory, name), .. } in
            ids.iter().filter_map(|id| held.remove(id))
        {
            if lock.is_some() {
                drop(lock);
                FileLock::remove(&directory, &name);
            }
        }
    }

    /// Hands a run's work tree to the run that continues it.
    fn hand_over(&self, from: RunId, to: RunId) {
        for held in self.held().values_mut().filter(|held| held.run == from) {
            held.run = to;
            if let Some(lock) = &mut held.lock {
                write_note(lock, TreeClaim { run: to, recipe: "", parallel: false });
            }
        }
    }

    /// Releases the work trees of runs that this commit ends. `kept` is a paused run that has
    /// changed its work tree, and so keeps it.
    pub(super) fn follow(&self, commit: &Commit, kept: Option<RunId>) {
        for change in &commit.changes {
            let Change::Run { run, entries, .. } = change else { continue };
            for event in entries.iter().filter_map(|entry| entry.event.as_ref()) {
                let Event::Ended { ending, .. } = event else { continue };
                match ending.continued_by {
                    Some(next) => self.hand_over(*run, next),
                    None if kept == Some(*run) => {}
                    None => self.release(*run),
                }
            }
        }
    }

    fn held(&self) -> MutexGuard<'_, HashMap<TreeId, HeldTree>> {
        // The map is consistent after each change, so a poisoned lock is harmless.
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The top of the work tree that contains a directory.
fn work_tree(directory: &Path) -> Option<PathBuf> {
    directory.ancestors().find(|it| it.join(".git").symlink_metadata().is_ok()).map(Path::to_owned)
}

fn describe(run: RunId, recipe: &str) -> String {
    let id: String = run.to_string().chars().take(8).collect();
    if recipe.is_empty() { format!("run {id}") } else { format!("run {id} of `{recipe}`") }
}

/// Writes the holder into the lock file. If that fails, a collision cannot name the other run.
fn write_note(lock: &mut FileLock, claim: TreeClaim) {
    let note = Note { run: claim.run, recipe: claim.recipe.to_owned() };
    let Ok(text) = serde_json::to_string(&note) else { return };
    let file = lock.file();
    let written =
        file.set_len(0).and_then(|()| file.rewind()).and_then(|()| file.write_all(text.as_bytes()));
    if let Err(error) = written {
        tracing::debug!(%error, "failed to write the holder of a work tree");
    }
}

fn read_note(path: &Path) -> Option<String> {
    let mut text = String::new();
    std::fs::File::open(path).ok()?.take(MAX_NOTE_BYTES).read_to_string(&mut text).ok()?;
    let note: Note = serde_json::from_str(&text).ok()?;
    let recipe: String = note.recipe.chars().filter(|it| !it.is_control()).take(80).collect();
    Some(describe(note.run, &recipe))
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn claim(n: u128, parallel: bool) -> TreeClaim {
        TreeClaim { run: Uuid::from_u128(n).into(), recipe: "rebase", parallel }
    }

    #[test]
    fn two_runs_do_not_hold_one_work_tree_in_one_process_or_in_two() {
        let folder = tempfile::tempdir().unwrap();
        let (locks, tree) = (folder.path().join("locks"), folder.path().join("tree"));
        std::fs::create_dir_all(tree.join(".git")).unwrap();
        std::fs::create_dir(tree.join("inner")).unwrap();
        // The second one stands for another process.
        let (one, other) = (TreeLocks::default(), TreeLocks::default());
        assert_eq!(one.hold(&locks, &tree.join("inner"), claim(1, false)), Ok(()));
        assert_eq!(one.hold(&locks, &tree, claim(1, false)), Ok(()), "the run holds it already");
        for process in [&one, &other] {
            let collision = process.hold(&locks, &tree, claim(2, false)).unwrap_err();
            assert!(
                collision.to_string().starts_with("run 00000000 of `rebase` works in `"),
                "{collision}"
            );
            assert_eq!(
                process.hold(&locks, &tree, claim(2, true)),
                Ok(()),
                "`force_parallel` allows it"
            );
        }
        one.release(claim(1, false).run);
        assert_eq!(std::fs::read_dir(&locks).unwrap().count(), 0, "no file is left");
        assert_eq!(other.hold(&locks, &tree, claim(2, false)), Ok(()));
    }

    #[test]
    fn a_chain_hands_its_work_tree_on() {
        let folder = tempfile::tempdir().unwrap();
        let (locks, tree) = (folder.path().join("locks"), folder.path().join("tree"));
        std::fs::create_dir_all(tree.join(".git")).unwrap();
        let trees = TreeLocks::default();
        trees.hold(&locks, &tree, claim(1, false)).unwrap();
        trees.hand_over(claim(1, false).run, claim(2, false).run);
        assert!(trees.hold(&locks, &tree, claim(1, false)).is_err());
        assert_eq!(trees.hold(&locks, &tree, claim(2, false)), Ok(()));
    }

    #[test]
    fn outside_of_git_runs_do_not_exclude_each_other() {
        let folder = tempfile::tempdir().unwrap();
        let trees = TreeLocks::default();
        for n in 1..3 {
            assert_eq!(trees.hold(folder.path(), Path::new("/"), claim(n, false)), Ok(()));
        }
    }
}
