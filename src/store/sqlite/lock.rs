//! One server per data directory: a file that is locked for as long as the store is open.

use std::fs::{File, TryLockError};
use std::io::{ErrorKind, Read, Seek, Write};
use std::path::Path;

use super::files::{self, NotOpened};
use crate::store::{Holder, StoreError};

/// The file's name in the data directory.
const NAME: &str = "lock";

/// The longest note that is read: more than the longest path and all the rest.
const LONGEST_NOTE: u64 = 8 * 1024;

/// A held lock. The system frees it when the process ends, however it ends.
#[derive(Debug)]
pub(super) struct Lock {
    file: File,
}

impl Lock {
    /// Takes the lock of a data directory, and notes down who did.
    pub(super) fn take(directory: &Path) -> Result<Self, StoreError> {
        let unusable = |error| unusable(directory, &error);
        let mut file = files::open_own(&directory.join(NAME)).map_err(|error| match error {
            NotOpened::Io(error) => unusable(error),
            NotOpened::Refused(refused) => refused,
        })?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(StoreError::Held { path: directory.to_owned(), holder: noted(&mut file) });
            }
            Err(TryLockError::Error(error)) => return Err(unusable(error)),
        }
        let lock = Self { file };
        lock.note(&Holder::this(None, None)).map_err(unusable)?;
        Ok(lock)
    }

    /// Writes who holds the lock, for people and for the next one who tries to take it.
    pub(super) fn note(&self, holder: &Holder) -> std::io::Result<()> {
        let mut file = &self.file;
        file.set_len(0)?;
        file.rewind()?;
        file.write_all(holder.note().as_bytes())
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // A stale pid would be read as a holder's; it does no harm where it cannot be wiped.
        let _ = self.file.set_len(0);
        // Closing the file is not enough: a process that is being started at this moment has it open until it executes
        // its program, and would hold the lock for as long.
        let _ = self.file.unlock();
    }
}

/// Who holds the lock of a data directory. Whoever tries to take it in the same moment can be turned away.
pub(super) fn holder(directory: &Path) -> Result<Option<Holder>, StoreError> {
    let mut file = match files::open_to_read(&directory.join(NAME)) {
        Ok(file) => file,
        Err(NotOpened::Io(error))
            if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) =>
        {
            return Ok(None);
        }
        Err(NotOpened::Io(error)) => return Err(unusable(directory, &error)),
        Err(NotOpened::Refused(refused)) => return Err(refused),
    };
    match file.try_lock_shared() {
        Ok(()) => {
            // As above: closing it is not enough.
            let _ = file.unlock();
            Ok(None)
        }
        Err(TryLockError::WouldBlock) => Ok(Some(noted(&mut file))),
        Err(TryLockError::Error(error)) => Err(unusable(directory, &error)),
    }
}

/// What a holder noted down about itself.
fn noted(file: &mut File) -> Holder {
    let mut note = String::new();
    // Whatever else is in there need not be shown.
    let read = file.take(LONGEST_NOTE).read_to_string(&mut note);
    read.map_or_else(|_| Holder::default(), |_| Holder::read(&note))
}

fn unusable(directory: &Path, error: &std::io::Error) -> StoreError {
    let why = format!("its `{NAME}` file cannot be locked: {error}");
    StoreError::Directory { path: directory.to_owned(), why }
}
