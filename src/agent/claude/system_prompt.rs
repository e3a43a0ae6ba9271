//! Handing over the system prompt: in a file beside what the process writes, for the command line is no place for words.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

const FILE: &str = "system-prompt.md";

/// Writes it down, for the owner alone, and says where. What an earlier try left is gone.
pub(super) fn write(scratch: &Path, words: &str) -> io::Result<PathBuf> {
    // The process works in another directory, where a relative path would lead elsewhere.
    let path = std::path::absolute(scratch.join(FILE))?;
    let mut file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&path)?;
    file.write_all(words.as_bytes())?;
    Ok(path)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn only_the_owner_may_read_it_and_a_second_try_replaces_it() {
        let scratch = tempfile::tempdir().unwrap();
        for words in ["Be thorough, and say why.", "Be brief."] {
            let path = write(scratch.path(), words).unwrap();
            assert_eq!(std::fs::read_to_string(&path).unwrap(), words);
            assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
            assert!(path.is_absolute());
        }
    }
}
