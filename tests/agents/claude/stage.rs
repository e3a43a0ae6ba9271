//! A place for the fake CLI to play on, and somebody who watches.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use fake_claude::Plan;
use serde_json::Value;
use surefire::agent::{
    Agent, Claude, ClaudeSettings, Failure, Fate, Link, Process, Reply, Sign, Turn, TurnLimits,
};
use tempfile::TempDir;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

/// What a step's prompt ends with.
pub(crate) const PROMPT: &str = "Do it.\n\nYour possible outcomes for this step: complete, blocked, other";

/// A home, a project, a plan and a log, all of which vanish with it.
pub(crate) struct Stage {
    pub(crate) folder: TempDir,
    pub(crate) claude: Claude,
}

impl Stage {
    /// A stage with this plan.
    pub(crate) fn new(plan: &Value) -> Self {
        // A plan that cannot be read would be no plan at all.
        let plan: Plan = serde_json::from_value(plan.clone()).expect("the plan can be read");
        let folder = tempfile::tempdir().unwrap();
        for name in ["home", "project", "scratch"] {
            std::fs::create_dir(folder.path().join(name)).unwrap();
        }
        std::fs::write(folder.path().join("plan.json"), serde_json::to_string(&plan).unwrap()).unwrap();
        let claude = Self::claude(folder.path(), fake_claude::program());
        Self { folder, claude }
    }

    /// A stage where the fake does one thing.
    pub(crate) fn with(answer: &Value) -> Self {
        Self::new(&serde_json::json!({ "default": answer }))
    }

    /// The CLI at this path, playing on the stage in this folder.
    pub(crate) fn claude(folder: &Path, program: PathBuf) -> Claude {
        let path = |name: &str| folder.join(name).into_os_string();
        let environment: [(OsString, OsString); 5] = [
            ("PATH".into(), std::env::var_os("PATH").unwrap()),
            ("HOME".into(), path("home")),
            (fake_claude::PLAN_VARIABLE.into(), path("plan.json")),
            ("CLAUDECODE".into(), "1".into()),
            ("SECRET_OF_THE_SERVER".into(), "x".into()),
        ];
        Claude::with_environment(program, environment).settings(ClaudeSettings {
            grace: Duration::from_millis(300),
            hurried_grace: Duration::from_millis(50),
            linger: Duration::from_millis(300),
            longest_pause: Duration::from_millis(20),
            ..ClaudeSettings::default()
        })
    }

    pub(crate) fn log(&self) -> PathBuf {
        self.folder.path().join("calls.jsonl")
    }

    /// How many calls got a prompt.
    pub(crate) fn begun(&self) -> usize {
        fake_claude::count(&self.log(), "began")
    }

    pub(crate) fn turn(&self) -> Turn {
        turn(self.folder.path())
    }

    /// Takes a turn, with somebody who writes the process down at once.
    pub(crate) async fn take(&self, turn: &Turn) -> Result<Reply, Failure> {
        self.claude.turn(turn.clone(), Watcher::new().link).await
    }

    pub(crate) async fn recover(&self, turn: &Turn, process: Option<Process>) -> Fate {
        self.claude.recover(turn.clone(), process, Watcher::new().link).await
    }
}

/// A turn on the stage in this folder.
pub(crate) fn turn(folder: &Path) -> Turn {
    Turn {
        attempt: Uuid::new_v4(),
        session: Uuid::new_v4(),
        opened: false,
        prompt: PROMPT.to_owned(),
        model: None,
        system_prompt: None,
        directory: folder.join("project"),
        scratch: folder.join("scratch"),
        limits: TurnLimits {
            silence: Duration::from_secs(20),
            duration: Duration::from_mins(1),
            ..TurnLimits::default()
        },
    }
}

/// Somebody who says `go` to every process and remembers what was heard.
#[derive(Clone)]
pub(crate) struct Watcher {
    pub(crate) link: Link,
    heard: Arc<Mutex<Heard>>,
}

#[derive(Default)]
struct Heard {
    processes: Vec<Process>,
    signs: Vec<String>,
}

impl Watcher {
    pub(crate) fn new() -> Self {
        let (link, mut signs) = link(16);
        let heard = Arc::new(Mutex::new(Heard::default()));
        let notes = Arc::clone(&heard);
        tokio::spawn(async move {
            while let Some(sign) = signs.recv().await {
                let mut notes = notes.lock().unwrap();
                match sign {
                    Sign::Spawned { process, go } => {
                        notes.processes.push(process);
                        let _ = go.send(());
                    }
                    // What is very long is not kept: tests measure memory.
                    Sign::Said(text) => notes.signs.push(format!("said {text:.50000}")),
                    Sign::Used { tool } => notes.signs.push(format!("used {tool}")),
                    Sign::Spent { cost_usd } => notes.signs.push(format!("spent {cost_usd}")),
                    Sign::Retrying { why } => notes.signs.push(format!("retrying {why}")),
                }
            }
        });
        Self { link, heard }
    }

    pub(crate) fn process(&self) -> Option<Process> {
        self.heard.lock().unwrap().processes.last().cloned()
    }

    pub(crate) fn processes(&self) -> usize {
        self.heard.lock().unwrap().processes.len()
    }

    pub(crate) fn signs(&self) -> Vec<String> {
        self.heard.lock().unwrap().signs.clone()
    }

    /// Waits until the agent has said this.
    pub(crate) async fn hears(&self, sign: &str) {
        eventually(sign, || self.signs().iter().any(|heard| heard == sign)).await;
    }
}

/// A link, and the end of it where signs arrive.
pub(crate) fn link(room: usize) -> (Link, mpsc::Receiver<Sign>) {
    let (signs, heard) = mpsc::channel(room);
    let token = CancellationToken::new;
    (Link { signs, stop: token(), hurry: token(), leave: token() }, heard)
}

/// Waits until something holds, and fails if it does not within ten seconds.
pub(crate) async fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    for _ in 0..2000 {
        if holds() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    panic!("it never came to this: {what}");
}

/// All processes that carry the mark of this attempt, found without the driver's help.
pub(crate) fn alive(attempt: Uuid) -> Vec<u32> {
    let mark = format!("SUREFIRE_ATTEMPT={attempt}");
    let numbers = std::fs::read_dir("/proc")
        .unwrap()
        .filter_map(|entry| entry.unwrap().file_name().to_str()?.parse::<u32>().ok());
    let marked = numbers.filter(|pid| {
        let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|pair| pair == mark.as_bytes())
    });
    marked.collect()
}

/// Waits until a process has ended; that it was not collected yet does not matter.
pub(crate) async fn ends(process: &Process) {
    let stat = format!("/proc/{}/stat", process.pid);
    let ended = || std::fs::read_to_string(&stat).is_ok_and(|stat| stat.contains(") Z "));
    eventually("the process has ended", ended).await;
}

/// Whether the process was collected: nothing of it is left, not even a zombie.
pub(crate) fn is_collected(process: &Process) -> bool {
    !Path::new(&format!("/proc/{}", process.pid)).exists()
}
