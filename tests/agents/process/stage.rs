//! A directory for one process, and ways to look at processes without the help of their supervisor.

use std::path::Path;
use std::time::Duration;

use surefire::process::{
    Command, Control, Files, Held, Limits, Mark, Process, Report, Supervised, TextLines,
};
use tempfile::TempDir;
use tokio::sync::mpsc;
use uuid::Uuid;

/// One process: its directory, its mark and its limits. What it leaves behind is ended with it.
pub(crate) struct Stage {
    pub(crate) directory: TempDir,
    pub(crate) mark: Mark,
    pub(crate) limits: Limits,
}

impl Stage {
    pub(crate) fn new() -> Self {
        // Limits that a test runs into are set by that test; these are for the others.
        let limits = Limits {
            // A shell can lose a SIGINT that comes while it replaces itself by its last command; so it is not long.
            stop_grace: Duration::from_millis(200),
            max_poll_interval: Duration::from_millis(20),
            ..Limits::default()
        };
        Self { directory: tempfile::tempdir().unwrap(), mark: Mark::new(Uuid::new_v4()), limits }
    }

    pub(crate) fn with(limits: impl FnOnce(&mut Limits)) -> Self {
        let mut stage = Self::new();
        limits(&mut stage.limits);
        stage
    }

    /// The files of the process, in a directory that is not there yet.
    pub(crate) fn files(&self) -> Files {
        Files::at(self.directory.path().join("files"))
    }

    /// A shell with this script.
    pub(crate) fn shell(&self, script: &str) -> Command {
        Command::new("sh", self.mark)
            .arguments(["-c", script])
            .environment([("PATH".into(), std::env::var_os("PATH").unwrap())])
            .directory(self.directory.path())
    }

    pub(crate) async fn hold(&self, command: Command) -> Held<TextLines> {
        command.start(self.files(), self.limits, TextLines).await.expect("it can be started")
    }

    /// Starts a process, and has it watched by a task.
    pub(crate) async fn supervise(&self, command: Command) -> Watched {
        let held = self.hold(command).await;
        let process = held.process().clone();
        let supervised = held.release(Vec::new()).await.unwrap();
        Watched::new(process, supervised)
    }

    pub(crate) fn adopt(&self, process: &Process) -> Watched {
        let supervised =
            Supervised::adopt(process.clone(), self.mark, self.files(), self.limits, TextLines).unwrap();
        Watched::new(process.clone(), supervised)
    }

    /// Runs a command to its end, and says what it wrote.
    pub(crate) async fn run(&self, command: Command) -> (Report<TextLines>, Vec<String>) {
        self.supervise(command).await.end().await
    }

    /// All processes that carry the mark.
    pub(crate) fn alive(&self) -> Vec<u32> {
        let mark = self.mark.to_string();
        let numbers = std::fs::read_dir("/proc")
            .unwrap()
            .filter_map(|entry| entry.unwrap().file_name().to_str()?.parse::<u32>().ok());
        let marked = numbers.filter(|pid| {
            let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
            environment.split(|byte| *byte == 0).any(|pair| pair == mark.as_bytes())
        });
        marked.collect()
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        for pid in self.alive() {
            let _ = std::process::Command::new("kill").args(["-9", &pid.to_string()]).status();
        }
    }
}

/// A process that a task watches.
pub(crate) struct Watched {
    pub(crate) process: Process,
    pub(crate) control: Control<String>,
    lines: mpsc::Receiver<String>,
    pub(crate) watching: tokio::task::JoinHandle<Report<TextLines>>,
}

impl Watched {
    fn new(process: Process, supervised: Supervised<TextLines>) -> Self {
        let (control, lines) = Control::new(4);
        let watched = control.clone();
        // The task's own clone goes with it, so the lines end when `control` is dropped, too.
        let watching = tokio::spawn(async move { supervised.watch(&watched).await });
        Self { process, control, lines, watching }
    }

    /// Waits for the next line. A process that has written it has come that far.
    pub(crate) async fn line(&mut self) -> String {
        self.lines.recv().await.expect("it writes another line")
    }

    /// Takes all lines to the end of the process.
    pub(crate) async fn end(mut self) -> (Report<TextLines>, Vec<String>) {
        drop(self.control);
        let mut lines = Vec::new();
        while let Some(line) = self.lines.recv().await {
            lines.push(line);
        }
        (self.watching.await.unwrap(), lines)
    }

    /// Detaches the process, which runs on.
    pub(crate) async fn detach(self) -> Process {
        self.control.detach.cancel();
        let report = self.watching.await.unwrap();
        assert_eq!(report.end, surefire::process::End::Detached);
        self.process
    }
}

/// Whether the process was collected: nothing of it is left, not even a zombie.
pub(crate) fn is_collected(process: &Process) -> bool {
    !Path::new(&format!("/proc/{}", process.pid)).exists()
}

/// Waits until something holds, and fails if it does not within twenty seconds.
pub(crate) async fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    for _ in 0..4000 {
        if holds() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    panic!("it never came to this: {what}");
}
