//! The driver against the real Claude Code CLI, in the versions pinned in `tests/real-cli/`,
//! without a login.
//!
//! Where the service has to answer, a scripted service on the loopback interface replaces it. The
//! driver and the fake CLI are modelled on what the CLI printed in these tests.
#![cfg(all(feature = "engine", target_os = "linux"))]

mod basics;
mod costs;
mod repository;
mod silence;
mod tools;

use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use surefire::Tool;
use surefire::agent::{Agent, Claude, ClaudeSettings, Failure, Reply, Turn};
use surefire_testkit::sandbox::{self, alive};
use surefire_testkit::{Move, RealCli, ScriptedService, Watcher};
use tempfile::TempDir;

/// A command in each project that waits until there is a file of this name.
const WAIT: &str = "./wait.sh";
const RELEASED: &str = "released";

/// An empty home, a git repository with one commit, and a CLI without earlier state.
struct Real {
    folder: TempDir,
    claude: Claude,
    service: Option<ScriptedService>,
}

impl Real {
    /// Without a login, and without a service.
    fn logged_out(cli: &RealCli) -> Self {
        Self::with(cli, None)
    }

    /// With a service that plays a script.
    fn scripted(cli: &RealCli) -> Self {
        Self::with(cli, Some(ScriptedService::start([])))
    }

    /// With a service that gives this answer to everything.
    fn served_by(cli: &RealCli, answer: Move) -> Self {
        Self::with(cli, Some(ScriptedService::always(answer)))
    }

    fn with(cli: &RealCli, service: Option<ScriptedService>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["home", "project", "scratch"] {
            std::fs::create_dir(folder.path().join(name)).unwrap();
        }
        let mut environment: Vec<(OsString, OsString)> = vec![
            ("PATH".into(), std::env::var_os("PATH").unwrap()),
            ("HOME".into(), folder.path().join("home").into()),
            ("TMPDIR".into(), folder.path().into()),
            ("DISABLE_AUTOUPDATER".into(), "1".into()),
            ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC".into(), "1".into()),
            ("CLAUDE_CODE_MAX_RETRIES".into(), "1".into()),
            ("CLAUDECODE".into(), "1".into()),
        ];
        environment.extend(service.iter().flat_map(ScriptedService::environment));
        let claude = Claude::with_environment(&cli.program, environment).settings(
            ClaudeSettings::default()
                .stop_grace(Duration::from_secs(3))
                .linger_timeout(Duration::from_secs(10)),
        );
        let real = Self { folder, claude, service };
        std::fs::write(real.project().join("notes.txt"), "old words\n").unwrap();
        let script = real.project().join(WAIT);
        std::fs::write(&script, format!("while [ ! -e {RELEASED} ]; do sleep 0.05; done\n"))
            .unwrap();
        std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
        real.git(&["init", "--quiet", "--initial-branch=main"]);
        real.git(&["add", "."]);
        real.git(&["commit", "--quiet", "--message=First"]);
        real
    }

    fn project(&self) -> PathBuf {
        self.folder.path().join("project")
    }

    /// Runs git and returns what it prints. The committer is configured in the repository, where
    /// the agent's own git finds it too.
    fn git(&self, arguments: &[&str]) -> String {
        let mut git = Command::new("git");
        git.env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .current_dir(self.project());
        if arguments.first() == Some(&"commit") {
            self.git(&["config", "user.name", "Test"]);
            self.git(&["config", "user.email", "test@localhost"]);
        }
        let output = git.args(arguments).output().unwrap();
        assert!(
            output.status.success(),
            "git {arguments:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    fn turn(&self, prompt: &str) -> Turn {
        let mut turn = sandbox::turn(self.folder.path());
        prompt.clone_into(&mut turn.prompt);
        // The price of this model gives round figures.
        turn.model = Some("claude-sonnet-4-5".to_owned());
        turn.limits.duration = Duration::from_secs(2 * 60);
        turn.limits.silence = Duration::from_secs(60);
        turn
    }

    /// A turn of a step with these tools.
    fn step(&self, tools: &[&str]) -> Turn {
        let tools: Vec<Tool> = tools.iter().map(|tool| tool.parse().unwrap()).collect();
        self.turn("Do it.").tools(Some(tools))
    }

    async fn take(&self, turn: &Turn) -> Result<Reply, Failure> {
        let result = self.claude.turn(turn.clone(), Watcher::new().link).await;
        assert_eq!(alive(turn.attempt), [0; 0]);
        result
    }

    fn service(&self) -> &ScriptedService {
        self.service.as_ref().expect("this one has a service")
    }
}
