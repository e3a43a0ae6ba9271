//! A command to execute, and its settings.

use std::path::PathBuf;
use std::time::Duration;

use uuid::Uuid;

use crate::CommandLine;
use crate::gate::environment::Environment;
use crate::process::{Files, ProcessLimits, ProcessMark};

/// A longer line is cut: only the beginning of the last line is shown.
const MAX_LINE_BYTES: usize = 64 << 10;

/// One execution of a command.
#[derive(Debug, Clone)]
pub struct Execution {
    /// The id of this execution. It is unique.
    pub attempt: Uuid,
    /// The command.
    pub command: CommandLine,
    /// The directory to work in.
    pub directory: PathBuf,
    /// A scratch directory for this execution, for files that have to survive a crash. It is
    /// created if necessary, and removed by the caller.
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

/// How commands are supervised and stopped. Tests use smaller values than the defaults.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct CommandSettings {
    /// The grace period after SIGINT and after SIGTERM, before the next stronger signal.
    pub stop_grace: Duration,
    /// The grace period of a fast stop.
    pub fast_stop_grace: Duration,
    /// The polling interval while a command writes nothing.
    pub max_poll_interval: Duration,
    /// The size limit of its output, which stays on the disk until the scratch directory is
    /// removed.
    pub max_output_bytes: u64,
}

setters!(CommandSettings {
    stop_grace: Duration,
    fast_stop_grace: Duration,
    max_poll_interval: Duration,
    max_output_bytes: u64,
});

impl Default for CommandSettings {
    fn default() -> Self {
        let ProcessLimits {
            stop_grace, fast_stop_grace, max_poll_interval, max_output_bytes, ..
        } = ProcessLimits::default();
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

    /// The limits of a process with this timeout.
    pub(super) fn limits(&self, total_timeout: Duration) -> ProcessLimits {
        let CommandSettings { stop_grace, fast_stop_grace, max_poll_interval, max_output_bytes } =
            self.settings;
        ProcessLimits {
            // A build or a test may be silent for as long as it works.
            silence_timeout: Duration::MAX,
            total_timeout,
            stop_grace,
            fast_stop_grace,
            max_poll_interval,
            max_line_bytes: MAX_LINE_BYTES,
            truncate_long_lines: true,
            max_output_bytes,
            ..ProcessLimits::default()
        }
    }
}

impl Execution {
    pub(super) const fn mark(&self) -> ProcessMark {
        ProcessMark::new(self.attempt)
    }

    pub(super) fn files(&self) -> Files {
        Files::at(&self.scratch).stdout_name("output.log")
    }

    /// The file that marks that an engine began to stop the command, so that its exit status is
    /// meaningless.
    pub(super) fn stop_mark(&self) -> PathBuf {
        self.scratch.join("stopping")
    }
}
