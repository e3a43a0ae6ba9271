//! The command as a process, and the environment it runs in.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use surefire_testkit::app::App;
use surefire_testkit::make_work_tree;
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};
use tokio::time::timeout;

/// The time limit of every wait. A test that reaches it fails.
const TIMEOUT: Duration = Duration::from_secs(20);

/// A data directory, a project and a home.
pub(crate) struct Place {
    folder: TempDir,
}

impl Place {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().expect("there is room for tests");
        for name in ["home", "project"] {
            std::fs::create_dir(folder.path().join(name)).expect("there is room");
        }
        make_work_tree(&folder.path().join("project"), &[]);
        Self { folder }
    }

    /// The data directory.
    pub(crate) fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// A directory that agents may work in.
    pub(crate) fn project(&self) -> PathBuf {
        self.folder.path().join("project")
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    /// The command without arguments, in a home of its own.
    pub(crate) fn bare(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_surefire"));
        command
            .env("HOME", self.home())
            .env_remove("XDG_DATA_HOME")
            .env_remove("XDG_CONFIG_HOME")
            .env("TMPDIR", self.folder.path())
            .env("RUST_LOG", "off")
            .stdin(Stdio::null())
            .kill_on_drop(true);
        command
    }

    /// The command with a data directory and a port of its own, and an agent that rehearses.
    pub(crate) fn command(&self) -> Command {
        let mut command = self.bare();
        command
            .args(["--listen", "127.0.0.1:0", "--agent", "rehearsal", "--data"])
            .arg(self.data())
            .arg("--root")
            .arg(self.folder.path());
        command
    }

    /// Starts the command, and waits until it is ready. Its agent rehearses this script, with this
    /// duration for each turn.
    pub(crate) async fn serve(&self, script: &str, pace: Duration) -> Running {
        let mut command = self.command();
        command
            .args(["--json", "--rehearse", script, "--pace-ms", &pace.as_millis().to_string()])
            .stdout(Stdio::piped());
        Running::begin(command).await
    }

    /// The request for a run in a new session.
    pub(crate) fn start_request(&self) -> Value {
        json!({
            "type": "start_recipe", "session_id": null, "recipe_id": "implement-and-review",
            "working_directory": self.project(),
        })
    }
}

/// The running command. It is killed when this is dropped.
pub(crate) struct Running {
    pub(crate) address: SocketAddr,
    pub(crate) key: String,
    /// What it printed when it was ready.
    pub(crate) line: String,
    pub(crate) child: Child,
}

impl Running {
    /// Starts a command that prints one line of JSON, and waits until it is ready.
    pub(crate) async fn begin(mut command: Command) -> Self {
        let mut child = command.spawn().expect("the command can be run");
        let mut lines = BufReader::new(child.stdout.take().expect("it is piped")).lines();
        let line = timeout(TIMEOUT, lines.next_line()).await.expect("the server starts in time");
        let line = line.expect("its output can be read").expect("it prints its ready line");
        let ready: Value = serde_json::from_str(&line).expect("the line is JSON");
        let key_file = ready["key_file"].as_str().expect("it names its key file");
        let key = std::fs::read_to_string(key_file).expect("the key can be read").trim().to_owned();
        let url = ready["ws_url"].as_str().expect("it names its address");
        let address = url.strip_prefix("ws://").expect("it is a WebSocket's");
        Self { address: address.parse().expect("it is an address"), child, key, line }
    }

    /// A client that is connected.
    pub(crate) async fn app(&self) -> App {
        App::connect_with(self.address, &self.key, "0.5.0").await
    }

    pub(crate) fn signal(&self, signal: Signal) {
        let pid = self.child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
        kill_process(pid.expect("it has not ended"), signal).expect("it is our child");
    }

    /// Kills it with SIGKILL.
    pub(crate) async fn kill(mut self) {
        self.child.kill().await.expect("it is our child");
    }

    /// Waits for its end.
    pub(crate) async fn ended(&mut self) -> ExitStatus {
        let ended = timeout(TIMEOUT, self.child.wait()).await;
        ended.expect("it ends").expect("it is our child")
    }
}
