//! One process per session: two servers with different data directories must not drive one conversation.

use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use uuid::Uuid;

/// Where all servers of one user look, whatever their data directory.
pub(super) fn usual_directory() -> PathBuf {
    std::env::temp_dir().join(format!("surefire-{}", rustix::process::getuid().as_raw())).join("sessions")
}

/// Held while the agent works in a session; the system frees it even if this process is killed.
pub(super) struct SessionLock {
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
pub(super) enum NotLocked {
    /// Another process has it.
    Held,
    /// The lock could not be made at all.
    Failed(std::io::Error),
}

pub(super) fn lock(directory: &Path, session: Uuid) -> Result<SessionLock, NotLocked> {
    let open = || {
        DirBuilder::new().recursive(true).mode(0o700).create(directory)?;
        let path = directory.join(format!("{session}.lock"));
        OpenOptions::new().create(true).truncate(false).write(true).mode(0o600).open(path)
    };
    let file = open().map_err(NotLocked::Failed)?;
    match file.try_lock() {
        Ok(()) => Ok(SessionLock { file }),
        Err(TryLockError::WouldBlock) => Err(NotLocked::Held),
        Err(TryLockError::Error(error)) => Err(NotLocked::Failed(error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_is_free_as_soon_as_its_lock_is_dropped_whatever_else_has_the_file_open() {
        let directory = tempfile::tempdir().unwrap();
        let session = Uuid::from_u128(7);
        let Ok(first) = lock(directory.path(), session) else { panic!("nothing holds it") };
        // What a child has between fork and exec: the same open file, under another number.
        let child = first.file.try_clone().unwrap();
        assert!(matches!(lock(directory.path(), session), Err(NotLocked::Held)));
        drop(first);
        assert!(lock(directory.path(), session).is_ok(), "a child that is being started holds no session");
        drop(child);
    }
}
