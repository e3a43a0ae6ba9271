//! The operator's command that is told of each run that has ended.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::files::{handoff_directory, json};
use crate::engine::blocking::unblocked;
use crate::process::{Command, Control, End, Files, Limits, Mark, Report, TextLines};
use crate::view::{Handoff, took};

/// How long the command may take, and how long it still may when the engine shuts down.
const TIMEOUT: Duration = Duration::from_mins(1);
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(4);

/// How much it may print.
const MAX_OUTPUT_BYTES: u64 = 1 << 20;

/// How many lines of that are told if it fails, and how many characters of them.
const MAX_TOLD_LINES: usize = 3;
const MAX_TOLD_CHARS: usize = 300;

/// How many lines may be queued.
const MAX_QUEUED_LINES: usize = 64;

/// The setting that names the command. It is not passed on: a command that runs a recipe itself would be told of that, and
/// run again.
const VARIABLE: &str = "SUREFIRE_ON_END";

/// A command that is told of each run that has ended: a line for `bash -c`, with `stop.json` on its standard input.
///
/// It is the operator's alone: no client and no repository can name one. It runs where the engine's process was started, with
/// that process's environment, and `SUREFIRE_RUN`, `SUREFIRE_REASON` and `SUREFIRE_EXIT_CODE`. What becomes of it changes
/// nothing about the run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OnEnd {
    /// The line.
    pub command: String,
    /// How long it may take.
    pub timeout: Duration,
}

impl OnEnd {
    /// A command that may take a minute.
    #[must_use]
    pub fn new(command: impl Into<String>) -> Self {
        Self { command: command.into(), timeout: TIMEOUT }
    }

    /// Runs it to its end, and says what went wrong. `closing` is set when the engine shuts down.
    pub(super) async fn run(
        &self,
        handoff: &Handoff,
        data: &Path,
        closing: &CancellationToken,
    ) -> Result<(), String> {
        let stdin = json(handoff).map_err(|error| error.to_string())?;
        let directory = handoff_directory(data, handoff.run_id).join(format!("on-end-{}", handoff.seq));
        let files = Files::at(&directory);
        let ended = self.watched(handoff, files, stdin, closing).await;
        // What it printed is in the log where it matters.
        unblocked(move || drop(std::fs::remove_dir_all(directory))).await;
        ended
    }

    async fn watched(
        &self,
        handoff: &Handoff,
        files: Files,
        stdin: Vec<u8>,
        closing: &CancellationToken,
    ) -> Result<(), String> {
        let limits = Limits {
            silence_timeout: self.timeout,
            total_timeout: self.timeout,
            max_line_bytes: usize::try_from(MAX_OUTPUT_BYTES).unwrap_or(usize::MAX),
            max_output_bytes: MAX_OUTPUT_BYTES,
            ..Limits::default()
        };
        let command = Command::new("bash", Mark::new(Uuid::new_v4()))
            .arguments(["-c", &self.command])
            .environment(environment(handoff))
            .merge_stderr();
        let held = command.start(files, limits, TextLines).await.map_err(|error| error.to_string())?;
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
                if last.len() == MAX_TOLD_LINES {
                    last.pop_front();
                }
                last.push_back(line);
            }
            last
        };
        let hurrying = async {
            closing.cancelled().await;
            tokio::time::sleep(SHUTDOWN_TIMEOUT).await;
            fast_stop.cancel();
            stop.cancel();
            std::future::pending::<Infallible>().await
        };
        let ended = async { tokio::join!(watching, reading) };
        let (report, last) = tokio::select! {
            ended = ended => ended,
            never = hurrying => match never {},
        };
        self.judge(&report, &Vec::from(last))
    }

    fn judge(&self, report: &Report<TextLines>, last: &[String]) -> Result<(), String> {
        let problem = match (report.end, report.status) {
            (End::Exited, Some(status)) if status.success() => return Ok(()),
            (End::Exited, Some(status)) => status.to_string(),
            (End::Exited, None) => "how it ended is not known".to_owned(),
            (End::Silent | End::TimedOut, _) => format!("it took longer than {}", took(self.timeout)),
            (End::TooMuchOutput(limit), _) => format!("it printed more than {limit}"),
            (End::Stopped | End::Detached | End::Lingered, _) => {
                "it was stopped, since the engine shut down".to_owned()
            }
        };
        let said: String =
            last.join(" | ").chars().flat_map(char::escape_debug).take(MAX_TOLD_CHARS).collect();
        Err(if said.is_empty() { problem } else { format!("{problem}: {said}") })
    }
}

/// What the command gets to see.
fn environment(handoff: &Handoff) -> Vec<(OsString, OsString)> {
    let own = std::env::vars_os().filter(|(name, _)| name != VARIABLE);
    let run = [
        ("SUREFIRE_RUN", handoff.run_id.to_string()),
        ("SUREFIRE_REASON", handoff.reason.clone()),
        ("SUREFIRE_EXIT_CODE", handoff.exit_code.to_string()),
    ];
    own.chain(run.map(|(name, value)| (name.into(), value.into()))).collect()
}
