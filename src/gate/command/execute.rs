//! Executing a command: start it, have it recorded, release it, supervise it, and report its end.

use std::os::unix::process::ExitStatusExt;
use std::time::{Duration, Instant};

use tokio::sync::oneshot;

use super::control::{CommandControl, CommandEvent};
use super::end::CommandEnd;
use super::execution::{Commands, Execution};
use super::lines::{LastLine, LiveLines, last_line};
use super::tail::tail;
use crate::CommandLine;
use crate::process::{Command, Control, End, HeldProcess, ProcessIdentity, Report, Supervised};

/// The exit status of a shell if a program cannot be executed, or does not exist.
const CANNOT_EXECUTE: i32 = 126;
const NOT_FOUND: i32 = 127;

impl Commands {
    /// Executes a command to its end, and stops the processes it leaves behind.
    ///
    /// It begins once the caller has answered [`CommandEvent::Spawned`], so a command that is not
    /// recorded never began. Dropping the future kills it and all that it started.
    pub async fn execute(&self, execution: &Execution, control: &CommandControl) -> CommandEnd {
        if control.stop.is_cancelled() {
            return CommandEnd::Stopped { tail: String::new() };
        }
        let (observer, lines) = last_line();
        let held = match self.start(execution, observer).await {
            Ok(held) => held,
            Err(why) => return CommandEnd::CannotStart { why },
        };
        let pid = held.process().pid;
        tracing::debug!(attempt = %execution.attempt, pid, "started a command");
        if !is_recorded(held.process(), control).await {
            held.end().await;
            let detached = control.detach.is_cancelled() && !control.stop.is_cancelled();
            return if detached {
                CommandEnd::Detached
            } else {
                CommandEnd::Stopped { tail: String::new() }
            };
        }
        let began = Instant::now();
        let supervised = match held.release(Vec::new()).await {
            Ok(supervised) => supervised,
            Err(error) => return CommandEnd::CannotStart { why: unusable(execution, &error) },
        };
        let report = watch(supervised, execution, control, lines).await;
        tracing::debug!(attempt = %execution.attempt, pid, end = ?report.end, "stopped supervising a command");
        match conclude(execution, report, || began.elapsed()).await {
            Some(end) => end,
            // Its shell ended without writing a status. No known case does that.
            None => CommandEnd::CannotStart { why: "how it ended could not be read".to_owned() },
        }
    }

    async fn start(
        &self,
        execution: &Execution,
        observer: LastLine,
    ) -> Result<HeldProcess<LastLine>, String> {
        if !execution.directory.is_dir() {
            return Err(format!(
                "the directory to work in, `{}`, is not there",
                execution.directory.display()
            ));
        }
        let (program, arguments): (&str, Vec<&str>) = match &execution.command {
            CommandLine::Shell(line) => ("bash", vec!["-euo", "pipefail", "-c", line]),
            CommandLine::Program(words) => match words.split_first() {
                Some((program, arguments)) => {
                    (program, arguments.iter().map(AsRef::as_ref).collect())
                }
                None => return Err("the command is empty".to_owned()),
            },
        };
        // Remove the stop mark of an earlier execution in the same directory.
        match std::fs::remove_file(execution.stop_mark()) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(unusable(execution, &error));
            }
            Ok(()) | Err(_) => {}
        }
        let command = Command::new(program, execution.mark())
            .arguments(arguments)
            .environment(self.environment.for_command())
            .directory(&execution.directory)
            .merge_stderr()
            .launched();
        let started = command.start(execution.files(), self.limits(execution.time), observer).await;
        started.map_err(|error| error.to_string())
    }
}

fn unusable(execution: &Execution, error: &std::io::Error) -> String {
    format!("its output cannot be kept in `{}`: {error}", execution.scratch.display())
}

/// Announces the process and waits until it is recorded: only then may it begin.
async fn is_recorded(process: &ProcessIdentity, control: &CommandControl) -> bool {
    let (go, gone) = oneshot::channel();
    let event = CommandEvent::Spawned { process: process.clone(), go };
    let recorded = async { control.events.send(event).await.is_ok() && gone.await.is_ok() };
    tokio::select! {
        biased;
        () = control.stop.cancelled() => false,
        // Before `detach`: a caller that sent `go` relies on the command having begun.
        recorded = recorded => recorded,
        () = control.detach.cancelled() => false,
    }
}

/// Supervises it to its end, and forwards its lines meanwhile.
pub(super) async fn watch(
    supervised: Supervised<LastLine>,
    execution: &Execution,
    control: &CommandControl,
    mut lines: LiveLines,
) -> Report<LastLine> {
    let (process, _events) = Control::new(1);
    let process =
        Control { fast_stop: control.fast_stop.clone(), detach: control.detach.clone(), ..process };
    let mut watching = std::pin::pin!(supervised.watch(&process));
    loop {
        tokio::select! {
            biased;
            // First, so that a command that should stop is never detached.
            () = control.stop.cancelled(), if !process.stop.is_cancelled() => {
                // From now on, the stop determines its exit status. If the engine is killed here,
                // the next one must not take that for a result.
                if let Err(error) = tokio::fs::write(execution.stop_mark(), "").await {
                    tracing::warn!(%error, "failed to record that a command is being stopped");
                }
                process.stop.cancel();
            }
            report = &mut watching => return report,
            () = lines.pass_on(&control.events) => {}
        }
    }
}

/// Reports how it ended; `None` if that is unknown.
pub(super) async fn conclude(
    execution: &Execution,
    report: Report<LastLine>,
    took: impl FnOnce() -> Duration,
) -> Option<CommandEnd> {
    let took = took();
    let tail = tail(execution.files());
    Some(match report.end {
        // A command has no early answer and no silence limit.
        End::Exited | End::Lingered | End::Silent => {
            let status = report.status?;
            let status = status.code().or(status.signal().map(|signal| 128 + signal))?;
            match status {
                0 => CommandEnd::Passed { took, tail: tail.await },
                CANNOT_EXECUTE | NOT_FOUND => {
                    CommandEnd::CannotStart { why: why(&execution.command, status, &tail.await) }
                }
                status => CommandEnd::Failed { status, took, tail: tail.await },
            }
        }
        End::TimedOut => CommandEnd::TimedOut { limit: execution.time, tail: tail.await },
        End::TooMuchOutput(limit) => CommandEnd::OutputLimit { limit, tail: tail.await },
        End::Stopped => CommandEnd::Stopped { tail: tail.await },
        End::Detached => CommandEnd::Detached,
    })
}

/// Why a command could not be started, or a program that it needs.
fn why(command: &CommandLine, status: i32, tail: &str) -> String {
    let program = match command {
        CommandLine::Shell(_) => None,
        CommandLine::Program(words) => words.first(),
    };
    match (program, tail.lines().last()) {
        (Some(program), _) if status == NOT_FOUND => format!("`{program}` was not found"),
        (Some(program), _) => format!("`{program}` cannot be executed"),
        // The shell's message names the program.
        (None, Some(last)) => format!("{last} (status {status})"),
        (None, None) => format!("it ended with status {status}"),
    }
}
