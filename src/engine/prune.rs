//! Deleting old runs and sessions, and what they left on the disk.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use super::error::EngineError;
use super::handoff::{Kept, remove_kept};
use super::local::Engine;
use super::turn::{scratch, session_lock};
use crate::run::AttemptId;
use crate::store::{Pruned, Store, StoreError};

impl Engine {
    /// Deletes the runs that ended before this time (milliseconds since 1970), as [`Store::prune`] does, with their files in
    /// the data directory, and says how many they were. What is open or resumes by itself stays.
    ///
    /// # Errors
    /// The store failed; nothing was deleted then.
    pub async fn prune(&self, ended_before: u64) -> Result<u64, EngineError> {
        let data = self.shared.options.data.clone();
        self.to_its_end(move |store| prune_runs(store, &data, ended_before)).await
    }

    /// Deletes the sessions in which nothing happened since this time (milliseconds since 1970), as
    /// [`Store::prune_sessions`] does, and what their agents and runs left in the data directory. A session in which
    /// something is open, queued or paused stays.
    ///
    /// # Errors
    /// The store failed; nothing was deleted then.
    pub async fn prune_sessions(&self, changed_before: u64) -> Result<Pruned, EngineError> {
        let (data, locks) = (self.shared.options.data.clone(), self.shared.options.locks.clone());
        self.to_its_end(move |store| delete_sessions(store, &data, &locks, changed_before)).await
    }

    /// Returns the space of what was deleted to the file system, as [`Store::reclaim`] does, and says how many bytes that
    /// were.
    ///
    /// # Errors
    /// The store failed; nothing was lost then.
    pub async fn reclaim(&self) -> Result<u64, EngineError> {
        self.to_its_end(Store::reclaim).await
    }

    /// Does something with the store, to its end even if the caller goes away.
    async fn to_its_end<T: Send + 'static>(
        &self,
        work: impl FnOnce(&dyn Store) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, EngineError> {
        self.is_open()?;
        let shared = Arc::clone(&self.shared);
        let working = self.shared.tasks.spawn(async move { shared.read(work).await });
        Ok(working.await.map_err(|error| EngineError::Broken(error.to_string()))??)
    }
}

/// Deletes the runs of a store that ended before this time (milliseconds since 1970), as [`Store::prune`] does, with their
/// files in the data directory, and says how many they were. What cannot be removed is logged.
///
/// # Errors
/// The store failed; nothing was deleted then.
pub fn prune_runs(store: &dyn Store, data: &Path, ended_before: u64) -> Result<u64, StoreError> {
    let kept = Kept::look(data, store);
    let pruned = store.prune(ended_before)?;
    remove_kept(data, store, kept, ended_before);
    Ok(pruned)
}

/// Deletes the sessions of a store in which nothing happened since this time (milliseconds since 1970), as
/// [`Store::prune_sessions`] does, with what they left on the disk: the files of their runs, the directories of their
/// attempts, those of unknown attempts that nothing was written to since then, and their lock files in the [usual
/// place](super::Options::locks). What cannot be removed is logged, and is there for the next time.
///
/// # Errors
/// The store failed; nothing was deleted then.
pub fn prune_sessions(store: &dyn Store, data: &Path, changed_before: u64) -> Result<Pruned, StoreError> {
    delete_sessions(store, data, &session_lock::usual_directory(), changed_before)
}

fn delete_sessions(
    store: &dyn Store,
    data: &Path,
    locks: &Path,
    changed_before: u64,
) -> Result<Pruned, StoreError> {
    let kept = Kept::look(data, store);
    let pruned = store.prune_sessions(changed_before)?;
    remove(data, locks, &pruned, changed_before);
    remove_kept(data, store, kept, changed_before);
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
        // Only what has the name of an attempt is ours to remove, and never what a link leads to.
        let is_ours = entry.file_name().to_str().is_some_and(|name| name.parse::<AttemptId>().is_ok());
        let is_directory = entry.file_type().is_ok_and(|kind| kind.is_dir());
        let changed = entry.metadata().and_then(|metadata| metadata.modified());
        if is_ours
            && is_directory
            && changed.is_ok_and(|changed| changed < before)
            && let Err(error) = std::fs::remove_dir_all(entry.path())
        {
            tracing::warn!(path = %entry.path().display(), %error, "could not remove an attempt's directory");
        }
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[test]
    fn what_pruned_attempts_left_goes_and_everything_else_stays() {
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
        std::os::unix::fs::symlink(data.join("elsewhere"), unknown.join(id(4).to_string())).unwrap();
        let pruned = Pruned { attempts: vec![id(1)], ..Pruned::default() };

        remove(data, &data.join("locks"), &pruned, 1_000);
        assert!(!scratch::path(data, id(1)).exists() && scratch::path(data, id(2)).exists());
        assert!(unknown.join(id(3).to_string()).exists(), "it was changed later than in 1970");

        remove(data, &data.join("locks"), &Pruned::default(), 4_000_000_000_000);
        assert!(!unknown.join(id(3).to_string()).exists());
        assert!(unknown.join("notes of mine").exists() && data.join("elsewhere/stdout").exists());
        assert!(scratch::path(data, id(2)).exists());
    }
}
