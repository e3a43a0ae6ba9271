//! A directory for one supervised process.

use std::time::Duration;

use surefire::process::{
    Command, Control, Files, HeldProcess, ProcessIdentity, ProcessLimits, ProcessMark, Report,
    Supervised, TextLines,
};
use tempfile::TempDir;
use tokio::sync::mpsc;
use uuid::Uuid;

/// One process: its directory, its mark and its limits. Processes that it leaves behind are killed
/// with it.
#[derive(Debug)]
pub struct ProcessSandbox {
    /// Where it works, and where its files are.
    pub directory: TempDir,
    /// What its environment is marked with.
    pub mark: ProcessMark,
    /// Its limits.
    pub limits: ProcessLimits,
}

impl Default for ProcessSandbox {
    fn default() -> Self {
        Self::new()
    }
}

impl ProcessSandbox {
    /// A sandbox with limits that no test runs into by accident.
    ///
    /// # Panics
    /// If the disk is full.
    #[must_use]
    pub fn new() -> Self {
        // A test that runs into a limit sets that limit itself; these are for the others.
        let limits = ProcessLimits::default()
            // Short, because a shell can lose a SIGINT that arrives while it replaces itself by its
            // last command.
            .stop_grace(Duration::from_millis(200))
            .max_poll_interval(Duration::from_millis(20));
        Self {
            directory: tempfile::tempdir().unwrap(),
            mark: ProcessMark::new(Uuid::new_v4()),
            limits,
        }
    }

    /// A sandbox with these changes to its limits.
    #[must_use]
    pub fn with(limits: impl FnOnce(&mut ProcessLimits)) -> Self {
        let mut sandbox = Self::new();
        limits(&mut sandbox.limits);
        sandbox
    }

    /// The files of the process, in a directory that does not exist yet.
    #[must_use]
    pub fn files(&self) -> Files {
        Files::at(self.directory.path().join("files"))
    }

    /// A shell with this script.
    ///
    /// # Panics
    /// If there is no `PATH`.
    #[must_use]
    pub fn shell(&self, script: &str) -> Command {
        Command::new("sh", self.mark)
            .arguments(["-c", script])
            .environment([("PATH".into(), std::env::var_os("PATH").unwrap())])
            .directory(self.directory.path())
    }

    /// Starts a process that has not received its input yet.
    ///
    /// # Panics
    /// If it cannot be started.
    pub async fn hold(&self, command: Command) -> HeldProcess<TextLines> {
        command.start(self.files(), self.limits, TextLines).await.expect("it can be started")
    }

    /// Starts a process, and watches it in a task.
    ///
    /// # Panics
    /// If it cannot be started.
    pub async fn supervise(&self, command: Command) -> Watched {
        let held = self.hold(command).await;
        let process = held.process().clone();
        let supervised = held.release(Vec::new()).await.unwrap();
        Watched::new(process, supervised)
    }

    /// Watches a process that was detached.
    ///
    /// # Panics
    /// If its files cannot be read.
    #[must_use]
    pub fn adopt(&self, process: &ProcessIdentity) -> Watched {
        let supervised =
            Supervised::adopt(process.clone(), self.mark, self.files(), self.limits, TextLines)
                .unwrap();
        Watched::new(process.clone(), supervised)
    }

    /// Runs a command to its end, and returns what it wrote.
    pub async fn run(&self, command: Command) -> (Report<TextLines>, Vec<String>) {
        self.supervise(command).await.end().await
    }

    /// All processes that carry the mark.
    #[must_use]
    pub fn alive(&self) -> Vec<u32> {
        super::marked(&self.mark.to_string())
    }
}

impl Drop for ProcessSandbox {
    fn drop(&mut self) {
        for pid in self.alive() {
            let _ = std::process::Command::new("kill").args(["-9", &pid.to_string()]).status();
        }
    }
}

/// A process that a task watches.
#[derive(Debug)]
pub struct Watched {
    /// Its identity, to find it again.
    pub process: ProcessIdentity,
    /// How a test stops or detaches it.
    pub control: Control<String>,
    lines: mpsc::Receiver<String>,
    /// The task that watches it.
    pub watching: tokio::task::JoinHandle<Report<TextLines>>,
}

impl Watched {
    fn new(process: ProcessIdentity, supervised: Supervised<TextLines>) -> Self {
        let (control, lines) = Control::new(4);
        let watched = control.clone();
        // The task's own clone is dropped with the task, so the lines end when `control` is
        // dropped, too.
        let watching = tokio::spawn(async move { supervised.watch(&watched).await });
        Self { process, control, lines, watching }
    }

    /// Waits for the next line, so the process has come that far.
    ///
    /// # Panics
    /// If it ends instead.
    pub async fn line(&mut self) -> String {
        self.lines.recv().await.expect("it writes another line")
    }

    /// Takes all lines to the end of the process.
    ///
    /// # Panics
    /// If the task panicked.
    pub async fn end(mut self) -> (Report<TextLines>, Vec<String>) {
        drop(self.control);
        let mut lines = Vec::new();
        while let Some(line) = self.lines.recv().await {
            lines.push(line);
        }
        (self.watching.await.unwrap(), lines)
    }

    /// Detaches the process, which keeps running.
    ///
    /// # Panics
    /// If it ended before.
    pub async fn detach(self) -> ProcessIdentity {
        self.control.detach.cancel();
        let report = self.watching.await.unwrap();
        assert_eq!(report.end, surefire::process::End::Detached);
        self.process
    }
}
