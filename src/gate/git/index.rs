//! A copy of a repository's index, which can be changed without touching the repository.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use uuid::Uuid;

use super::error::GitError;
use crate::process::run_blocking;

/// A copy of an index in a directory of its own, which is deleted when this is dropped.
#[derive(Debug)]
pub(super) struct IndexCopy {
    directory: PathBuf,
}

impl IndexCopy {
    /// Copies an index into a new directory below `below`. A repository to which nothing was ever
    /// added has no index.
    pub(super) async fn of(index: &Path, below: &Path) -> Result<Self, GitError> {
        let (index, below) = (index.to_owned(), below.to_owned());
        run_blocking(move || Self::copy(&index, &below)).await
    }

    fn copy(index: &Path, below: &Path) -> Result<Self, GitError> {
        let ours = |source| GitError::Objects { directory: below.to_owned(), source };
        // Absolute, because git works in another directory.
        let directory = std::path::absolute(below.join(format!("snapshot-{}", Uuid::new_v4())))
            .map_err(ours)?;
        std::fs::create_dir(&directory).map_err(ours)?;
        let copy = Self { directory };
        let theirs = |source| GitError::Index { path: index.to_owned(), source };
        let mut from = match File::open(index) {
            Ok(from) => from,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(copy),
            Err(error) => return Err(theirs(error)),
        };
        let modified = from.metadata().and_then(|metadata| metadata.modified()).map_err(theirs)?;
        let mut options = OpenOptions::new();
        let mut to =
            options.write(true).create_new(true).mode(0o600).open(copy.path()).map_err(ours)?;
        io::copy(&mut from, &mut to).map_err(ours)?;
        // A file that was changed at the same moment as the index looks unchanged. Git detects that
        // by the index's modification time, so the copy keeps it.
        to.set_modified(modified).map_err(ours)?;
        Ok(copy)
    }

    /// The file, for `GIT_INDEX_FILE`.
    pub(super) fn path(&self) -> PathBuf {
        self.directory.join("index")
    }

    /// The directory that contains only this copy.
    pub(super) fn directory(&self) -> &Path {
        &self.directory
    }
}

impl Drop for IndexCopy {
    fn drop(&mut self) {
        if let Err(error) = std::fs::remove_dir_all(&self.directory) {
            tracing::debug!(%error, "failed to remove the copy of an index");
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use super::*;

    #[tokio::test]
    async fn a_copy_keeps_the_modification_time_and_is_deleted() {
        let directory = tempfile::tempdir().unwrap();
        let index = directory.path().join("index");
        std::fs::write(&index, "DIRC").unwrap();
        let hour_ago = SystemTime::now() - Duration::from_secs(60 * 60);
        File::options().write(true).open(&index).unwrap().set_modified(hour_ago).unwrap();
        let below = directory.path().join("ours");
        std::fs::create_dir(&below).unwrap();

        let copy = IndexCopy::of(&index, &below).await.unwrap();
        assert_eq!(std::fs::read(copy.path()).unwrap(), b"DIRC");
        assert_eq!(copy.path().metadata().unwrap().modified().unwrap(), hour_ago);
        drop(copy);
        assert_eq!(std::fs::read_dir(&below).unwrap().count(), 0);

        let none = IndexCopy::of(&directory.path().join("none"), &below).await.unwrap();
        assert!(!none.path().exists());
        assert!(IndexCopy::of(&below, &below).await.is_err(), "a directory is not an index");
    }
}
