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
const LOCK_FILE: &str = "lock";

/// The longest note that is read: enough for the longest path and the other fields.
const MAX_NOTE_BYTES: u64 = 8 * 1024;

/// How long, and at which interval, to try a lock whose holder is gone: a child of the holder has
/// it until its exec, which may take long on a busy machine.
const INHERITED_LOCK_TIMEOUT: Duration = Duration::from_secs(5);
const INHERITED_LOCK_INTERVAL: Duration = Duration::from_millis(5);

/// How long to try a lock whose holder has no note: it is about to write one, or has erased it and
/// is about to release the lock.
const UNNOTED_LOCK_TIMEOUT: Duration = Duration::from_secs(1);

/// A held lock. The system releases it when the process ends, for whatever reason.
#[derive(Debug)]
pub(super) struct Lock {
    file: File,
}

impl Lock {
    /// Takes the lock of a data directory, and writes the holder into it.
    pub(super) fn take(directory: &Path) -> Result<Self, StoreError> {
        let unusable = |error| unusable(directory, &error);
        let mut file =
            files::open_own(&directory.join(LOCK_FILE)).map_err(|error| match error {
                NotOpened::Io(error) => unusable(error),
                NotOpened::Refused(refused) => refused,
            })?;
        let begun = Instant::now();
        loop {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::WouldBlock) => {
                    let holder = noted(&mut file);
                    if begun.elapsed() >= worth_waiting(&holder) {
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

    /// Writes the holder into the lock file, for people and for the next process that tries to take
    /// it.
    pub(super) fn note(&self, holder: &Holder) -> std::io::Result<()> {
        let mut file = &self.file;
        file.set_len(0)?;
        file.rewind()?;
        file.write_all(holder.note().as_bytes())
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // A stale pid would be read as a holder's. If it cannot be erased, it does no harm.
        let _ = self.file.set_len(0);
        // Closing the file is not enough: a child process between fork and exec still has it open,
        // and would hold the lock until its exec.
        let _ = self.file.unlock();
    }
}

/// The holder of a data directory's lock. A process that tries to take the lock at this moment may
/// be refused.
pub(super) fn holder(directory: &Path) -> Result<Option<Holder>, StoreError> {
    let mut file = match files::open_to_read(&directory.join(LOCK_FILE)) {
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
            // As above, closing it is not enough.
            let _ = file.unlock();
            Ok(None)
        }
        Err(TryLockError::WouldBlock) => Ok(Some(noted(&mut file))),
        Err(TryLockError::Error(error)) => Err(unusable(directory, &error)),
    }
}

/// Reads the holder's note.
fn noted(file: &mut File) -> Holder {
    let mut note = String::new();
    // Anything else in the file is ignored.
    let read = file.rewind().and_then(|()| file.take(MAX_NOTE_BYTES).read_to_string(&mut note));
    read.map_or_else(|_| Holder::default(), |_| Holder::read(&note))
}

/// How long a lock with this holder may be about to be released.
fn worth_waiting(holder: &Holder) -> Duration {
    match holder.pid.map(|pid| i32::try_from(pid).ok().and_then(Pid::from_raw)) {
        // A server that was killed while it started a child leaves its lock to that child until
        // the child's exec.
        Some(Some(pid)) if test_kill_process(pid) == Err(Errno::SRCH) => INHERITED_LOCK_TIMEOUT,
        Some(_) => Duration::ZERO,
        None => UNNOTED_LOCK_TIMEOUT,
    }
}

fn unusable(directory: &Path, error: &std::io::Error) -> StoreError {
    let why = format!("its `{LOCK_FILE}` file cannot be locked: {error}");
    StoreError::Directory { path: directory.to_owned(), why }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_inherited_by_a_child_of_a_killed_server_is_waited_for() {
        let directory = tempfile::tempdir().unwrap();
        let mut ended = std::process::Command::new("true").spawn().unwrap();
        ended.wait().unwrap();
        let lock = Lock::take(directory.path()).unwrap();
        let held = Lock::take(directory.path()).unwrap_err();
        assert!(matches!(held, StoreError::Held { .. }), "its holder is alive: {held}");

        lock.note(&Holder { pid: Some(ended.id()), ..Holder::default() }).unwrap();
        let child = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(100));
            drop(lock);
        });
        Lock::take(directory.path()).unwrap();
        child.join().unwrap();
    }

    #[test]
    fn a_lock_that_is_just_being_released_is_waited_for() {
        let directory = tempfile::tempdir().unwrap();
        let lock = Lock::take(directory.path()).unwrap();
        // What `drop` does first.
        lock.file.set_len(0).unwrap();
        let holder = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(20));
            drop(lock);
        });
        Lock::take(directory.path()).unwrap();
        holder.join().unwrap();
    }
}
