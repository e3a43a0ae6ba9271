//! Durable evidence that a process was never given anything on its standard input.
//!
//! The file says `withheld` from before the process starts until right before its first byte is written. A crash in
//! between leaves `released` and a process that was given nothing: the error is always towards "may have been given".
//! A process that was started without this file, by an earlier version, has no evidence either way.

use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::SystemTime;

const FILE: &str = "stdin.state";
const WITHHELD: &[u8] = b"withheld\n";
const RELEASED: &[u8] = b"released\n";

/// The evidence of one process.
#[derive(Debug)]
pub(super) struct Withheld(File);

impl Withheld {
    /// Makes the evidence, before the process is started.
    pub(super) fn create(directory: &Path) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(true).mode(0o600);
        let mut file = options.open(directory.join(FILE))?;
        file.write_all(WITHHELD)?;
        // Where this does not last, the evidence is missing after a power failure, which only makes it weaker.
        if let Err(error) = file.sync_all().and_then(|()| sync_entry(directory)) {
            tracing::debug!(%error, "failed to sync the state of standard input");
        }
        Ok(Self(file))
    }

    /// Takes the evidence back, so that it stays taken back whatever happens next.
    ///
    /// # Errors
    /// The evidence may still be there, so nothing may be given to the process.
    pub(super) fn release(mut self) -> io::Result<()> {
        self.0.seek(SeekFrom::Start(0))?;
        self.0.write_all(RELEASED)?;
        self.0.sync_data()
    }
}

/// Whether there is evidence that the process with these files was given nothing.
pub(super) fn is_withheld(directory: &Path) -> bool {
    std::fs::read(directory.join(FILE)).is_ok_and(|state| state == WITHHELD)
}

/// When the process with these files was released; `None` for one that never was, and where it is not known.
pub(super) fn released_at(directory: &Path) -> Option<SystemTime> {
    let file = directory.join(FILE);
    let released = std::fs::read(&file).is_ok_and(|state| state == RELEASED);
    if released { std::fs::metadata(file).and_then(|file| file.modified()).ok() } else { None }
}

/// Makes the file's name last, and that of its directory, which may be as new as the file.
fn sync_entry(directory: &Path) -> io::Result<()> {
    File::open(directory)?.sync_all()?;
    directory.parent().map_or(Ok(()), |parent| File::open(parent)?.sync_all())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_surely_withheld_counts() {
        let directory = tempfile::tempdir().unwrap();
        assert!(!is_withheld(directory.path()), "an earlier version left nothing");
        let withheld = Withheld::create(directory.path()).unwrap();
        assert!(is_withheld(directory.path()));
        withheld.release().unwrap();
        assert!(!is_withheld(directory.path()));
        drop(Withheld::create(directory.path()).unwrap());
        assert!(is_withheld(directory.path()), "a second process has evidence of its own");
        for torn in ["", "withheld", "released\n", "releaeld\n"] {
            std::fs::write(directory.path().join(FILE), torn).unwrap();
            assert!(!is_withheld(directory.path()), "{torn:?}");
        }
    }
}
