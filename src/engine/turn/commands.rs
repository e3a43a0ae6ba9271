//! Running the commands of a check in order, and adopting one that an earlier engine left running.

use std::convert::Infallible;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;

use super::result::NoReply;
use super::scratch;
use super::turn_permit::for_agent;
use crate::agent::{AgentEvent, Failure, TurnContext};
use crate::engine::commit::event_stream::Update;
use crate::engine::shared::Shared;
use crate::gate::{CommandControl, CommandEnd, CommandEvent, CommandFate, Execution};
use crate::run::{CheckKind, CheckResult, CheckVerdict, RunId, SessionId};
use crate::session::{CheckRequest, ProcessRecord, TurnOrigin};
use crate::{CommandLine, Evidence};

/// How many events of a command may be queued. While the queue is full, its output lines are
/// skipped.
const MAX_QUEUED_EVENTS: usize = 16;

/// Runs the commands that are evidence, then the others, up to the first failure.
pub(super) async fn run(
    shared: &Arc<Shared>,
    request: &CheckRequest,
    context: TurnContext,
) -> Result<Vec<CheckResult>, NoReply> {
    let scratch = scratch::path(&shared.options.data, request.check.check);
    let all = commands(request);
    let mut adopted = match &request.origin {
        TurnOrigin::New => None,
        // The last command with files had begun, and those before it had succeeded.
        TurnOrigin::Adopted(process) => (0..all.len())
            .rev()
            .find(|it| files(&scratch, *it).exists())
            .map(|last| (last, process.clone())),
    };
    let mut left = request.check.time.unwrap_or(shared.options.turn.duration);
    let mut results: Vec<CheckResult> = Vec::new();
    for (index, (kind, command)) in all.into_iter().enumerate() {
        let execution = Execution {
            attempt: request.check.check.uuid(),
            command: command.clone(),
            directory: request.directory.clone(),
            scratch: files(&scratch, index),
            time: left,
        };
        let (verdict, found, took) = match &adopted {
            Some((last, _)) if index < *last => {
                (CheckVerdict::Passed, String::new(), Duration::ZERO)
            }
            _ => {
                let process = adopted.take().map(|(_, process)| process);
                verdict(
                    supervise(
                        shared,
                        (request.run, request.session),
                        &execution,
                        process,
                        &context,
                    )
                    .await,
                )?
            }
        };
        left = left.saturating_sub(took);
        let name = match kind {
            CheckKind::Evidence => Evidence::Command(command).to_string(),
            CheckKind::Verify | CheckKind::Run | CheckKind::Worktree | CheckKind::Setup => {
                command.to_string()
            }
        };
        let passed = verdict == CheckVerdict::Passed;
        results.push(CheckResult { kind, name, verdict, found, took, rehearsed: false });
        if !passed {
            break;
        }
    }
    Ok(results)
}

fn commands(request: &CheckRequest) -> Vec<(CheckKind, CommandLine)> {
    let check = &request.check;
    let evidence = check.evidence.iter().filter_map(|it| match it {
        Evidence::Command(command) => Some((CheckKind::Evidence, command.clone())),
        Evidence::Commit
        | Evidence::NoCommit
        | Evidence::Clean
        | Evidence::CleanTree
        | Evidence::Changed
        | Evidence::RebasedOnMain
        | Evidence::Exists(_) => None,
    });
    evidence.chain(check.commands.iter().map(|it| (check.purpose, it.clone()))).collect()
}

/// The directory of the files of a check's command with this index.
fn files(scratch: &std::path::Path, index: usize) -> PathBuf {
    scratch.join(index.to_string())
}

/// Runs one command, or adopts it. Its process is recorded before it begins.
#[expect(
    clippy::option_option,
    reason = "not adopted, or adopted with or without a recorded process"
)]
async fn supervise(
    shared: &Arc<Shared>,
    of: (RunId, SessionId),
    execution: &Execution,
    adopted: Option<Option<ProcessRecord>>,
    context: &TurnContext,
) -> CommandFate {
    let (events, arriving) = mpsc::channel(MAX_QUEUED_EVENTS);
    let command = CommandControl {
        events,
        stop: context.stop.clone(),
        fast_stop: context.fast_stop.clone(),
        detach: context.detach.clone(),
    };
    let commands = &shared.commands;
    let work = async {
        if let Some(process) = adopted {
            match commands.recover(execution, process.map(for_agent), &command).await {
                CommandFate::NeverBegan => {}
                fate @ (CommandFate::Ended(_) | CommandFate::Unknown) => return fate,
            }
        }
        CommandFate::Ended(commands.execute(execution, &command).await)
    };
    tokio::select! {
        fate = work => fate,
        never = forward_events(shared, of, arriving, context) => match never {},
    }
}

/// Forwards a command's events to the driver. Never returns: the caller drops it
/// once the command has ended.
async fn forward_events(
    shared: &Shared,
    (run, session): (RunId, SessionId),
    mut arriving: mpsc::Receiver<CommandEvent>,
    context: &TurnContext,
) -> Infallible {
    while let Some(event) = arriving.recv().await {
        match event {
            CommandEvent::Spawned { process, go } => {
                let _ = context.events.send(AgentEvent::Spawned { process, go }).await;
            }
            CommandEvent::Line(printed) => {
                shared.committer.publish(Update::Printed { run, session, line: printed.into() });
            }
        }
    }
    std::future::pending().await
}

/// The verdict of a command's end for its check.
fn verdict(fate: CommandFate) -> Result<(CheckVerdict, String, Duration), NoReply> {
    let end = match fate {
        CommandFate::Ended(end) => end,
        CommandFate::NeverBegan | CommandFate::Unknown => {
            return Ok((CheckVerdict::Unknown, String::new(), Duration::ZERO));
        }
    };
    let words = end.to_string();
    Ok(match end {
        CommandEnd::Passed { took, tail } => (CheckVerdict::Passed, tail, took),
        CommandEnd::Failed { status, took, tail } => {
            (CheckVerdict::Failed { status: Some(status) }, tail, took)
        }
        CommandEnd::TimedOut { limit, tail } => (CheckVerdict::TimedOut { limit }, tail, limit),
        CommandEnd::CannotStart { why } => (CheckVerdict::Impossible, why, Duration::ZERO),
        CommandEnd::OutputLimit { tail, .. } => {
            (CheckVerdict::Failed { status: None }, format!("it {words}\n{tail}"), Duration::ZERO)
        }
        // Only a shutdown stops a command whose run has not ended.
        CommandEnd::Stopped { tail } => (CheckVerdict::Unknown, tail, Duration::ZERO),
        CommandEnd::Detached => return Err(NoReply::Failure(Failure::Detached)),
    })
}
