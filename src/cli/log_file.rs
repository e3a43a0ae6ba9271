//! The log file of a server: lines are buffered in memory until its path is known, then written to
//! a file of limited size.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The file's size at which it is renamed, and a new one is started. One renamed file is kept.
const MAX_FILE_BYTES: u64 = 10 * 1024 * 1024;

/// The most that is kept in memory before the file is opened.
const MAX_PENDING_BYTES: usize = 64 * 1024;

/// The file's mode: only the owner can read it.
const FILE_MODE: u32 = 0o600;

/// The mode of a directory that is created for it.
const DIRECTORY_MODE: u32 = 0o700;

/// A log file. Clones write to the same file.
#[derive(Debug, Clone)]
pub(super) struct LogFile {
    state: Arc<Mutex<State>>,
    max_bytes: u64,
}

#[derive(Debug)]
enum State {
    /// The lines so far.
    Pending(Vec<u8>),
    Open {
        path: PathBuf,
        file: File,
        bytes: u64,
    },
}

impl LogFile {
    pub(super) fn new() -> Self {
        Self::with_max(MAX_FILE_BYTES)
    }

    fn with_max(max_bytes: u64) -> Self {
        Self { state: Arc::new(Mutex::new(State::Pending(Vec::new()))), max_bytes }
    }

    /// Opens the file, and appends the lines that were logged before.
    pub(super) fn open(&self, path: &Path) -> io::Result<()> {
        if let Some(directory) = path.parent() {
            fs::DirBuilder::new().recursive(true).mode(DIRECTORY_MODE).create(directory)?;
        }
        let (file, bytes) = append(path)?;
        let mut state = self.lock();
        let opened = State::Open { path: path.to_owned(), file, bytes };
        let before = std::mem::replace(&mut *state, opened);
        drop(state);
        match before {
            State::Pending(lines) => self.clone().write_all(&lines),
            State::Open { .. } => Ok(()),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn append(path: &Path) -> io::Result<(File, u64)> {
    let file = OpenOptions::new().append(true).create(true).mode(FILE_MODE).open(path)?;
    let known = file.metadata()?;
    // Even an existing file becomes private. A device keeps its mode.
    if known.is_file() && known.permissions().mode() & 0o077 != 0 {
        file.set_permissions(fs::Permissions::from_mode(FILE_MODE))?;
    }
    Ok((file, known.len()))
}

/// `surefire.log.1` of `surefire.log`.
fn renamed(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".1");
    name.into()
}

/// One call writes one line. A full disk must not stop the server, so the caller ignores errors.
impl Write for LogFile {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let max_bytes = self.max_bytes;
        match &mut *self.lock() {
            State::Pending(lines) => {
                if lines.len() + line.len() <= MAX_PENDING_BYTES {
                    lines.extend_from_slice(line);
                }
            }
            State::Open { path, file, bytes } => {
                if *bytes > 0 && *bytes + line.len() as u64 > max_bytes && path.is_file() {
                    fs::rename(&*path, renamed(path))?;
                    (*file, *bytes) = append(path)?;
                }
                file.write_all(line)?;
                *bytes += line.len() as u64;
            }
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_before_the_file_is_open_are_in_it() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("logs/surefire.log");
        let mut log = LogFile::new();
        log.write_all(b"first\n").unwrap();
        log.open(&path).unwrap();
        log.write_all(b"second\n").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "first\nsecond\n");
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&path), mode(path.parent().unwrap())), (0o600, 0o700));
    }

    #[test]
    fn a_full_file_is_renamed_and_one_is_kept() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("surefire.log");
        let mut log = LogFile::with_max(10);
        log.open(&path).unwrap();
        for line in ["one--\n", "two--\n", "three\n"] {
            log.write_all(line.as_bytes()).unwrap();
        }
        assert_eq!(fs::read_to_string(&path).unwrap(), "three\n");
        assert_eq!(fs::read_to_string(renamed(&path)).unwrap(), "two--\n");
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 2);
    }
}
