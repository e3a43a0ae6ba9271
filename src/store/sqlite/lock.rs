//! One server per data directory: a file that is locked for as long as the store is open.

use std::fs::{File, TryLockError};
use std::io::{ErrorKind, Read, Seek, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::process::{Pid, test_kill_process};

use super::files::{self, NotOpened};
use crate::store::{Holder, StoreError};

/// The file's name in the data directory.
const NAME: &str = "lock";

/// The longest note that is read: more than the longest path and all the rest.
const LONGEST_NOTE: u64 = 8 * 1024;

/// How long a lock is waited for whose holder is gone, and how often it is tried. Executing a program takes a moment, on a
/// busy machine a long one.
const INHERITED_LOCK_TIMEOUT: Duration = Duration::from_secs(5);
const INHERITED_LOCK_INTERVAL: Duration = Duration::from_millis(5);

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
        let begun = Instant::now();
        loop {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::WouldBlock) => {
                    let holder = noted(&mut file);
                    // A server that was killed while it started a process leaves its lock to that child, until the child
                    // executes its program.
                    if !is_gone(&holder) || begun.elapsed() >= INHERITED_LOCK_TIMEOUT {
                        return Err(StoreError::Held { path: directory.to_owned(), holder });
                    }
                    std::thread::sleep(INHERITED_LOCK_INTERVAL);
                }
                Err(TryLockError::Error(error)) => return Err(unusable(error)),
            }
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
    let read = file.rewind().and_then(|()| file.take(LONGEST_NOTE).read_to_string(&mut note));
    read.map_or_else(|_| Holder::default(), |_| Holder::read(&note))
}

/// Whether there is no such process any more.
fn is_gone(holder: &Holder) -> bool {
    let pid = holder.pid.and_then(|pid| Pid::from_raw(i32::try_from(pid).ok()?));
    pid.is_some_and(|pid| test_kill_process(pid) == Err(Errno::SRCH))
}

fn unusable(directory: &Path, error: &std::io::Error) -> StoreError {
    let why = format!("its `{NAME}` file cannot be locked: {error}");
    StoreError::Directory { path: directory.to_owned(), why }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_that_only_a_child_of_a_killed_server_has_is_waited_for() {
        let directory = tempfile::tempdir().unwrap();
        let mut ended = std::process::Command::new("true").spawn().unwrap();
        ended.wait().unwrap();
        let lock = Lock::take(directory.path()).unwrap();
        let held = Lock::take(directory.path()).unwrap_err();
        assert!(matches!(held, StoreError::Held { .. }), "its holder is there: {held}");

        lock.note(&Holder { pid: Some(ended.id()), ..Holder::default() }).unwrap();
        let child = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(100));
            drop(lock);
        });
        Lock::take(directory.path()).unwrap();
        child.join().unwrap();
    }
}
