//! A lock that processes of one user share: a file that is locked as long as a process works on something.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;

use rustix::fs::OFlags;

use crate::local::make_private;

/// A file that is locked; the system frees it even if this process is killed.
#[derive(Debug)]
pub(super) struct FileLock {
    file: File,
}

impl Drop for FileLock {
    fn drop(&mut self) {
        // Closing the file is not enough: a process that is being started at this moment has it open until it executes its
        // program, and would hold the lock for as long.
        let _ = self.file.unlock();
    }
}

/// Why a file was not locked.
#[derive(Debug)]
pub(super) enum NotLocked {
    /// Another process has it, or another part of this one.
    Held,
    /// The lock could not be made at all.
    Failed(io::Error),
}

impl From<io::Error> for NotLocked {
    fn from(error: io::Error) -> Self {
        Self::Failed(error)
    }
}

impl FileLock {
    /// Locks the file of this name in a directory that only its user can write to.
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
            // Another process may have removed the file between opening and locking it. Then a third one could lock a new
            // file of the same name, so it is tried again.
            if std::fs::symlink_metadata(&path).is_ok_and(|found| is_same(&found, &lock.file)) {
                return Ok(lock);
            }
        }
    }

    /// Removes the file of this name, unless it is locked.
    pub(super) fn remove(directory: &Path, name: &str) {
        let path = directory.join(name);
        if path.exists()
            && let Ok(_held) = Self::take(directory, name)
        {
            let _ = std::fs::remove_file(path);
        }
    }

    /// The file, to say in it who holds the lock.
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
    fn a_dropped_lock_is_free_although_a_child_still_has_the_file() {
        let place = tempfile::tempdir().unwrap();
        let held = FileLock::take(place.path(), NAME).unwrap();
        // What a child has between fork and exec.
        let inherited = held.file.try_clone().unwrap();
        assert!(is_held(place.path()));
        drop(held);
        assert!(!is_held(place.path()));
        drop(inherited);
    }

    #[test]
    fn lock_files_are_removed_and_not_while_they_are_held() {
        let place = tempfile::tempdir().unwrap();
        let held = FileLock::take(place.path(), NAME).unwrap();
        FileLock::remove(place.path(), NAME);
        assert!(is_held(place.path()), "it is still the same file");
        drop(held);
        FileLock::remove(place.path(), NAME);
        assert_eq!(std::fs::read_dir(place.path()).unwrap().count(), 0);
        FileLock::remove(place.path(), NAME);
        assert_eq!(std::fs::read_dir(place.path()).unwrap().count(), 0, "none is made to be removed");
    }

    #[test]
    fn a_directory_that_others_can_write_to_is_refused() {
        let place = tempfile::tempdir().unwrap();
        let shared = place.path().join("shared");
        std::fs::create_dir(&shared).unwrap();
        std::fs::set_permissions(&shared, std::fs::Permissions::from_mode(0o777)).unwrap();
        let refused = FileLock::take(&shared, NAME).err().unwrap();
        assert!(matches!(&refused, NotLocked::Failed(error) if error.to_string().contains("other users")));

        let own = place.path().join("own");
        std::fs::create_dir(&own).unwrap();
        let link = place.path().join("link");
        std::os::unix::fs::symlink(&own, &link).unwrap();
        assert!(matches!(FileLock::take(&link, NAME), Err(NotLocked::Failed(_))), "a link leads elsewhere");
        std::os::unix::fs::symlink(place.path().join("target"), own.join(NAME)).unwrap();
        assert!(matches!(FileLock::take(&own, NAME), Err(NotLocked::Failed(_))));
        assert!(!place.path().join("target").exists(), "nothing is made where a link leads");
    }
}
