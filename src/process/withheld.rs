//! Durable evidence that a process never got its standard input.
//!
//! The file says `withheld` from before the process starts until right before its first byte is
//! written. A crash in between leaves `released` and a process without input: the evidence errs
//! towards "may have got it". For processes of earlier versions there is no such file, and
//! nothing is known.

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
    /// Creates the evidence, before the process is started.
    pub(super) fn create(directory: &Path) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(true).mode(0o600);
        let mut file = options.open(directory.join(FILE))?;
        file.write_all(WITHHELD)?;
        // If this is not durable, the evidence is missing after a power failure, which is safe.
        if let Err(error) = file.sync_all().and_then(|()| sync_entry(directory)) {
            tracing::debug!(%error, "failed to sync the state of standard input");
        }
        Ok(Self(file))
    }

    /// Revokes the evidence, durably.
    ///
    /// # Errors
    /// The evidence may still exist, so the process must not get any input.
    pub(super) fn release(mut self) -> io::Result<()> {
        self.0.seek(SeekFrom::Start(0))?;
        self.0.write_all(RELEASED)?;
        self.0.sync_data()
    }
}

/// Whether there is evidence that the process with these files got no input.
pub(super) fn is_withheld(directory: &Path) -> bool {
    std::fs::read(directory.join(FILE)).is_ok_and(|state| state == WITHHELD)
}

/// When the process with these files was released; `None` if it never was, or if that is unknown.
pub(super) fn released_at(directory: &Path) -> Option<SystemTime> {
    let file = directory.join(FILE);
    let released = std::fs::read(&file).is_ok_and(|state| state == RELEASED);
    if released { std::fs::metadata(file).and_then(|file| file.modified()).ok() } else { None }
}

/// Syncs the directory entries of the file and of its directory, which may be new too.
fn sync_entry(directory: &Path) -> io::Result<()> {
    File::open(directory)?.sync_all()?;
    directory.parent().map_or(Ok(()), |parent| File::open(parent)?.sync_all())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn input_counts_as_withheld_only_with_intact_evidence() {
        let directory = tempfile::tempdir().unwrap();
        assert!(!is_withheld(directory.path()), "an earlier version left no evidence");
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
