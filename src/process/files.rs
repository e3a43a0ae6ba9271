//! The files of one process: what it writes, and what is known about it.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::withheld::{is_withheld, released_at};

const STDOUT: &str = "stdout.log";
const STDERR: &str = "stderr.log";
const STATUS: &str = "status";

/// Where the files of one process are: a directory for it alone, which its next supervisor opens again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Files {
    directory: PathBuf,
    stdout: &'static str,
}

/// Empty files for a process to write to.
#[derive(Debug)]
pub(super) struct Fresh {
    pub(super) stdout: File,
    pub(super) stderr: File,
}

impl Files {
    /// Files in this directory. Nothing is made or opened yet.
    #[must_use]
    pub fn at(directory: impl Into<PathBuf>) -> Self {
        Self { directory: directory.into(), stdout: STDOUT }
    }

    /// Keeps standard output under another name than `stdout.log`.
    #[must_use]
    pub fn stdout_name(self, stdout: &'static str) -> Self {
        Self { stdout, ..self }
    }

    /// The directory that they are in.
    #[must_use]
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Makes the directory, for its owner alone. Starting a process does so, too.
    ///
    /// # Errors
    /// It cannot be made.
    pub fn make_directory(&self) -> io::Result<()> {
        DirBuilder::new().recursive(true).mode(0o700).create(&self.directory)
    }

    /// Whether there is evidence that the process was never given anything on its standard input.
    ///
    /// A program that acts only on what it is given there has not begun, then. `false` says nothing: the process may
    /// have been given all of it, or none, or was started by a version that kept no such evidence.
    #[must_use]
    pub fn is_stdin_withheld(&self) -> bool {
        is_withheld(&self.directory)
    }

    /// How long ago the process was released; or, for one that was [launched](super::Command::launched) and has ended,
    /// how long it took. `None` where that is not known.
    ///
    /// It is what the next supervisor goes by, so it counts the time of day, and a clock that was set back makes it 0.
    #[must_use]
    pub fn age(&self) -> Option<Duration> {
        let released = released_at(&self.directory)?;
        let status = std::fs::metadata(self.directory.join(STATUS)).and_then(|status| status.modified());
        let until = status.unwrap_or_else(|_| std::time::SystemTime::now());
        Some(until.duration_since(released).unwrap_or_default())
    }

    /// The last bytes of standard output, and whether there are more before them.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn stdout_end(&self, max_bytes: u64) -> io::Result<(Vec<u8>, bool)> {
        let mut file = self.open_stdout()?;
        let begin = file.metadata()?.len().saturating_sub(max_bytes);
        file.seek(SeekFrom::Start(begin))?;
        let mut end = Vec::new();
        file.take(max_bytes).read_to_end(&mut end)?;
        Ok((end, begin > 0))
    }

    /// Makes all of them anew, readable by their owner alone. What an earlier process left is gone.
    pub(super) fn create(&self) -> io::Result<Fresh> {
        self.make_directory()?;
        let create = |name: &str| {
            let mut options = OpenOptions::new();
            // Appending: a file that is cut while its process writes is continued at its new end.
            let file = options.append(true).create(true).mode(0o600).open(self.directory.join(name))?;
            file.set_len(0)?;
            io::Result::Ok(file)
        };
        match std::fs::remove_file(self.directory.join(STATUS)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            Ok(()) | Err(_) => {}
        }
        Ok(Fresh { stdout: create(self.stdout)?, stderr: create(STDERR)? })
    }

    pub(super) fn open_stdout(&self) -> io::Result<File> {
        File::open(self.directory.join(self.stdout))
    }

    pub(super) fn open_stderr(&self) -> io::Result<File> {
        OpenOptions::new().read(true).append(true).open(self.directory.join(STDERR))
    }

    /// The file for the exit status. The process works in another directory, where a relative path would lead elsewhere.
    pub(super) fn status(&self) -> io::Result<PathBuf> {
        std::path::absolute(self.directory.join(STATUS))
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::os::unix::fs::PermissionsExt;

    use super::super::withheld::Withheld;
    use super::*;

    #[test]
    fn only_the_owner_may_read_them_and_a_second_process_starts_empty() {
        let directory = tempfile::tempdir().unwrap();
        let files = Files::at(directory.path().join("new"));
        files.create().unwrap().stdout.write_all(b"old\n").unwrap();
        let metadata = files.create().unwrap().stdout.metadata().unwrap();
        assert_eq!((metadata.len(), metadata.permissions().mode() & 0o777), (0, 0o600));
        let metadata = files.directory().metadata().unwrap();
        assert_eq!(metadata.permissions().mode() & 0o777, 0o700);
    }

    #[test]
    fn the_end_of_what_was_written() {
        let directory = tempfile::tempdir().unwrap();
        let files = Files::at(directory.path());
        assert!(files.stdout_end(4).is_err());
        files.create().unwrap().stdout.write_all(b"one two").unwrap();
        assert_eq!(files.stdout_end(3).unwrap(), (b"two".to_vec(), true));
        assert_eq!(files.stdout_end(7).unwrap(), (b"one two".to_vec(), false));
    }

    #[test]
    fn the_age_counts_from_the_release_to_the_end() {
        let directory = tempfile::tempdir().unwrap();
        let files = Files::at(directory.path());
        assert_eq!(files.age(), None);
        let withheld = Withheld::create(directory.path()).unwrap();
        assert_eq!(files.age(), None, "it has not begun");
        withheld.release().unwrap();
        assert!(files.age().unwrap() < Duration::from_mins(1));

        let status = File::create(directory.path().join(STATUS)).unwrap();
        let released = released_at(directory.path()).unwrap();
        status.set_modified(released + Duration::from_secs(90)).unwrap();
        assert_eq!(files.age(), Some(Duration::from_secs(90)));
        status.set_modified(released - Duration::from_secs(90)).unwrap();
        assert_eq!(files.age(), Some(Duration::ZERO), "the clock was set back");
    }
}
