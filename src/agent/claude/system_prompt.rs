//! Passing the system prompt in a file next to the process's output, because the command line is
//! limited in size and visible to other users.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

const FILE: &str = "system-prompt.md";

/// Writes the file, readable by its owner alone, and returns its path. Replaces the file of an
/// earlier attempt.
pub(super) fn write(scratch: &Path, words: &str) -> io::Result<PathBuf> {
    // The process has another working directory, so the path must be absolute.
    let path = std::path::absolute(scratch.join(FILE))?;
    let mut file =
        OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&path)?;
    file.write_all(words.as_bytes())?;
    Ok(path)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn only_the_owner_may_read_the_file_and_a_second_attempt_replaces_it() {
        let scratch = tempfile::tempdir().unwrap();
        for words in ["Be thorough, and say why.", "Be brief."] {
            let path = write(scratch.path(), words).unwrap();
            assert_eq!(std::fs::read_to_string(&path).unwrap(), words);
            assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
            assert!(path.is_absolute());
        }
    }
}
