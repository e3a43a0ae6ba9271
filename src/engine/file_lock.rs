//! A lock that the processes of one user share: a file that is locked while a process works.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;

use rustix::fs::OFlags;

use crate::local::make_private;

/// A locked file. The system releases the lock even if this process is killed.
#[derive(Debug)]
pub(super) struct FileLock {
    file: File,
}

impl Drop for FileLock {
    fn drop(&mut self) {
        // Closing the file is not enough: a child process between fork and exec still has it open,
        // and would hold the lock until its exec.
        let _ = self.file.unlock();
    }
}

/// Why a file was not locked.
#[derive(Debug)]
pub(super) enum NotLocked {
    /// Another process holds the lock, or this process does already.
    Held,
    /// The lock file could not be opened or locked.
    Failed(io::Error),
}

impl From<io::Error> for NotLocked {
    fn from(error: io::Error) -> Self {
        Self::Failed(error)
    }
}

impl FileLock {
    /// Locks the file with this name in a directory that only its owner can write to.
    pub(super) fn take(directory: &Path, name: &str) -> Result<Self, NotLocked> {
        make_private(directory)?;
        let path = directory.join(name);
        loop {
            let mut options = OpenOptions::new();
            options.create(true).truncate(false).read(true).write(true).mode(0o600);
            let no_link = i32::try_from(OFlags::NOFOLLOW.bits()).map_err(io::Error::other)?;
            let file = options.custom_flags(no_link).open(&path)?;
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Err(NotLocked::Held),
                Err(TryLockError::Error(error)) => return Err(error.into()),
            }
            let lock = Self { file };
            // Another process may have removed the file between opening and locking it. A third one
            // could then lock a new file with the same name, so try again.
            if std::fs::symlink_metadata(&path).is_ok_and(|found| is_same(&found, &lock.file)) {
                return Ok(lock);
            }
        }
    }

    /// Removes the file with this name, unless it is locked.
    pub(super) fn remove(directory: &Path, name: &str) {
        let path = directory.join(name);
        if path.exists()
            && let Ok(_held) = Self::take(directory, name)
        {
            let _ = std::fs::remove_file(path);
        }
    }

    /// The locked file, for writing its holder into it.
    pub(super) const fn file(&mut self) -> &mut File {
        &mut self.file
    }
}

fn is_same(found: &std::fs::Metadata, file: &File) -> bool {
    file.metadata().is_ok_and(|open| (open.dev(), open.ino()) == (found.dev(), found.ino()))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    const NAME: &str = "7.lock";

    fn is_held(directory: &Path) -> bool {
        matches!(FileLock::take(directory, NAME), Err(NotLocked::Held))
    }

    #[test]
    fn a_dropped_lock_is_released_although_a_child_still_has_the_file_open() {
        let folder = tempfile::tempdir().unwrap();
        let held = FileLock::take(folder.path(), NAME).unwrap();
        // What a child has between fork and exec.
        let inherited = held.file.try_clone().unwrap();
        assert!(is_held(folder.path()));
        drop(held);
        assert!(!is_held(folder.path()));
        drop(inherited);
    }

    #[test]
    fn lock_files_are_removed_unless_they_are_held() {
        let folder = tempfile::tempdir().unwrap();
        let held = FileLock::take(folder.path(), NAME).unwrap();
        FileLock::remove(folder.path(), NAME);
        assert!(is_held(folder.path()), "a held lock file is not replaced");
        drop(held);
        FileLock::remove(folder.path(), NAME);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        FileLock::remove(folder.path(), NAME);
        assert_eq!(
            std::fs::read_dir(folder.path()).unwrap().count(),
            0,
            "removing a missing file does not create one"
        );
    }

    #[test]
    fn a_directory_that_others_can_write_to_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let shared = folder.path().join("shared");
        std::fs::create_dir(&shared).unwrap();
        std::fs::set_permissions(&shared, std::fs::Permissions::from_mode(0o777)).unwrap();
        let refused = FileLock::take(&shared, NAME).err().unwrap();
        assert!(
            matches!(&refused, NotLocked::Failed(error) if error.to_string().contains("other users"))
        );

        let own = folder.path().join("own");
        std::fs::create_dir(&own).unwrap();
        let link = folder.path().join("link");
        std::os::unix::fs::symlink(&own, &link).unwrap();
        assert!(
            matches!(FileLock::take(&link, NAME), Err(NotLocked::Failed(_))),
            "a link leads elsewhere"
        );
        std::os::unix::fs::symlink(folder.path().join("target"), own.join(NAME)).unwrap();
        assert!(matches!(FileLock::take(&own, NAME), Err(NotLocked::Failed(_))));
        assert!(!folder.path().join("target").exists(), "nothing is created behind a link");
    }
}
