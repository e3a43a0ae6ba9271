//! Starting a command through a shell, so that it waits until it is released and its exit status is
//! recorded.
//!
//! A program that reads its task from standard input waits by itself. Any other command would begin
//! at once, before its process is persisted. And only its parent learns its exit status, but a
//! supervisor that crashed is no longer there to record it.

use std::ffi::OsString;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::ExitStatus;

/// The shell that starts the command.
pub(super) const SHELL: &str = "/bin/sh";

/// The line that the shell waits for on standard input. Everything after it is the standard input
/// of the command.
pub(super) const GO: &[u8] = b"go\n";

/// If standard input ends without the line, the supervisor has crashed, and the command is not
/// started. The shell survives the signals that are meant for the command (`trap` with an action
/// does not change how the command handles them), and waits for it. The subshell uses `exec`,
/// because otherwise a program named `exit` or `test` would run as the shell's builtin.
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
    ["-c".into(), SCRIPT.into(), status.into(), program.into()]
        .into_iter()
        .chain(arguments.iter().cloned())
}

/// The exit status that the shell recorded, if the command has ended.
pub(super) fn status(file: &Path) -> Option<ExitStatus> {
    let text = std::fs::read_to_string(file).ok()?;
    // Without its line break the text may be incomplete.
    let code: u8 = text.strip_suffix('\n')?.parse().ok()?;
    // What `wait` reports for a process that ended by itself: the code in the second byte.
    Some(ExitStatus::from_raw(i32::from(code) << 8))
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::process::{Command, Stdio};

    use super::*;

    /// A supervisor that is killed leaves a pipe that ends before, within or after the line.
    #[test]
    fn without_a_complete_line_the_command_is_not_started() {
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
    fn an_incomplete_status_is_not_read() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("status");
        assert_eq!(status(&file), None);
        for (text, code) in [
            ("0\n", Some(0)),
            ("101\n", Some(101)),
            ("", None),
            ("1", None),
            ("x\n", None),
            ("256\n", None),
        ] {
            std::fs::write(&file, text).unwrap();
            assert_eq!(status(&file).and_then(|status| status.code()), code, "{text:?}");
        }
    }
}
