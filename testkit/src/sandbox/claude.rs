//! A directory for the fake Claude Code CLI.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use fake_claude::Plan;
use serde_json::Value;
use surefire::agent::{
    Agent, Claude, ClaudeSettings, Failure, Fate, ProcessIdentity, Reply, Turn, TurnLimits,
};
use tempfile::TempDir;
use uuid::Uuid;

use crate::Watcher;

/// A prompt that ends like that of a step.
pub const PROMPT: &str = "Do it.\n\nYour possible outcomes for this step: complete, blocked, other";

/// A home, a project, a plan and a log, all of which are deleted with it.
#[derive(Debug)]
pub struct ClaudeSandbox {
    /// Where all of it is.
    pub folder: TempDir,
    /// The driver of the fake.
    pub claude: Claude,
}

impl ClaudeSandbox {
    /// A sandbox where the fake follows this plan, a `fake_claude::Plan`.
    ///
    /// # Panics
    /// If the plan cannot be read.
    #[must_use]
    pub fn new(plan: &Value) -> Self {
        // The fake would silently ignore a plan that it cannot read.
        let plan: Plan = serde_json::from_value(plan.clone()).expect("the plan can be read");
        let folder = tempfile::tempdir().unwrap();
        for name in ["home", "project", "scratch"] {
            std::fs::create_dir(folder.path().join(name)).unwrap();
        }
        std::fs::write(folder.path().join("plan.json"), serde_json::to_string(&plan).unwrap())
            .unwrap();
        let claude = Self::claude(folder.path(), fake_claude::program());
        Self { folder, claude }
    }

    /// A sandbox where the fake does one thing, a `fake_claude::Answer`.
    #[must_use]
    pub fn with(answer: &Value) -> Self {
        Self::new(&serde_json::json!({ "default": answer }))
    }

    /// The driver of the CLI at this path, in the sandbox in this folder.
    ///
    /// # Panics
    /// If there is no `PATH`.
    #[must_use]
    pub fn claude(folder: &Path, program: PathBuf) -> Claude {
        let path = |name: &str| folder.join(name).into_os_string();
        let environment: [(OsString, OsString); 5] = [
            ("PATH".into(), std::env::var_os("PATH").unwrap()),
            ("HOME".into(), path("home")),
            (fake_claude::PLAN_VARIABLE.into(), path("plan.json")),
            ("CLAUDECODE".into(), "1".into()),
            ("SECRET_OF_THE_SERVER".into(), "x".into()),
        ];
        Claude::with_environment(program, environment).settings(
            ClaudeSettings::default()
                .stop_grace(Duration::from_millis(300))
                .fast_stop_grace(Duration::from_millis(50))
                .linger_timeout(Duration::from_millis(300))
                .max_poll_interval(Duration::from_millis(20)),
        )
    }

    /// Where the fake logs its calls.
    #[must_use]
    pub fn log(&self) -> PathBuf {
        self.folder.path().join("calls.jsonl")
    }

    /// How many calls got a prompt.
    #[must_use]
    pub fn begun(&self) -> usize {
        fake_claude::count(&self.log(), "began")
    }

    /// A turn in this sandbox.
    #[must_use]
    pub fn turn(&self) -> Turn {
        turn(self.folder.path())
    }

    /// Takes a turn, whose process is recorded at once.
    ///
    /// # Errors
    /// As the turn itself.
    pub async fn take(&self, turn: &Turn) -> Result<Reply, Failure> {
        self.claude.turn(turn.clone(), Watcher::new().link).await
    }

    /// Finds out what became of a turn.
    pub async fn recover(&self, turn: &Turn, process: Option<ProcessIdentity>) -> Fate {
        self.claude.recover(turn.clone(), process, Watcher::new().link).await
    }
}

/// A turn in the sandbox in this folder.
#[must_use]
pub fn turn(folder: &Path) -> Turn {
    let (attempt, session) = (Uuid::new_v4(), Uuid::new_v4());
    let limits =
        TurnLimits::default().silence(Duration::from_secs(20)).duration(Duration::from_secs(60));
    Turn::new(attempt, session, PROMPT, folder.join("project"), folder.join("scratch"))
        .limits(limits)
}
