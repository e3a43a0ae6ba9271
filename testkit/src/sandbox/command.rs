//! A directory for the engine's commands, and the engine's side of a command.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use surefire::CommandLine;
use surefire::gate::{
    CommandControl, CommandEnd, CommandEvent, CommandFate, CommandSettings, Commands, Environment,
    Execution,
};
use surefire::process::ProcessIdentity;
use tempfile::TempDir;
use tokio::sync::watch;
use uuid::Uuid;

use crate::wait::MAX_WAIT;

/// A working directory and a scratch directory. Processes that a command leaves behind are killed
/// with it.
#[derive(Debug)]
pub struct CommandSandbox {
    /// Where both are.
    pub folder: TempDir,
    /// What runs the commands.
    pub commands: Commands,
    /// The id of every execution.
    pub attempt: Uuid,
}

impl Default for CommandSandbox {
    fn default() -> Self {
        Self::with(|_| ())
    }
}

impl CommandSandbox {
    /// A sandbox with these changes to the settings.
    ///
    /// # Panics
    /// If the disk is full.
    #[must_use]
    pub fn with(change: impl FnOnce(&mut CommandSettings)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("project")).unwrap();
        let mut settings = CommandSettings::default()
            // Short, because a shell can lose a SIGINT that arrives while it replaces itself by its
            // last command.
            .stop_grace(Duration::from_millis(200))
            .max_poll_interval(Duration::from_millis(20));
        change(&mut settings);
        let variables: [(OsString, OsString); 4] = [
            ("PATH".into(), std::env::var_os("PATH").unwrap()),
            ("DATABASE_URL".into(), "of the operator".into()),
            ("SUREFIRE_KEY".into(), "x".into()),
            ("ANTHROPIC_API_KEY".into(), "x".into()),
        ];
        let environment: Environment = variables.into_iter().collect();
        let commands = Commands::new(&environment).settings(settings);
        Self { folder, commands, attempt: Uuid::new_v4() }
    }

    /// The working directory.
    #[must_use]
    pub fn project(&self) -> PathBuf {
        self.folder.path().join("project")
    }

    /// An execution of this line by a shell.
    #[must_use]
    pub fn shell(&self, line: &str) -> Execution {
        self.execution(CommandLine::Shell(line.to_owned().into()))
    }

    /// An execution of a program without a shell.
    #[must_use]
    pub fn program(&self, words: &[&str]) -> Execution {
        self.execution(CommandLine::Program(
            words.iter().map(|word| (*word).to_owned().into()).collect(),
        ))
    }

    fn execution(&self, command: CommandLine) -> Execution {
        Execution {
            attempt: self.attempt,
            command,
            directory: self.project(),
            scratch: self.folder.path().join("scratch"),
            time: Duration::from_secs(60),
        }
    }

    /// Executes it to its end. Its process is recorded at once.
    pub async fn execute(&self, execution: &Execution) -> CommandEnd {
        self.commands.execute(execution, &CommandWatcher::new().link).await
    }

    /// Executes it in a task.
    #[must_use]
    pub fn spawn(
        &self,
        execution: &Execution,
    ) -> (CommandWatcher, tokio::task::JoinHandle<CommandEnd>) {
        let watcher = CommandWatcher::new();
        let (commands, execution, link) =
            (self.commands.clone(), execution.clone(), watcher.link.clone());
        (watcher, tokio::spawn(async move { commands.execute(&execution, &link).await }))
    }

    /// Finds out what became of it.
    pub async fn recover(
        &self,
        execution: &Execution,
        process: Option<ProcessIdentity>,
    ) -> CommandFate {
        self.commands.recover(execution, process, &CommandWatcher::new().link).await
    }

    /// All processes that carry the mark.
    #[must_use]
    pub fn alive(&self) -> Vec<u32> {
        super::alive(self.attempt)
    }
}

impl Drop for CommandSandbox {
    fn drop(&mut self) {
        for pid in self.alive() {
            let _ = std::process::Command::new("kill").args(["-9", &pid.to_string()]).status();
        }
    }
}

/// Answers `go` to every process, as an engine does once it has recorded it, and keeps the lines.
#[derive(Debug)]
pub struct CommandWatcher {
    /// The command's side.
    pub link: CommandControl,
    received: Arc<Mutex<(Option<ProcessIdentity>, Vec<String>)>>,
    count: watch::Receiver<usize>,
}

impl Default for CommandWatcher {
    fn default() -> Self {
        Self::new()
    }
}

impl CommandWatcher {
    /// A watcher with a task of its own.
    ///
    /// # Panics
    /// Outside of a runtime.
    #[must_use]
    pub fn new() -> Self {
        let (link, mut events) = CommandControl::new(4);
        let received = Arc::new(Mutex::new((None, Vec::new())));
        let (counter, count) = watch::channel(0);
        let notes = Arc::clone(&received);
        tokio::spawn(async move {
            while let Some(event) = events.recv().await {
                match event {
                    CommandEvent::Spawned { process, go } => {
                        notes.lock().expect("no watcher panics").0 = Some(process);
                        // A command that was stopped meanwhile does not wait for it.
                        let _ = go.send(());
                    }
                    CommandEvent::Line(it) => notes.lock().expect("no watcher panics").1.push(it),
                    other => panic!("a command has no other events: {other:?}"),
                }
                counter.send_modify(|count| *count += 1);
            }
        });
        Self { link, received, count }
    }

    /// The lines that it received.
    ///
    /// # Panics
    /// If a watcher panicked.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        self.received.lock().expect("no watcher panics").1.clone()
    }

    /// Waits until it receives this line, so the command has come that far.
    ///
    /// # Panics
    /// If the line never arrives.
    pub async fn receives(&self, line: &str) -> ProcessIdentity {
        let mut count = self.count.clone();
        let came = count.wait_for(|_| self.lines().iter().any(|it| it == line));
        assert!(
            tokio::time::timeout(MAX_WAIT, came).await.is_ok(),
            "`{line}` never arrived: {:?}",
            self.lines()
        );
        self.received.lock().expect("no watcher panics").0.clone().expect("a process wrote it")
    }
}
