//! Taking a turn: start a process, have it written down, hand over the prompt, watch, and say what came of it.

use std::io;

use tokio::sync::oneshot;

use super::arguments::{Opening, arguments};
use super::classify::{Remains, classify};
use super::output;
use super::prompt::Handing;
use super::running::{Running, Start};
use super::watch::{End, Output, Watch};
use super::{Claude, find, sessions, system_prompt};
use crate::agent::{Failure, Link, Reply, Sign, Turn};

/// Takes a turn from its start to its end.
pub(super) async fn take(claude: &Claude, turn: &Turn, link: &Link) -> Result<Reply, Failure> {
    // The CLI refuses such a prompt as well, but a process later.
    if turn.prompt.trim().is_empty() {
        return Err(Failure::Refused { words: "the prompt is empty; say what is to be done".to_owned() });
    }
    let known = turn.opened || sessions::exists(turn.session, &claude.environment);
    let mut opening = if known { Opening::Resume } else { Opening::New };
    // Two reasons for another try, each good for one: no more than three processes in all.
    let (mut renamed, mut waited) = (false, false);
    loop {
        let tried = once(claude, turn, opening, link).await;
        match did_nothing(&tried) {
            Some(Nothing::SessionInUse) if opening == Opening::New && !renamed => {
                (opening, renamed) = (Opening::Resume, true);
            }
            Some(Nothing::HeardNothing) if !waited => waited = true,
            _ => return tried,
        }
    }
}

/// Why a process ended before it did anything; it is then safe to start another one for the same turn.
enum Nothing {
    /// The conversation exists already, although nobody here knew.
    SessionInUse,
    /// The CLI (2.1.325) waits 3 s for the first byte of its prompt, and writing down the process took longer.
    HeardNothing,
}

fn did_nothing(tried: &Result<Reply, Failure>) -> Option<Nothing> {
    let Err(Failure::NoReply { stderr, .. }) = tried else { return None };
    if stderr.contains("Session ID") && stderr.contains("is already in use") {
        Some(Nothing::SessionInUse)
    } else if heard_nothing(stderr) {
        Some(Nothing::HeardNothing)
    } else {
        None
    }
}

/// Whether the CLI ended because nobody told it anything: it says that it waited in vain, or that there was nothing to
/// read because whoever started it was gone.
pub(super) fn heard_nothing(stderr: &str) -> bool {
    ["no stdin data received", "Input must be provided"].iter().any(|words| stderr.contains(words))
}

/// One process, from start to end.
async fn once(claude: &Claude, turn: &Turn, opening: Opening, link: &Link) -> Result<Reply, Failure> {
    if link.stop.is_cancelled() {
        return Err(Failure::Stopped);
    }
    let (running, handing, mut output) = start(claude, turn, opening)?;
    let process = running.process().pid;
    tracing::debug!(attempt = %turn.attempt, process, "the agent's process was started");
    if !is_written_down(&running, link).await {
        // It has not been told anything, so there is nothing to interrupt, and nothing to leave behind.
        running.finish().await;
        let left = link.leave.is_cancelled() && !link.stop.is_cancelled();
        return Err(if left { Failure::Left } else { Failure::Stopped });
    }
    let settings = &claude.settings;
    let watch = Watch {
        running: &running,
        output: &mut output,
        handing: Some(handing),
        link,
        limits: turn.limits,
        settings,
    };
    let end = watch.until_end().await;
    tracing::debug!(attempt = %turn.attempt, process, ?end, "the agent's turn is over");
    conclude(claude, turn, link, running, output, end).await
}

fn start(claude: &Claude, turn: &Turn, opening: Opening) -> Result<(Running, Handing, Output), Failure> {
    let cannot = |why: String| Failure::CannotStart { path: claude.path.clone(), why };
    let scratch = |error: io::Error| {
        cannot(format!("its output cannot be kept in `{}`: {error}", turn.scratch.display()))
    };
    if !turn.directory.is_dir() {
        return Err(cannot(format!(
            "the directory to work in, `{}`, is not there",
            turn.directory.display()
        )));
    }
    let (stdout, stderr) = output::fresh(&turn.scratch).map_err(scratch)?;
    let output = Output::open(&turn.scratch, &claude.settings).map_err(scratch)?;
    let words = turn.system_prompt.as_deref().map(|words| system_prompt::write(&turn.scratch, words));
    let words = words.transpose().map_err(scratch)?;
    let arguments = arguments(turn, opening, claude.permission_mode, words.as_deref())?;
    let started = Running::start(Start {
        program: &claude.path,
        arguments: &arguments,
        environment: claude.environment.for_child(&claude.extra_names, turn.attempt),
        directory: &turn.directory,
        stdout,
        stderr,
        attempt: turn.attempt,
    });
    let (running, pipe) = match started {
        Ok(started) => started,
        Err(error) => {
            // The file itself may say it better than the system does.
            find::usable(&claude.path)?;
            return Err(cannot(format!("{error}; try to run it in a terminal")));
        }
    };
    Ok((running, Handing::new(pipe, turn.prompt.clone()), output))
}

/// Tells about the process and waits until it is remembered: only then may it get its prompt. So a process that nobody
/// remembers after a crash was never told anything: it sees an empty prompt and ends by itself.
async fn is_written_down(running: &Running, link: &Link) -> bool {
    let (go, gone) = oneshot::channel();
    let sign = Sign::Spawned { process: running.process().clone(), go };
    let told = async { link.signs.send(sign).await.is_ok() && gone.await.is_ok() };
    tokio::select! {
        biased;
        () = link.stop.cancelled() => false,
        // Before `leave`: whoever said `go` counts on a process that has its prompt.
        told = told => told,
        () = link.leave.cancelled() => false,
    }
}

/// Ends what has to be ended, and says what came of the turn.
pub(super) async fn conclude(
    claude: &Claude,
    turn: &Turn,
    link: &Link,
    running: Running,
    mut output: Output,
    end: End,
) -> Result<Reply, Failure> {
    let failure = match end {
        End::Left => {
            running.leave();
            return Err(Failure::Left);
        }
        End::Exited | End::Answered => None,
        End::Stopped => Some(Failure::Stopped),
        End::Silent => Some(Failure::Silent { after: turn.limits.silence }),
        End::TookTooLong => Some(Failure::TookTooLong { after: turn.limits.duration }),
        End::TooMuchOutput(ref limit) => Some(Failure::TooMuchOutput { limit: limit.clone() }),
    };
    let status = if end == End::Exited {
        running.finish().await
    } else {
        running.stop(&claude.settings, &link.hurry).await;
        None
    };
    if let Some(failure) = failure {
        return Err(failure);
    }
    if !output.is_passed_on(link).await {
        return Err(Failure::Left);
    }
    output.trim();
    claude.learn_version(&output.transcript);
    let status = status.map_or("it is not known how".to_owned(), |status| status.to_string());
    let stderr = output.stderr.last_lines();
    let result =
        classify(turn, &Remains { transcript: &output.transcript, status: &status, stderr: &stderr });
    if let (Err(_), Some(cost_usd)) = (&result, output.transcript.cost_usd()) {
        // Nobody may be listening any more; then nobody counts it either.
        let _ = link.signs.send(Sign::Spent { cost_usd }).await;
    }
    result
}
