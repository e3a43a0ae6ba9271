//! Executing a command: start it, have it recorded, release it, watch, and say how it ended.

use std::os::unix::process::ExitStatusExt;
use std::time::{Duration, Instant};

use tokio::sync::oneshot;

use super::end::CommandEnd;
use super::execution::{Commands, Execution};
use super::lines::{LastLine, LiveLines, last_line};
use super::link::{CommandEvent, CommandLink};
use super::tail::tail;
use crate::CommandLine;
use crate::process::{Command, Control, End, Held, Process, Report, Supervised};

/// What a shell exits with if a program cannot be executed, or is not there.
const CANNOT_EXECUTE: i32 = 126;
const NOT_FOUND: i32 = 127;

impl Commands {
    /// Executes a command to its end, and ends what it leaves behind.
    ///
    /// It begins once the caller has answered [`CommandEvent::Spawned`], so a command that is not recorded never began.
    /// Dropping the future kills it and all that it started.
    pub async fn execute(&self, execution: &Execution, link: &CommandLink) -> CommandEnd {
        if link.stop.is_cancelled() {
            return CommandEnd::Stopped { tail: String::new() };
        }
        let (observer, lines) = last_line();
        let held = match self.start(execution, observer).await {
            Ok(held) => held,
            Err(why) => return CommandEnd::CannotStart { why },
        };
        let pid = held.process().pid;
        tracing::debug!(attempt = %execution.attempt, pid, "started a command");
        if !is_recorded(held.process(), link).await {
            held.end().await;
            let detached = link.detach.is_cancelled() && !link.stop.is_cancelled();
            return if detached { CommandEnd::Detached } else { CommandEnd::Stopped { tail: String::new() } };
        }
        let began = Instant::now();
        let supervised = match held.release(Vec::new()).await {
            Ok(supervised) => supervised,
            Err(error) => return CommandEnd::CannotStart { why: unusable(execution, &error) },
        };
        let report = watch(supervised, execution, link, lines).await;
        tracing::debug!(attempt = %execution.attempt, pid, end = ?report.end, "a command is no longer watched");
        match conclude(execution, report, || began.elapsed()).await {
            Some(end) => end,
            // Its shell was collected and left no status; nothing is known to do that.
            None => CommandEnd::CannotStart { why: "how it ended could not be read".to_owned() },
        }
    }

    async fn start(&self, execution: &Execution, observer: LastLine) -> Result<Held<LastLine>, String> {
        if !execution.directory.is_dir() {
            return Err(format!(
                "the directory to work in, `{}`, is not there",
                execution.directory.display()
            ));
        }
        let (program, arguments): (&str, Vec<&str>) = match &execution.command {
            CommandLine::Shell(line) => ("bash", vec!["-euo", "pipefail", "-c", line]),
            CommandLine::Program(words) => match words.split_first() {
                Some((program, arguments)) => (program, arguments.iter().map(AsRef::as_ref).collect()),
                None => return Err("the command is empty".to_owned()),
            },
        };
        // An execution that is started again with the same directory is not being stopped.
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
async fn is_recorded(process: &Process, link: &CommandLink) -> bool {
    let (go, gone) = oneshot::channel();
    let event = CommandEvent::Spawned { process: process.clone(), go };
    let recorded = async { link.events.send(event).await.is_ok() && gone.await.is_ok() };
    tokio::select! {
        biased;
        () = link.stop.cancelled() => false,
        // Before `detach`: a caller that said `go` counts on a command that has begun.
        recorded = recorded => recorded,
        () = link.detach.cancelled() => false,
    }
}

/// Watches it to its end, and passes its lines on meanwhile.
pub(super) async fn watch(
    supervised: Supervised<LastLine>,
    execution: &Execution,
    link: &CommandLink,
    mut lines: LiveLines,
) -> Report<LastLine> {
    let (control, _events) = Control::new(1);
    let control = Control { fast_stop: link.fast_stop.clone(), detach: link.detach.clone(), ..control };
    let mut watching = std::pin::pin!(supervised.watch(&control));
    loop {
        tokio::select! {
            biased;
            // Before anything else: a command that is to stop is never left running.
            () = link.stop.cancelled(), if !control.stop.is_cancelled() => {
                // From now on its exit status is our doing. An engine that is killed here must not leave it as a result.
                if let Err(error) = tokio::fs::write(execution.stop_mark(), "").await {
                    tracing::warn!(%error, "failed to record that a command is being stopped");
                }
                control.stop.cancel();
            }
            report = &mut watching => return report,
            () = lines.pass_on(&link.events) => {}
        }
    }
}

/// Says how it ended; `None` where that cannot be known.
pub(super) async fn conclude(
    execution: &Execution,
    report: Report<LastLine>,
    took: impl FnOnce() -> Duration,
) -> Option<CommandEnd> {
    let took = took();
    let tail = tail(execution.files());
    Some(match report.end {
        // It is never content before its end, and may be silent for as long as it likes.
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
        // The shell says which of its programs it is.
        (None, Some(last)) => format!("{last} (status {status})"),
        (None, None) => format!("it ended with status {status}"),
    }
}
