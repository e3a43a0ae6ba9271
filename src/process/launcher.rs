//! Starting a command so that it waits to be released, and leaves its exit status behind.
//!
//! A program that reads its task from standard input does both by itself. Any other command would begin at once, before
//! it is recorded; and how it ended is known to its parent alone, which may be gone. So a shell stands in between.

use std::ffi::OsString;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::ExitStatus;

/// The program that stands between.
pub(super) const SHELL: &str = "/bin/sh";

/// What the command waits for on its standard input. What follows is the command's own standard input.
pub(super) const GO: &[u8] = b"go\n";

/// Without a line there is no supervisor any more, and the command is not begun. The shell itself survives the signals
/// that are meant for the command (`trap` with a command leaves the command's own handling as it is), and waits for it.
/// `exec` in a shell of its own: without it, a program named `exit` or `test` would be the shell's own.
const SCRIPT: &str = r#"read -r go || exit 125
trap : INT TERM
(exec "$@")
status=$?
echo "$status" > "$0"
exit "$status""#;

/// The arguments of the shell that launches this command and writes its exit status into this file.
pub(super) fn arguments<'a>(
    status: &'a Path,
    program: &'a Path,
    arguments: &'a [OsString],
) -> impl Iterator<Item = OsString> + use<'a> {
    ["-c".into(), SCRIPT.into(), status.into(), program.into()].into_iter().chain(arguments.iter().cloned())
}

/// The exit status that the shell left behind, if the command has ended.
pub(super) fn status(file: &Path) -> Option<ExitStatus> {
    let text = std::fs::read_to_string(file).ok()?;
    // Without its line break it may have been cut.
    let code: u8 = text.strip_suffix('\n')?.parse().ok()?;
    // What `wait` reports for a process that ended by itself: the code in the second byte.
    Some(ExitStatus::from_raw(i32::from(code) << 8))
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::process::{Command, Stdio};

    use super::*;

    /// What a supervisor that is killed leaves: a pipe that ends before, in or behind the line.
    #[test]
    fn without_a_whole_line_the_command_is_not_begun() {
        for (input, code, begun) in [("", 125, false), ("go", 125, false), ("go\n", 3, true)] {
            let directory = tempfile::tempdir().unwrap();
            let (file, out) = (directory.path().join("status"), directory.path().join("out"));
            let script = ["-c".into(), format!("echo begun > {}; exit 3", out.display()).into()];
            let mut command = Command::new(SHELL);
            command.args(arguments(&file, Path::new("sh"), &script)).stdin(Stdio::piped());
            let mut child = command.spawn().unwrap();
            child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
            assert_eq!(child.wait().unwrap().code(), Some(code), "{input:?}");
            assert_eq!((out.exists(), status(&file).is_some()), (begun, begun), "{input:?}");
        }
    }

    #[test]
    fn a_status_is_read_whole_or_not_at_all() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("status");
        assert_eq!(status(&file), None);
        for (text, code) in
            [("0\n", Some(0)), ("101\n", Some(101)), ("", None), ("1", None), ("x\n", None), ("256\n", None)]
        {
            std::fs::write(&file, text).unwrap();
            assert_eq!(status(&file).and_then(|status| status.code()), code, "{text:?}");
        }
    }
}
