//! What is to be run.

use std::ffi::OsString;
use std::fmt;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Stdio};

use super::files::{Files, Fresh};
use super::launcher;
use super::mark::Mark;

/// A program to run, and everything that it gets to see.
///
/// It sees the environment that is given here and nothing of its supervisor's, beside its [`Mark`].
#[derive(Clone)]
pub struct Command {
    program: PathBuf,
    arguments: Vec<OsString>,
    environment: Vec<(OsString, OsString)>,
    directory: Option<PathBuf>,
    mark: Mark,
    merge_stderr: bool,
    launched: bool,
}

impl Command {
    /// A program without arguments, in the current directory.
    #[must_use]
    pub fn new(program: impl Into<PathBuf>, mark: Mark) -> Self {
        Self {
            program: program.into(),
            arguments: Vec::new(),
            environment: Vec::new(),
            directory: None,
            mark,
            merge_stderr: false,
            launched: false,
        }
    }

    /// Adds arguments.
    #[must_use]
    pub fn arguments(mut self, arguments: impl IntoIterator<Item = impl Into<OsString>>) -> Self {
        self.arguments.extend(arguments.into_iter().map(Into::into));
        self
    }

    /// Adds variables of its environment.
    #[must_use]
    pub fn environment(mut self, variables: impl IntoIterator<Item = (OsString, OsString)>) -> Self {
        self.environment.extend(variables);
        self
    }

    /// Runs it in this directory.
    #[must_use]
    pub fn directory(self, directory: impl Into<PathBuf>) -> Self {
        Self { directory: Some(directory.into()), ..self }
    }

    /// Sends its standard error where its standard output goes, in the order in which it writes.
    #[must_use]
    pub fn merge_stderr(self) -> Self {
        Self { merge_stderr: true, ..self }
    }

    /// Has a shell wait with the command until it is released, and record its exit status.
    ///
    /// For a command that does not wait for its standard input by itself, and whose exit status has to be known even if
    /// another supervisor adopts it. A command that cannot be started then ends with 126 or 127, and one that was
    /// killed by a signal with 128 and the signal's number.
    #[must_use]
    pub fn launched(self) -> Self {
        Self { launched: true, ..self }
    }

    pub(super) const fn mark(&self) -> Mark {
        self.mark
    }

    /// What is written to its standard input before anything else.
    pub(super) const fn preamble(&self) -> &'static [u8] {
        if self.launched { launcher::GO } else { &[] }
    }

    /// Starts it in a process group of its own.
    pub(super) fn spawn(&self, files: &Files, fresh: Fresh) -> io::Result<Child> {
        let mut command = if self.launched {
            let status = files.status()?;
            let mut command = std::process::Command::new(launcher::SHELL);
            command.args(launcher::arguments(&status, &self.program, &self.arguments));
            command
        } else {
            let mut command = std::process::Command::new(&self.program);
            command.args(&self.arguments);
            command
        };
        let (variable, value) = self.mark.variable();
        // The mark comes last: a supervisor may itself run under a mark and pass that on.
        command.env_clear().envs(self.environment.iter().cloned()).env(variable, value);
        if let Some(directory) = &self.directory {
            command.current_dir(directory);
        }
        let stderr = if self.merge_stderr { fresh.stdout.try_clone()? } else { fresh.stderr };
        command.stdin(Stdio::piped()).stdout(fresh.stdout).stderr(stderr).process_group(0).spawn()
    }
}

/// Without the environment and the arguments: values may be secrets, and what can be printed ends up in a log some day.
impl fmt::Debug for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Command")
            .field("program", &self.program)
            .field("mark", &self.mark)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neither_arguments_nor_variables_are_printed() {
        let mark = Mark::new(uuid::Uuid::nil());
        let command = Command::new("env", mark).arguments(["secret"]);
        let printed = format!("{:?}", command.environment([("KEY".into(), "secret".into())]));
        assert!(printed.contains("env") && !printed.contains("secret"), "{printed}");
    }
}
