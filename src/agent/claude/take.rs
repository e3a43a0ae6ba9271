//! Running a turn: start a process, have it recorded, send the prompt, supervise it, and classify
//! its end.

use std::io;

use tokio::sync::oneshot;

use super::arguments::{Opening, arguments};
use super::classify::{ProcessOutput, classify};
use super::cli::Claude;
use super::repository::LeftOut;
use super::transcript::Transcript;
use super::{find, sessions, system_prompt};
use crate::Remedy;
use crate::agent::{AgentEvent, Failure, Reply, Turn, TurnContext};
use crate::process::{
    Command, Control, End, Files, HeldProcess, ProcessIdentity, ProcessMark, Report, SpawnError,
};

/// Runs a turn from start to end.
pub(super) async fn take(
    claude: &Claude,
    turn: &Turn,
    context: &TurnContext,
) -> Result<Reply, Failure> {
    // The CLI refuses an empty prompt too, but only after a process was started.
    if turn.prompt.trim().is_empty() {
        return Err(Failure::EmptyPrompt);
    }
    let known = turn.opened || sessions::exists(turn.session, &claude.environment);
    let mut opening = if known { Opening::Resume } else { Opening::New };
    // Each of the two reasons to retry applies at most once: at most three processes in total.
    let (mut reopened, mut retried_prompt) = (false, false);
    loop {
        let tried = once(claude, turn, opening, context).await;
        match retry_reason(&tried) {
            Some(RetryReason::SessionInUse) if opening == Opening::New && !reopened => {
                (opening, reopened) = (Opening::Resume, true);
            }
            Some(RetryReason::PromptTimeout) if !retried_prompt => retried_prompt = true,
            _ => return tried,
        }
    }
}

/// Why a process ended before it did anything, so that it is safe to start another one.
enum RetryReason {
    /// The conversation exists already, although the server did not know.
    SessionInUse,
    /// The CLI (2.1.325) waits 3 s for the first byte of its prompt, and recording the process took
    /// longer.
    PromptTimeout,
}

fn retry_reason(tried: &Result<Reply, Failure>) -> Option<RetryReason> {
    let Err(Failure::NoReply { stderr, .. }) = tried else { return None };
    if stderr.contains("Session ID") && stderr.contains("is already in use") {
        Some(RetryReason::SessionInUse)
    } else if got_no_prompt(stderr) {
        Some(RetryReason::PromptTimeout)
    } else {
        None
    }
}

/// Whether the CLI ended because it received no prompt: it reports that it timed out, or that its
/// input was empty because the server that started it was gone.
pub(super) fn got_no_prompt(stderr: &str) -> bool {
    ["no stdin data received", "Input must be provided"].iter().any(|words| stderr.contains(words))
}

/// One process, from start to end.
async fn once(
    claude: &Claude,
    turn: &Turn,
    opening: Opening,
    context: &TurnContext,
) -> Result<Reply, Failure> {
    if context.stop.is_cancelled() {
        return Err(Failure::StoppedBeforePrompt);
    }
    let held = start(claude, turn, opening).await?;
    let pid = held.process().pid;
    tracing::debug!(attempt = %turn.attempt, pid, "started the agent's process");
    if !is_recorded(held.process(), context).await {
        // It has no prompt yet, so there is nothing to detach.
        held.end().await;
        let detached = context.detach.is_cancelled() && !context.stop.is_cancelled();
        return Err(if detached { Failure::Detached } else { Failure::StoppedBeforePrompt });
    }
    let released = held.release(turn.prompt.clone().into_bytes()).await;
    let supervised = released.map_err(|error| no_scratch(claude, turn, &error))?;
    let report = supervised.watch(&control(context)).await;
    tracing::debug!(attempt = %turn.attempt, pid, end = ?report.end, "stopped supervising the agent's process");
    conclude(claude, turn, context, report).await
}

/// Starts the process. It has no prompt yet.
async fn start(
    claude: &Claude,
    turn: &Turn,
    opening: Opening,
) -> Result<HeldProcess<Transcript>, Failure> {
    if !turn.directory.is_dir() {
        let why = format!("the directory to work in, `{}`, is not there", turn.directory.display());
        return Err(Failure::CannotStart { path: claude.path.clone(), why });
    }
    let files = files(turn);
    files.make_directory().map_err(|error| no_scratch(claude, turn, &error))?;
    let words =
        turn.system_prompt.as_deref().map(|words| system_prompt::write(&turn.scratch, words));
    let words = words.transpose().map_err(|error| no_scratch(claude, turn, &error))?;
    let left_out = LeftOut::look(turn);
    let command = Command::new(&claude.path, ProcessMark::new(turn.attempt))
        .arguments(arguments(turn, opening, claude.permission_mode, &left_out, words.as_deref())?)
        .environment(claude.environment.for_child(&claude.extra_names))
        .environment(left_out.variables())
        .directory(&turn.directory);
    let started =
        command.start(files, claude.settings.limits(turn.limits), Transcript::default()).await;
    started.map_err(|error| match error {
        SpawnError::Files(error) => no_scratch(claude, turn, &error),
        // Checking the file may give a better message than the system's.
        SpawnError::Spawn(error) => {
            find::usable(&claude.path).err().unwrap_or(Failure::BadProgram {
                path: claude.path.clone(),
                why: error.to_string(),
                remedy: Remedy::TryInTerminal,
            })
        }
    })
}

/// The files of a turn's process.
pub(super) fn files(turn: &Turn) -> Files {
    // The name is fixed: processes of earlier versions write to it.
    Files::at(&turn.scratch).stdout_name("stdout.jsonl")
}

/// The supervisor's control, connected to a turn's context.
pub(super) fn control(context: &TurnContext) -> Control<AgentEvent> {
    Control {
        events: context.events.clone(),
        stop: context.stop.clone(),
        fast_stop: context.fast_stop.clone(),
        detach: context.detach.clone(),
    }
}

fn no_scratch(claude: &Claude, turn: &Turn, error: &io::Error) -> Failure {
    let why = format!("its output cannot be kept in `{}`: {error}", turn.scratch.display());
    Failure::CannotStart { path: claude.path.clone(), why }
}

/// Announces the process and waits until it is recorded; only then may it get its prompt. So after
/// a crash, an unrecorded process has no prompt: its input is empty, and it ends by itself.
async fn is_recorded(process: &ProcessIdentity, context: &TurnContext) -> bool {
    let (go, gone) = oneshot::channel();
    let event = AgentEvent::Spawned { process: process.clone(), go };
    let recorded = async { context.events.send(event).await.is_ok() && gone.await.is_ok() };
    tokio::select! {
        biased;
        () = context.stop.cancelled() => false,
        // Before `detach`: an engine that sent `go` relies on the process having its prompt.
        recorded = recorded => recorded,
        () = context.detach.cancelled() => false,
    }
}

/// Classifies the end of the turn.
pub(super) async fn conclude(
    claude: &Claude,
    turn: &Turn,
    context: &TurnContext,
    report: Report<Transcript>,
) -> Result<Reply, Failure> {
    let Report { end, status, observer: transcript, stderr } = report;
    let result = match end {
        End::Exited | End::Lingered => {
            claude.learn_version(&transcript);
            let status =
                status.map_or("its exit status is unknown".to_owned(), |status| status.to_string());
            classify(
                turn,
                &ProcessOutput { transcript: &transcript, status: &status, stderr: &stderr },
            )
        }
        // For these two the cost is not reported: the engine detaches, or has ended the turn
        // already.
        End::Detached => return Err(Failure::Detached),
        End::Stopped => return Err(Failure::Stopped),
        End::Silent => Err(Failure::Silent { after: turn.limits.silence }),
        End::TimedOut => Err(Failure::TookTooLong { after: turn.limits.duration }),
        End::TooMuchOutput(limit) => Err(Failure::TooMuchOutput { limit: limit.to_string() }),
    };
    if let (Err(_), Some(cost_usd)) = (&result, transcript.cost_usd()) {
        // If the receiver is gone, the cost is not counted either.
        let _ = context.events.send(AgentEvent::Spent { cost_usd }).await;
    }
    result
}
