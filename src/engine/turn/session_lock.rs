//! One process per session: two servers with different data directories must not drive one conversation.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;
use uuid::Uuid;

use crate::local::{make_private, runtime_directories};

/// Where all servers of one user look, whatever their data directory: a directory that only the user can write to.
pub(in crate::engine) fn usual_directory() -> PathBuf {
    runtime_directories("surefire-sessions").swap_remove(0)
}

/// Held while the agent works in a session; the system frees it even if this process is killed.
pub(in crate::engine) struct SessionLock {
    file: File,
}

impl Drop for SessionLock {
    fn drop(&mut self) {
        // Closing the file is not enough: a process that is being started at this moment has it open until it executes its
        // program, and would hold the lock for as long.
        let _ = self.file.unlock();
    }
}

/// Why a session was not locked.
#[derive(Debug)]
pub(in crate::engine) enum NotLocked {
    /// Another process has it.
    Held,
    /// The lock could not be made at all.
    Failed(io::Error),
}

impl From<io::Error> for NotLocked {
    fn from(error: io::Error) -> Self {
        Self::Failed(error)
    }
}

/// Locks a session.
pub(in crate::engine) fn lock(directory: &Path, session: Uuid) -> Result<SessionLock, NotLocked> {
    make_private(directory)?;
    let path = path(directory, session);
    loop {
        let mut options = OpenOptions::new();
        options.create(true).truncate(false).write(true).mode(0o600);
        let no_link = i32::try_from(OFlags::NOFOLLOW.bits()).map_err(io::Error::other)?;
        let file = options.custom_flags(no_link).open(&path)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(NotLocked::Held),
            Err(TryLockError::Error(error)) => return Err(error.into()),
        }
        let lock = SessionLock { file };
        // Another process may have removed the file between opening and locking it. Then a third one could lock a new file
        // of the same name, so it is tried again.
        if std::fs::symlink_metadata(&path).is_ok_and(|found| is_same(&found, &lock.file)) {
            return Ok(lock);
        }
    }
}

/// Removes the lock file of a session that does not exist any more, unless another process holds it.
pub(in crate::engine) fn remove(directory: &Path, session: Uuid) {
    let path = path(directory, session);
    if path.exists()
        && let Ok(_held) = lock(directory, session)
    {
        let _ = std::fs::remove_file(path);
    }
}

fn path(directory: &Path, session: Uuid) -> PathBuf {
    directory.join(format!("{session}.lock"))
}

fn is_same(found: &std::fs::Metadata, file: &File) -> bool {
    file.metadata().is_ok_and(|open| (open.dev(), open.ino()) == (found.dev(), found.ino()))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    const SESSION: Uuid = Uuid::from_u128(7);

    fn is_held(directory: &Path) -> bool {
        matches!(lock(directory, SESSION), Err(NotLocked::Held))
    }

    #[test]
    fn a_dropped_lock_is_free_although_a_child_still_has_the_file() {
        let place = tempfile::tempdir().unwrap();
        let held = lock(place.path(), SESSION).unwrap();
        // What a child has between fork and exec.
        let inherited = held.file.try_clone().unwrap();
        assert!(is_held(place.path()));
        drop(held);
        assert!(!is_held(place.path()));
        drop(inherited);
    }

    #[test]
    fn lock_files_go_with_their_session_and_not_while_they_are_held() {
        let place = tempfile::tempdir().unwrap();
        let held = lock(place.path(), SESSION).unwrap();
        remove(place.path(), SESSION);
        assert!(is_held(place.path()), "it is still the same file");
        drop(held);
        remove(place.path(), SESSION);
        assert_eq!(std::fs::read_dir(place.path()).unwrap().count(), 0);
        remove(place.path(), SESSION);
        assert_eq!(std::fs::read_dir(place.path()).unwrap().count(), 0, "none is made to be removed");
    }

    #[test]
    fn a_directory_that_others_can_write_to_is_refused() {
        let place = tempfile::tempdir().unwrap();
        let shared = place.path().join("shared");
        std::fs::create_dir(&shared).unwrap();
        std::fs::set_permissions(&shared, std::fs::Permissions::from_mode(0o777)).unwrap();
        let refused = lock(&shared, SESSION).err().unwrap();
        assert!(matches!(&refused, NotLocked::Failed(error) if error.to_string().contains("other users")));

        let own = place.path().join("own");
        std::fs::create_dir(&own).unwrap();
        let link = place.path().join("link");
        std::os::unix::fs::symlink(&own, &link).unwrap();
        assert!(matches!(lock(&link, SESSION), Err(NotLocked::Failed(_))), "a link leads elsewhere");
        std::os::unix::fs::symlink(place.path().join("target"), path(&own, SESSION)).unwrap();
        assert!(matches!(lock(&own, SESSION), Err(NotLocked::Failed(_))));
        assert!(!place.path().join("target").exists(), "nothing is made where a link leads");
    }
}
