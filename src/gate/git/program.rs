//! One call of the `git` program: bounded in time and output, with its own environment, and killed
//! when it is dropped.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use tokio::process::Command;

use super::error::GitError;
use super::running::{ProcessResult, Running};
use crate::gate::environment::Environment;
use crate::gate::printable::printable;

/// How long one call of git may take.
pub const GIT_TIMEOUT: Duration = Duration::from_secs(60);

/// How much one call may write: the names of some hundred thousand files.
const MAX_OUTPUT_BYTES: usize = 64 << 20;

/// How many lines of git's standard error an error contains.
const MAX_STDERR_LINES: usize = 5;

/// The settings of every call: it starts no program that the repository or the user configured
/// (except clean filters, without which no content could be compared), and its output does not
/// depend on anyone's configuration.
const SETTINGS: [&str; 13] = [
    "core.hooksPath=/dev/null",
    "core.fsmonitor=",
    // A shared index would be written into the repository.
    "core.splitIndex=false",
    "core.quotePath=false",
    // A warning about line endings must not make a call fail.
    "core.safecrlf=false",
    "color.ui=false",
    "diff.orderFile=/dev/null",
    "gc.auto=0",
    "log.showSignature=false",
    "maintenance.auto=false",
    "protocol.allow=never",
    "status.relativePaths=false",
    "submodule.recurse=false",
];

const VARIABLES: [(&str, &str); 6] = [
    ("LC_ALL", "C"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_NO_REPLACE_OBJECTS", "1"),
    ("GIT_ADVICE", "0"),
];

/// How to call git in one directory.
#[derive(Debug, Clone)]
pub(super) struct Program {
    directory: PathBuf,
    environment: Environment,
    variables: Vec<(&'static str, OsString)>,
    timeout: Duration,
}

/// One call, ready to run.
#[derive(Debug)]
pub(super) struct Call<'a> {
    program: &'a Program,
    directory: &'a Path,
    settings: Vec<&'static str>,
    arguments: Vec<OsString>,
    variables: Vec<(&'static str, OsString)>,
    input: Vec<u8>,
    max_output_bytes: usize,
}

/// The result of a call.
#[derive(Debug)]
pub(super) struct Answer {
    command: String,
    /// `None` if it was killed by a signal, or because it wrote too much.
    pub(super) code: Option<i32>,
    pub(super) stdout: Vec<u8>,
    /// Whether it wrote more than that.
    pub(super) cut: bool,
    stderr: Vec<u8>,
}

impl Program {
    /// Git in this directory.
    pub(super) fn new(environment: &Environment, directory: &Path) -> Self {
        Self {
            directory: directory.to_owned(),
            environment: environment.clone(),
            variables: Vec::new(),
            timeout: GIT_TIMEOUT,
        }
    }

    /// Sets a variable for every call.
    pub(super) fn variable(mut self, name: &'static str, value: impl Into<OsString>) -> Self {
        self.variables.push((name, value.into()));
        self
    }

    /// Gives every call this long instead of [`GIT_TIMEOUT`].
    pub(super) fn timeout(self, timeout: Duration) -> Self {
        Self { timeout, ..self }
    }

    /// A call with these arguments, the first of which is git's command.
    pub(super) fn call(&self, arguments: &[&str]) -> Call<'_> {
        Call {
            program: self,
            directory: &self.directory,
            settings: Vec::new(),
            arguments: arguments.iter().map(OsString::from).collect(),
            variables: Vec::new(),
            input: Vec::new(),
            max_output_bytes: MAX_OUTPUT_BYTES,
        }
    }
}

impl<'a> Call<'a> {
    /// Adds an argument.
    pub(super) fn argument(mut self, argument: impl Into<OsString>) -> Self {
        self.arguments.push(argument.into());
        self
    }

    /// Adds arguments.
    pub(super) fn arguments(
        mut self,
        arguments: impl IntoIterator<Item = impl Into<OsString>>,
    ) -> Self {
        self.arguments.extend(arguments.into_iter().map(Into::into));
        self
    }

    /// Sets a variable, for this call alone.
    pub(super) fn variable(mut self, name: &'static str, value: impl Into<OsString>) -> Self {
        self.variables.push((name, value.into()));
        self
    }

    /// Overrides a setting, as in `name=value`.
    pub(super) fn setting(mut self, setting: &'static str) -> Self {
        self.settings.push(setting);
        self
    }

    /// Runs it in another directory.
    pub(super) fn directory(self, directory: &'a Path) -> Self {
        Self { directory, ..self }
    }

    /// Gives it this on its standard input.
    pub(super) fn input(self, input: Vec<u8>) -> Self {
        Self { input, ..self }
    }

    /// Kills it once it has written more than this, and keeps that much of its output.
    pub(super) fn cut_at(self, max_output_bytes: usize) -> Self {
        Self { max_output_bytes, ..self }
    }

    /// Runs it, and returns its output if it succeeds.
    pub(super) async fn output(self) -> Result<Vec<u8>, GitError> {
        let max_bytes = self.max_output_bytes;
        let answer = self.answer().await?;
        if answer.cut {
            return Err(GitError::TooMuchOutput { command: answer.command, max_bytes });
        }
        if answer.code == Some(0) { Ok(answer.stdout) } else { Err(answer.into_error()) }
    }

    /// Runs it to its end, whether it succeeds or not.
    pub(super) async fn answer(self) -> Result<Answer, GitError> {
        let command = self.name();
        let limit = self.program.timeout;
        let running = self.spawn()?;
        let (input, max_bytes) = (self.input, self.max_output_bytes);
        match tokio::time::timeout(limit, running.communicate(input, max_bytes)).await {
            Ok(Ok(result)) => {
                let ProcessResult { code, stdout, cut, stderr } = result;
                Ok(Answer { command, code, stdout, cut, stderr })
            }
            Ok(Err(error)) => Err(GitError::CannotStart(error)),
            Err(_) => Err(GitError::TimedOut { command, limit }),
        }
    }

    /// Its name in errors: the command without its options, which do not help a user.
    fn name(&self) -> String {
        format!(
            "git {}",
            self.arguments.first().map_or_else(Default::default, |it| it.to_string_lossy())
        )
    }

    fn spawn(&self) -> Result<Running, GitError> {
        let mut command = Command::new("git");
        command.arg("--no-pager");
        for setting in SETTINGS.iter().chain(&self.settings) {
            command.args(["-c", setting]);
        }
        let variables = self.program.variables.iter().chain(&self.variables);
        command
            .args(&self.arguments)
            .current_dir(self.directory)
            .env_clear()
            .envs(self.program.environment.for_git())
            .envs(VARIABLES)
            .envs(variables.map(|(name, value)| (*name, value)))
            .env_remove("LANGUAGE")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            // Its own process group: Ctrl-C in the server's terminal must not reach it, and killing
            // the group kills what it started.
            .process_group(0)
            .kill_on_drop(true);
        command.spawn().map(Running::new).map_err(|error| {
            if error.kind() != io::ErrorKind::NotFound {
                GitError::CannotStart(error)
            } else if self.directory.is_dir() {
                GitError::NotInstalled
            } else {
                GitError::NoDirectory { directory: self.directory.to_owned() }
            }
        })
    }
}

impl Answer {
    /// Git's message for people, on one line.
    pub(super) fn words(&self) -> String {
        let text = printable(&String::from_utf8_lossy(&self.stderr));
        let lines: Vec<_> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        let last = lines.get(lines.len().saturating_sub(MAX_STDERR_LINES)..).unwrap_or_default();
        match (last, self.code) {
            ([], Some(code)) => format!("exit status {code}"),
            ([], None) => "it was killed by a signal".to_owned(),
            (words, _) => words.join(", "),
        }
    }

    /// The error for a call that failed.
    pub(super) fn into_error(self) -> GitError {
        GitError::Failed { words: self.words(), command: self.command }
    }

    /// The error for output that is not in the documented format.
    pub(super) fn into_unexpected(self) -> GitError {
        unexpected(&self.command, &self.stdout)
    }
}

/// The error for output that is not in the documented format.
pub(super) fn unexpected(command: &str, output: &[u8]) -> GitError {
    const MAX_CHARS: usize = 200;
    let text = String::from_utf8_lossy(output);
    let what = text.escape_debug().take(MAX_CHARS).collect();
    GitError::Unexpected { command: command.to_owned(), what }
}

/// A path as git writes it between NUL bytes.
pub(super) fn path(bytes: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt;

    OsStr::from_bytes(bytes).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(directory: &Path) -> Program {
        let names = ["PATH"];
        let environment =
            names.iter().filter_map(|name| Some(((*name).into(), std::env::var_os(name)?)));
        Program::new(&environment.collect(), directory)
            .variable("GIT_CONFIG_GLOBAL", "/dev/null")
            .variable("GIT_CONFIG_NOSYSTEM", "1")
    }

    #[tokio::test]
    async fn a_call_that_hangs_is_killed_with_its_children() {
        let directory = tempfile::tempdir().unwrap();
        let program = Program { timeout: Duration::from_secs(1), ..program(directory.path()) };
        let script = "alias.wait=!echo $$ > pid; sleep 600";
        let call = program.call(&["-c", script, "wait"]);
        let error = call.answer().await.unwrap_err();
        assert!(matches!(error, GitError::TimedOut { .. }), "{error}");
        let pid = std::fs::read_to_string(directory.path().join("pid")).unwrap();
        let stat = format!("/proc/{}/stat", pid.trim());
        for _ in 0..1000 {
            // Gone, or a zombie that its new parent has not reaped yet.
            let Ok(stat) = std::fs::read_to_string(&stat) else { return };
            if stat.contains(") Z ") {
                return;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        panic!("the script is still there");
    }

    #[tokio::test]
    async fn too_much_output_kills_a_call_and_standard_error_does_not_block_it() {
        let directory = tempfile::tempdir().unwrap();
        let program = program(directory.path());
        let flood = "alias.flood=!yes";
        let answer = program.call(&["-c", flood, "flood"]).cut_at(1000).answer().await.unwrap();
        assert_eq!((answer.cut, answer.stdout.len()), (true, 1000));
        let error = program.call(&["-c", flood, "flood"]).cut_at(1000).output().await.unwrap_err();
        assert!(matches!(error, GitError::TooMuchOutput { .. }), "{error}");
        let words = "alias.talk=!head -c 1000000 /dev/zero | tr '\\0' x >&2; echo >&2; echo the end >&2; exit 3";
        let error = program.call(&["-c", words, "talk"]).output().await.unwrap_err();
        assert!(error.to_string().ends_with(", the end"), "{error:.300}");
    }

    #[tokio::test]
    async fn a_missing_program_or_directory_is_named() {
        let directory = tempfile::tempdir().unwrap();
        let missing = directory.path().join("missing");
        let error = program(&missing).call(&["status"]).output().await.unwrap_err();
        assert!(matches!(error, GitError::NoDirectory { .. }), "{error}");
        // Without a `PATH` the system uses a default, so it names an empty directory.
        let environment = [("PATH".into(), directory.path().into())].into_iter().collect();
        let error = Program::new(&environment, directory.path()).call(&["status"]).output().await;
        assert!(matches!(error, Err(GitError::NotInstalled)), "{error:?}");
    }
}
