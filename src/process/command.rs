//! The program to run.

use std::ffi::OsString;
use std::fmt;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Stdio};

use super::files::{Files, NewFiles};
use super::launcher;
use super::mark::ProcessMark;

/// A program to run, with its arguments and environment.
///
/// Its environment is what is given here and its [`ProcessMark`]; nothing is inherited from its
/// supervisor.
#[derive(Clone)]
pub struct Command {
    program: PathBuf,
    arguments: Vec<OsString>,
    environment: Vec<(OsString, OsString)>,
    directory: Option<PathBuf>,
    mark: ProcessMark,
    merge_stderr: bool,
    launched: bool,
}

impl Command {
    /// A program without arguments, in the current directory.
    #[must_use]
    pub fn new(program: impl Into<PathBuf>, mark: ProcessMark) -> Self {
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

    /// Adds variables to its environment.
    #[must_use]
    pub fn environment(
        mut self,
        variables: impl IntoIterator<Item = (OsString, OsString)>,
    ) -> Self {
        self.environment.extend(variables);
        self
    }

    /// Runs it in this directory.
    #[must_use]
    pub fn directory(self, directory: impl Into<PathBuf>) -> Self {
        Self { directory: Some(directory.into()), ..self }
    }

    /// Redirects its standard error to its standard output, so that the order of all writes is
    /// kept.
    #[must_use]
    pub fn merge_stderr(self) -> Self {
        Self { merge_stderr: true, ..self }
    }

    /// Runs the command through a shell that waits until it is released, and records its exit
    /// status.
    ///
    /// Use this for a command that does not wait for its standard input, or whose exit status must
    /// be known even if another supervisor adopts it. The shell's exit status is 126 or 127 if the
    /// command could not be started, and 128 plus the signal's number if a signal killed it.
    #[must_use]
    pub fn launched(self) -> Self {
        Self { launched: true, ..self }
    }

    pub(super) const fn mark(&self) -> ProcessMark {
        self.mark
    }

    /// The bytes that are written to its standard input first.
    pub(super) const fn preamble(&self) -> &'static [u8] {
        if self.launched { launcher::GO } else { &[] }
    }

    /// Starts the program in a process group of its own.
    pub(super) fn spawn(&self, files: &Files, new_files: NewFiles) -> io::Result<Child> {
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
        // The mark is set last, because the environment may contain the supervisor's own mark.
        command.env_clear().envs(self.environment.iter().cloned()).env(variable, value);
        if let Some(directory) = &self.directory {
            command.current_dir(directory);
        }
        let stderr =
            if self.merge_stderr { new_files.stdout.try_clone()? } else { new_files.stderr };
        command
            .stdin(Stdio::piped())
            .stdout(new_files.stdout)
            .stderr(stderr)
            .process_group(0)
            .spawn()
    }
}

/// Omits the environment and the arguments: they may contain secrets, and debug output may end up
/// in a log.
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
        let mark = ProcessMark::new(uuid::Uuid::nil());
        let command = Command::new("env", mark).arguments(["secret"]);
        let printed = format!("{:?}", command.environment([("KEY".into(), "secret".into())]));
        assert!(printed.contains("env") && !printed.contains("secret"), "{printed}");
    }
}
