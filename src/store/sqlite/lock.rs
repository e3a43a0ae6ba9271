//! One server per data directory: a file that is locked for as long as the store is open.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use crate::store::StoreError;

/// The file's name in the data directory.
const NAME: &str = "lock";

/// A held lock. The system frees it when the process ends, however it ends.
#[derive(Debug)]
pub(super) struct Lock {
    file: File,
}

impl Lock {
    /// Takes the lock of a data directory, and notes down who did.
    pub(super) fn take(directory: &Path) -> Result<Self, StoreError> {
        let unusable = |error: std::io::Error| StoreError::Directory {
            path: directory.to_owned(),
            why: format!("its `{NAME}` file cannot be locked: {error}"),
        };
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false).mode(0o600);
        let mut file = options.open(directory.join(NAME)).map_err(unusable)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(StoreError::Held { path: directory.to_owned(), holder: holder(&mut file) });
            }
            Err(TryLockError::Error(error)) => return Err(unusable(error)),
        }
        let lock = Self { file };
        lock.note(None).map_err(unusable)?;
        Ok(lock)
    }

    /// Writes who holds the lock, for people and for the next one who tries to take it.
    pub(super) fn note(&self, address: Option<&str>) -> std::io::Result<()> {
        let mut file = &self.file;
        file.set_len(0)?;
        file.rewind()?;
        writeln!(file, "pid {}", std::process::id())?;
        match address {
            Some(address) => writeln!(file, "address {}", address.escape_debug()),
            None => Ok(()),
        }
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

/// What a holder noted down about itself.
fn holder(file: &mut File) -> String {
    let mut note = String::new();
    // Our own notes are two short lines; whatever else is in there need not be shown.
    let read = file.take(1024).read_to_string(&mut note);
    let line = |name: &str| note.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
    match (read, line("pid "), line("address ")) {
        (Ok(_), Some(pid), Some(address)) => format!("the server with pid {pid} at {address}"),
        (Ok(_), Some(pid), None) => format!("the server with pid {pid}"),
        _ => "another server".to_owned(),
    }
}
