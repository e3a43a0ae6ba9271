//! What is to be executed, and under which settings.

use std::path::PathBuf;
use std::time::Duration;

use uuid::Uuid;

use crate::CommandLine;
use crate::gate::environment::Environment;
use crate::process::{Files, Limits, Mark};

/// A longer line is cut before it is looked at: only the last one is shown, and only the beginning of it.
const MAX_LINE_BYTES: usize = 64 << 10;

/// One execution of a command.
#[derive(Debug, Clone)]
pub struct Execution {
    /// Names this execution; no two share one.
    pub attempt: Uuid,
    /// The command.
    pub command: CommandLine,
    /// The directory to work in.
    pub directory: PathBuf,
    /// A directory for this execution alone, for what has to outlive a crash. It is made if it is missing, and it is the
    /// caller's to remove.
    pub scratch: PathBuf,
    /// How long it may take.
    pub time: Duration,
}

/// Runs commands in an environment.
#[derive(Debug, Clone)]
pub struct Commands {
    pub(super) environment: Environment,
    pub(super) settings: CommandSettings,
}

/// How commands are watched and stopped. The defaults are meant for real work; tests use smaller ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CommandSettings {
    /// How long a command has to end after each of SIGINT and SIGTERM, before a stronger signal follows.
    pub stop_grace: Duration,
    /// The same for a fast stop.
    pub fast_stop_grace: Duration,
    /// How often a command that writes nothing is looked at.
    pub max_poll_interval: Duration,
    /// How much it may write. All of it is on the disk until the scratch directory is removed.
    pub max_output_bytes: u64,
}

impl Default for CommandSettings {
    fn default() -> Self {
        let Limits { stop_grace, fast_stop_grace, max_poll_interval, max_output_bytes, .. } =
            Limits::default();
        Self { stop_grace, fast_stop_grace, max_poll_interval, max_output_bytes }
    }
}

impl Commands {
    /// Runs commands in this environment.
    #[must_use]
    pub fn new(environment: &Environment) -> Self {
        Self { environment: environment.clone(), settings: CommandSettings::default() }
    }

    /// With these settings.
    #[must_use]
    pub fn settings(self, settings: CommandSettings) -> Self {
        Self { settings, ..self }
    }

    /// The limits of a process that may take so long.
    pub(super) fn limits(&self, total_timeout: Duration) -> Limits {
        let CommandSettings { stop_grace, fast_stop_grace, max_poll_interval, max_output_bytes } =
            self.settings;
        Limits {
            // A build or a test may be silent for as long as it works.
            silence_timeout: Duration::MAX,
            total_timeout,
            stop_grace,
            fast_stop_grace,
            max_poll_interval,
            max_line_bytes: MAX_LINE_BYTES,
            cut_long_lines: true,
            max_output_bytes,
            ..Limits::default()
        }
    }
}

impl Execution {
    pub(super) const fn mark(&self) -> Mark {
        Mark::new(self.attempt)
    }

    pub(super) fn files(&self) -> Files {
        Files::at(&self.scratch).stdout_name("output.log")
    }

    /// What says that an engine began to stop the command: how it ends after that says nothing about it.
    pub(super) fn stop_mark(&self) -> PathBuf {
        self.scratch.join("stopping")
    }
}
