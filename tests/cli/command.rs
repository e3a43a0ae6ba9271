//! The command, in a place of its own.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};
use surefire_testkit::make_work_tree;
use tempfile::TempDir;

use crate::process::watch;

/// A home, a data directory and a project, and nothing of the machine's own settings.
pub(crate) struct Place {
    folder: TempDir,
}

impl Place {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().expect("there is room for tests");
        for name in ["home", "project", "empty"] {
            std::fs::create_dir(folder.path().join(name)).expect("there is room");
        }
        Self { folder }
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    /// Where everything is kept.
    pub(crate) fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// A directory that agents may work in.
    pub(crate) fn project(&self) -> PathBuf {
        self.folder.path().join("project")
    }

    /// The command in that project. There is no agent's CLI on its path, and it is no terminal.
    pub(crate) fn surefire(&self, words: &[&str]) -> Command {
        self.program(Path::new(env!("CARGO_BIN_EXE_surefire")), words)
    }

    /// Another program in the same place.
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

    /// The command with an agent's CLI that gives this answer to every prompt.
    pub(crate) fn with_agent(&self, answer: &Value, words: &[&str]) -> Command {
        let mut command = self.surefire(words);
        self.hire(&mut command, answer);
        command
    }

    /// Gives a command that agent, the machine's git, and a git work tree as its project.
    pub(crate) fn hire<'c>(&self, command: &'c mut Command, answer: &Value) -> &'c mut Command {
        let plan = self.path().join("plan.json");
        std::fs::write(&plan, json!({ "default": answer }).to_string()).expect("there is room");
        if !self.project().join(".git").exists() {
            make_work_tree(&self.project(), &[]);
        }
        command
            .env("PATH", std::env::var_os("PATH").expect("git is on it"))
            .env(fake_claude::PLAN_VARIABLE, plan)
            .env("SUREFIRE_AGENT_PATH", fake_claude::program())
    }

    /// Runs the command to its end.
    pub(crate) fn run(&self, words: &[&str]) -> Said {
        Said::of(&mut self.surefire(words), self)
    }
}

/// What a command said, and its exit status.
#[derive(Debug)]
pub(crate) struct Said {
    pub(crate) status: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Said {
    /// Runs a command to its end. The place's own folder reads `[PLACE]` in what it says.
    pub(crate) fn of(command: &mut Command, place: &Place) -> Self {
        let child = command.spawn().expect("the command can be run");
        let _watched = watch(&child);
        let Output { status, stdout, stderr } = child.wait_with_output().expect("it is our child");
        let folder = place.path().display().to_string();
        let text = |bytes| String::from_utf8(bytes).expect("it is text").replace(&folder, "[PLACE]");
        Self { status: status.code().expect("it ends by itself"), out: text(stdout), err: text(stderr) }
    }

    /// What it printed, if it did not complain.
    pub(crate) fn ok(self) -> String {
        assert_eq!((self.status, self.err.as_str()), (0, ""), "{}", self.out);
        self.out
    }

    /// What it complained about, if that is all it did.
    pub(crate) fn complaint(self, status: i32) -> String {
        assert_eq!((self.status, self.out.as_str()), (status, ""), "{}", self.err);
        self.err
    }
}
