//! The files of one process: its output, its exit status and the state of its standard input.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::withheld::{is_withheld, released_at};

const STDOUT: &str = "stdout.log";
const STDERR: &str = "stderr.log";
const STATUS: &str = "status";

/// The files of one process, in a directory of its own. After a crash, the next supervisor opens
/// them again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Files {
    directory: PathBuf,
    stdout: &'static str,
}

/// Empty files for a process to write to.
#[derive(Debug)]
pub(super) struct NewFiles {
    pub(super) stdout: File,
    pub(super) stderr: File,
}

impl Files {
    /// Files in this directory. Nothing is created or opened yet.
    #[must_use]
    pub fn at(directory: impl Into<PathBuf>) -> Self {
        Self { directory: directory.into(), stdout: STDOUT }
    }

    /// Names the file for standard output; the default is `stdout.log`.
    #[must_use]
    pub fn stdout_name(self, stdout: &'static str) -> Self {
        Self { stdout, ..self }
    }

    /// Their directory.
    #[must_use]
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Creates the directory, accessible to its owner alone. Starting a process does this too.
    ///
    /// # Errors
    /// The directory cannot be created.
    pub fn make_directory(&self) -> io::Result<()> {
        DirBuilder::new().recursive(true).mode(0o700).create(&self.directory)
    }

    /// Whether there is evidence that nothing was written to the standard input of the process.
    ///
    /// If so, a program that acts only on its standard input has not begun. `false` proves nothing:
    /// the process may have received its input or not, or it was started by a version that kept no
    /// such evidence.
    #[must_use]
    pub fn is_stdin_withheld(&self) -> bool {
        is_withheld(&self.directory)
    }

    /// How long ago the process was released; or, for one that was
    /// [launched](super::Command::launched) and has ended, how long it took. `None` if that is
    /// unknown.
    ///
    /// The next supervisor relies on it, so it is measured with the system clock; it is 0 if that
    /// clock was set back.
    #[must_use]
    pub fn age(&self) -> Option<Duration> {
        let released = released_at(&self.directory)?;
        let status =
            std::fs::metadata(self.directory.join(STATUS)).and_then(|status| status.modified());
        let until = status.unwrap_or_else(|_| std::time::SystemTime::now());
        Some(until.duration_since(released).unwrap_or_default())
    }

    /// The last bytes of standard output, and whether there are more before them.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn stdout_end(&self, max_bytes: u64) -> io::Result<(Vec<u8>, bool)> {
        let mut file = self.open_stdout()?;
        let begin = file.metadata()?.len().saturating_sub(max_bytes);
        file.seek(SeekFrom::Start(begin))?;
        let mut end = Vec::new();
        file.take(max_bytes).read_to_end(&mut end)?;
        Ok((end, begin > 0))
    }

    /// Creates empty files, readable by their owner alone. The output of an earlier process is
    /// deleted.
    pub(super) fn create(&self) -> io::Result<NewFiles> {
        self.make_directory()?;
        let create = |name: &str| {
            let mut options = OpenOptions::new();
            // Append mode: if the file is truncated while its process writes, the next write goes
            // to the new end.
            let file =
                options.append(true).create(true).mode(0o600).open(self.directory.join(name))?;
            file.set_len(0)?;
            io::Result::Ok(file)
        };
        match std::fs::remove_file(self.directory.join(STATUS)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            Ok(()) | Err(_) => {}
        }
        Ok(NewFiles { stdout: create(self.stdout)?, stderr: create(STDERR)? })
    }

    pub(super) fn open_stdout(&self) -> io::Result<File> {
        File::open(self.directory.join(self.stdout))
    }

    pub(super) fn open_stderr(&self) -> io::Result<File> {
        OpenOptions::new().read(true).append(true).open(self.directory.join(STDERR))
    }

    /// The absolute path of the file for the exit status: the process may work in another
    /// directory, where a relative path would name another file.
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
    fn only_the_owner_can_read_the_files_and_a_second_process_starts_with_empty_ones() {
        let directory = tempfile::tempdir().unwrap();
        let files = Files::at(directory.path().join("new"));
        files.create().unwrap().stdout.write_all(b"old\n").unwrap();
        let metadata = files.create().unwrap().stdout.metadata().unwrap();
        assert_eq!((metadata.len(), metadata.permissions().mode() & 0o777), (0, 0o600));
        let metadata = files.directory().metadata().unwrap();
        assert_eq!(metadata.permissions().mode() & 0o777, 0o700);
    }

    #[test]
    fn the_end_of_standard_output_is_read() {
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
        assert_eq!(files.age(), None, "it has not been released");
        withheld.release().unwrap();
        assert!(files.age().unwrap() < Duration::from_secs(60));

        let status = File::create(directory.path().join(STATUS)).unwrap();
        let released = released_at(directory.path()).unwrap();
        status.set_modified(released + Duration::from_secs(90)).unwrap();
        assert_eq!(files.age(), Some(Duration::from_secs(90)));
        status.set_modified(released - Duration::from_secs(90)).unwrap();
        assert_eq!(files.age(), Some(Duration::ZERO), "the clock was set back");
    }
}
