//! The operator's command that runs after each run.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::files::{handoff_directory, json};
use crate::process::run_blocking;
use crate::process::{Command, Control, End, Files, ProcessLimits, ProcessMark, Report, TextLines};
use crate::view::{Handoff, took};

/// How long the command may take, and how long it may still take once the engine shuts down.
const COMMAND_TIMEOUT: Duration = Duration::from_secs(60);
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(4);

/// How much the command may print.
const MAX_OUTPUT_BYTES: u64 = 1 << 20;

/// How much of its output is reported if the command fails.
const MAX_SHOWN_LINES: usize = 3;
const MAX_SHOWN_CHARS: usize = 300;

/// How many lines may be queued.
const MAX_QUEUED_LINES: usize = 64;

/// The setting that names the command. It is removed from the command's environment: a command that
/// itself runs a recipe would otherwise trigger itself.
const VARIABLE: &str = "SUREFIRE_ON_END";

/// A command that runs after each run: a line for `bash -c`, with `stop.json` on its standard
/// input.
///
/// Only the operator can set it, never a client or a repository. It runs in the engine's working
/// directory with the engine's environment plus `SUREFIRE_RUN`, `SUREFIRE_REASON` and
/// `SUREFIRE_EXIT_CODE`. Its result does not change the run.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct OnEnd {
    /// The command line.
    pub command: String,
    /// How long it may take.
    pub timeout: Duration,
}

setters!(OnEnd { timeout: Duration });

impl OnEnd {
    /// A command with a timeout of one minute.
    #[must_use]
    pub fn new(command: impl Into<String>) -> Self {
        Self { command: command.into(), timeout: COMMAND_TIMEOUT }
    }

    /// Runs the command and returns what went wrong. `closing` is set when the engine shuts down.
    pub(super) async fn run(
        &self,
        handoff: &Handoff,
        data: &Path,
        closing: &CancellationToken,
    ) -> Result<(), String> {
        let stdin = json(handoff).map_err(|error| error.to_string())?;
        let directory =
            handoff_directory(data, handoff.run_id).join(format!("on-end-{}", handoff.seq));
        let files = Files::at(&directory);
        let ended = self.watched(handoff, files, stdin, closing).await;
        // Its output is in the error where it matters.
        run_blocking(move || drop(std::fs::remove_dir_all(directory))).await;
        ended
    }

    async fn watched(
        &self,
        handoff: &Handoff,
        files: Files,
        stdin: Vec<u8>,
        closing: &CancellationToken,
    ) -> Result<(), String> {
        let limits = ProcessLimits {
            silence_timeout: self.timeout,
            total_timeout: self.timeout,
            max_line_bytes: usize::try_from(MAX_OUTPUT_BYTES).unwrap_or(usize::MAX),
            max_output_bytes: MAX_OUTPUT_BYTES,
            ..ProcessLimits::default()
        };
        let command = Command::new("bash", ProcessMark::new(Uuid::new_v4()))
            .arguments(["-c", &self.command])
            .environment(environment(handoff))
            .merge_stderr();
        let held =
            command.start(files, limits, TextLines).await.map_err(|error| error.to_string())?;
        let supervised = held.release(stdin).await.map_err(|error| error.to_string())?;
        let (control, mut lines) = Control::new(MAX_QUEUED_LINES);
        let (stop, fast_stop) = (control.stop.clone(), control.fast_stop.clone());
        let watching = async move {
            let report = supervised.watch(&control).await;
            drop(control);
            report
        };
        let reading = async {
            let mut last = VecDeque::new();
            while let Some(line) = lines.recv().await {
                if last.len() == MAX_SHOWN_LINES {
                    last.pop_front();
                }
                last.push_back(line);
            }
            last
        };
        let stopping_at_shutdown = async {
            closing.cancelled().await;
            tokio::time::sleep(SHUTDOWN_TIMEOUT).await;
            fast_stop.cancel();
            stop.cancel();
            std::future::pending::<Infallible>().await
        };
        let ended = async { tokio::join!(watching, reading) };
        let (report, last) = tokio::select! {
            ended = ended => ended,
            never = stopping_at_shutdown => match never {},
        };
        self.judge(&report, &Vec::from(last))
    }

    fn judge(&self, report: &Report<TextLines>, last: &[String]) -> Result<(), String> {
        let problem = match (report.end, report.status) {
            (End::Exited, Some(status)) if status.success() => return Ok(()),
            (End::Exited, Some(status)) => status.to_string(),
            (End::Exited, None) => "its exit status is unknown".to_owned(),
            (End::Silent | End::TimedOut, _) => {
                format!("it took longer than {}", took(self.timeout))
            }
            (End::TooMuchOutput(limit), _) => format!("it printed more than {limit}"),
            (End::Stopped | End::Detached | End::Lingered, _) => {
                "it was stopped because the engine shut down".to_owned()
            }
        };
        let shown: String =
            last.join(" | ").chars().flat_map(char::escape_debug).take(MAX_SHOWN_CHARS).collect();
        Err(if shown.is_empty() { problem } else { format!("{problem}: {shown}") })
    }
}

/// The variables that the command gets.
fn environment(handoff: &Handoff) -> Vec<(OsString, OsString)> {
    let own = std::env::vars_os().filter(|(name, _)| name != VARIABLE);
    let run = [
        ("SUREFIRE_RUN", handoff.run_id.to_string()),
        ("SUREFIRE_REASON", handoff.reason.clone()),
        ("SUREFIRE_EXIT_CODE", handoff.exit_code.to_string()),
    ];
    own.chain(run.map(|(name, value)| (name.into(), value.into()))).collect()
}
