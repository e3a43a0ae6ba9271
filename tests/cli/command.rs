//! The command, in an environment of its own.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};
use surefire_testkit::{make_tracker, make_work_tree, path_with};
use tempfile::TempDir;

use crate::process::watch;

/// A home, a data directory and a project with a tracker, isolated from the machine's settings.
pub(crate) struct Place {
    folder: TempDir,
}

impl Place {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().expect("there is room for tests");
        for name in ["home", "project", "empty"] {
            std::fs::create_dir(folder.path().join(name)).expect("there is room");
        }
        make_tracker(&folder.path().join("bin"), &folder.path().join("project"));
        Self { folder }
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    /// The data directory.
    pub(crate) fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// A directory that agents may work in.
    pub(crate) fn project(&self) -> PathBuf {
        self.folder.path().join("project")
    }

    /// The command in that project, without an agent's CLI on its path and without a terminal.
    pub(crate) fn surefire(&self, words: &[&str]) -> Command {
        self.program(Path::new(env!("CARGO_BIN_EXE_surefire")), words)
    }

    /// Another program in the same environment.
    pub(crate) fn program(&self, program: &Path, words: &[&str]) -> Command {
        let mut command = Command::new(program);
        command
            .args(words)
            .current_dir(self.project())
            .env_clear()
            .env("HOME", self.home())
            .env("TMPDIR", self.path())
            .env("PATH", self.path().join("empty"))
            .env("SUREFIRE_DATA", self.data())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// The command with a fake agent's CLI that gives this answer to every prompt.
    pub(crate) fn with_agent(&self, answer: &Value, words: &[&str]) -> Command {
        let mut command = self.surefire(words);
        self.add_agent(&mut command, answer);
        command
    }

    /// The machine's `PATH`, and the tracker's program.
    pub(crate) fn machine_path(&self) -> OsString {
        path_with(&self.path().join("bin"))
    }

    /// Gives a command that agent, the machine's git and the tracker's program, and makes its
    /// project a git work tree.
    pub(crate) fn add_agent<'c>(
        &self,
        command: &'c mut Command,
        answer: &Value,
    ) -> &'c mut Command {
        let plan = self.path().join("plan.json");
        std::fs::write(&plan, json!({ "default": answer }).to_string()).expect("there is room");
        if !self.project().join(".git").exists() {
            make_work_tree(&self.project(), &[]);
        }
        command
            .env("PATH", self.machine_path())
            .env(fake_claude::PLAN_VARIABLE, plan)
            .env("SUREFIRE_AGENT_PATH", fake_claude::program())
    }

    /// Runs the command until it exits.
    pub(crate) fn run(&self, words: &[&str]) -> CommandOutput {
        CommandOutput::of(&mut self.surefire(words), self)
    }
}

/// What a command printed, and its exit status.
#[derive(Debug)]
pub(crate) struct CommandOutput {
    pub(crate) status: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl CommandOutput {
    /// Runs a command until it exits. In its output, `[PLACE]` replaces the place's own folder.
    pub(crate) fn of(command: &mut Command, place: &Place) -> Self {
        let child = command.spawn().expect("the command can be run");
        let _watched = watch(&child);
        let Output { status, stdout, stderr } = child.wait_with_output().expect("it is our child");
        let folder = place.path().display().to_string();
        let text =
            |bytes| String::from_utf8(bytes).expect("it is text").replace(&folder, "[PLACE]");
        Self {
            status: status.code().expect("it ends by itself"),
            stdout: text(stdout),
            stderr: text(stderr),
        }
    }

    /// The standard output of a command that succeeded without errors or warnings.
    pub(crate) fn ok(self) -> String {
        assert_eq!((self.status, self.stderr.as_str()), (0, ""), "{}", self.stdout);
        self.stdout
    }

    /// The error message of a command that failed with this status and printed nothing else.
    pub(crate) fn failure(self, status: i32) -> String {
        assert_eq!((self.status, self.stdout.as_str()), (status, ""), "{}", self.stderr);
        self.stderr
    }
}
