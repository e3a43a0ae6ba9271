//! Deleting old runs and sessions, with their files.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use super::error::EngineError;
use super::handoff::{RunDirectories, remove_deleted};
use super::local::Engine;
use super::turn::{scratch, session_lock};
use crate::run::AttemptId;
use crate::store::{Pruned, Store, StoreError};

impl Engine {
    /// Deletes the runs that ended before this time (milliseconds since 1970), as [`Store::prune`]
    /// does, with their files in the data directory. Returns how many were deleted. Open and paused
    /// runs stay.
    ///
    /// # Errors
    /// The store failed; nothing was deleted.
    pub async fn prune(&self, ended_before: u64) -> Result<u64, EngineError> {
        let data = self.shared.options.data.clone();
        self.run_to_completion(move |store| prune_runs(store, &data, ended_before)).await
    }

    /// Deletes the sessions without activity since this time (milliseconds since 1970), as
    /// [`Store::prune_sessions`] does, with the files of their agents and runs in the data
    /// directory. A session with anything open, queued or paused stays.
    ///
    /// # Errors
    /// The store failed; nothing was deleted.
    pub async fn prune_sessions(&self, changed_before: u64) -> Result<Pruned, EngineError> {
        let (data, locks) = (self.shared.options.data.clone(), self.shared.options.locks.clone());
        self.run_to_completion(move |store| delete_sessions(store, &data, &locks, changed_before))
            .await
    }

    /// Returns the space of deleted rows to the file system, as [`Store::reclaim`] does. Returns
    /// the number of bytes.
    ///
    /// # Errors
    /// The store failed; nothing was lost.
    pub async fn reclaim(&self) -> Result<u64, EngineError> {
        self.run_to_completion(Store::reclaim).await
    }

    /// Runs work on the store to completion, even if the caller disconnects.
    async fn run_to_completion<T: Send + 'static>(
        &self,
        work: impl FnOnce(&dyn Store) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, EngineError> {
        self.ensure_open()?;
        let shared = Arc::clone(&self.shared);
        let working = self.shared.tasks.spawn(async move { shared.read(work).await });
        Ok(working.await.map_err(|error| EngineError::Bug(error.to_string()))??)
    }
}

/// Deletes the runs of a store that ended before this time (milliseconds since 1970), as
/// [`Store::prune`] does, with their files in the data directory. Returns how many were deleted.
/// Files that cannot be removed are logged.
///
/// # Errors
/// The store failed; nothing was deleted.
pub fn prune_runs(store: &dyn Store, data: &Path, ended_before: u64) -> Result<u64, StoreError> {
    let directories = RunDirectories::list(data, store);
    let pruned = store.prune(ended_before)?;
    remove_deleted(data, store, directories, ended_before);
    Ok(pruned)
}

/// Deletes the sessions of a store without activity since this time (milliseconds since 1970), as
/// [`Store::prune_sessions`] does, with their files: those of their runs, the directories of their
/// attempts, their lock files in the [default directory](super::Options::locks), and directories of
/// unknown attempts that have not changed since then. Files that cannot be removed are logged and
/// stay for the next time.
///
/// # Errors
/// The store failed; nothing was deleted.
pub fn prune_sessions(
    store: &dyn Store,
    data: &Path,
    changed_before: u64,
) -> Result<Pruned, StoreError> {
    delete_sessions(store, data, &session_lock::default_directory(), changed_before)
}

fn delete_sessions(
    store: &dyn Store,
    data: &Path,
    locks: &Path,
    changed_before: u64,
) -> Result<Pruned, StoreError> {
    let directories = RunDirectories::list(data, store);
    let pruned = store.prune_sessions(changed_before)?;
    remove(data, locks, &pruned, changed_before);
    remove_deleted(data, store, directories, changed_before);
    Ok(pruned)
}

fn remove(data: &Path, locks: &Path, pruned: &Pruned, before: u64) {
    for session in &pruned.sessions {
        session_lock::remove(locks, session.uuid());
    }
    for attempt in &pruned.attempts {
        scratch::remove_now(data, *attempt);
    }
    let Ok(unknown) = std::fs::read_dir(data.join("unknown-attempts")) else { return };
    let before = SystemTime::UNIX_EPOCH + Duration::from_millis(before);
    for entry in unknown.flatten() {
        // Only directories named by an attempt's id are removed, and links are never followed.
        let is_attempt =
            entry.file_name().to_str().is_some_and(|name| name.parse::<AttemptId>().is_ok());
        let is_directory = entry.file_type().is_ok_and(|kind| kind.is_dir());
        let changed = entry.metadata().and_then(|metadata| metadata.modified());
        if is_attempt
            && is_directory
            && changed.is_ok_and(|changed| changed < before)
            && let Err(error) = std::fs::remove_dir_all(entry.path())
        {
            tracing::warn!(path = %entry.path().display(), %error, "failed to remove an attempt's directory");
        }
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[test]
    fn pruned_attempts_lose_their_directories_and_everything_else_stays() {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path();
        let id = |n| AttemptId::from(Uuid::from_u128(n));
        let make = |path: &Path| {
            std::fs::create_dir_all(path).unwrap();
            std::fs::write(path.join("stdout"), "words").unwrap();
        };
        for n in 1..=2 {
            make(&scratch::path(data, id(n)));
        }
        let unknown = data.join("unknown-attempts");
        make(&unknown.join(id(3).to_string()));
        make(&unknown.join("notes of mine"));
        make(&data.join("elsewhere"));
        std::os::unix::fs::symlink(data.join("elsewhere"), unknown.join(id(4).to_string()))
            .unwrap();
        let pruned = Pruned { attempts: vec![id(1)], ..Pruned::default() };

        remove(data, &data.join("locks"), &pruned, 1_000);
        assert!(!scratch::path(data, id(1)).exists() && scratch::path(data, id(2)).exists());
        assert!(unknown.join(id(3).to_string()).exists(), "it has changed since the cutoff");

        remove(data, &data.join("locks"), &Pruned::default(), 4_000_000_000_000);
        assert!(!unknown.join(id(3).to_string()).exists());
        assert!(unknown.join("notes of mine").exists() && data.join("elsewhere/stdout").exists());
        assert!(scratch::path(data, id(2)).exists());
    }
}
