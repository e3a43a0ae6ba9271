//! Taking a turn: start a process, have it recorded, hand over the prompt, watch, and say what came of it.

use std::io;

use tokio::sync::oneshot;

use super::arguments::{Opening, arguments};
use super::classify::{Remains, classify};
use super::cli::Claude;
use super::repository::LeftOut;
use super::transcript::Transcript;
use super::{find, sessions, system_prompt};
use crate::Remedy;
use crate::agent::{Failure, Link, Reply, Sign, Turn};
use crate::process::{Command, Control, End, Files, Held, Mark, Process, Report, StartError};

/// Takes a turn from its start to its end.
pub(super) async fn take(claude: &Claude, turn: &Turn, link: &Link) -> Result<Reply, Failure> {
    // The CLI refuses such a prompt as well, but a process later.
    if turn.prompt.trim().is_empty() {
        return Err(Failure::EmptyPrompt);
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
    /// The conversation exists already, although the server did not know.
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

/// Whether the CLI ended because it was told nothing: it says that it waited in vain, or that there was nothing to read
/// because the server that started it was gone.
pub(super) fn heard_nothing(stderr: &str) -> bool {
    ["no stdin data received", "Input must be provided"].iter().any(|words| stderr.contains(words))
}

/// One process, from start to end.
async fn once(claude: &Claude, turn: &Turn, opening: Opening, link: &Link) -> Result<Reply, Failure> {
    if link.stop.is_cancelled() {
        return Err(Failure::StoppedBeforePrompt);
    }
    let held = start(claude, turn, opening).await?;
    let pid = held.process().pid;
    tracing::debug!(attempt = %turn.attempt, pid, "started the agent's process");
    if !is_recorded(held.process(), link).await {
        // It has not been told anything, so there is nothing to leave behind.
        held.end().await;
        let left = link.leave.is_cancelled() && !link.stop.is_cancelled();
        return Err(if left { Failure::Left } else { Failure::StoppedBeforePrompt });
    }
    let released = held.release(turn.prompt.clone().into_bytes()).await;
    let supervised = released.map_err(|error| no_scratch(claude, turn, &error))?;
    let report = supervised.watch(&control(link)).await;
    tracing::debug!(attempt = %turn.attempt, pid, end = ?report.end, "the agent's process is no longer watched");
    conclude(claude, turn, link, report).await
}

/// Starts the process. It has no prompt yet.
async fn start(claude: &Claude, turn: &Turn, opening: Opening) -> Result<Held<Transcript>, Failure> {
    if !turn.directory.is_dir() {
        let why = format!("the directory to work in, `{}`, is not there", turn.directory.display());
        return Err(Failure::CannotStart { path: claude.path.clone(), why });
    }
    let files = files(turn);
    files.make_directory().map_err(|error| no_scratch(claude, turn, &error))?;
    let words = turn.system_prompt.as_deref().map(|words| system_prompt::write(&turn.scratch, words));
    let words = words.transpose().map_err(|error| no_scratch(claude, turn, &error))?;
    let left_out = LeftOut::look(turn);
    let command = Command::new(&claude.path, Mark::new(turn.attempt))
        .arguments(arguments(turn, opening, claude.permission_mode, &left_out, words.as_deref())?)
        .environment(claude.environment.for_child(&claude.extra_names))
        .environment(left_out.variables())
        .directory(&turn.directory);
    let started = command.start(files, claude.settings.limits(turn.limits), Transcript::default()).await;
    started.map_err(|error| match error {
        StartError::Files(error) => no_scratch(claude, turn, &error),
        // The file itself may say it better than the system does.
        StartError::Spawn(error) => find::usable(&claude.path).err().unwrap_or(Failure::BadProgram {
            path: claude.path.clone(),
            why: error.to_string(),
            remedy: Remedy::TryInTerminal,
        }),
    })
}

/// The files of a turn's process.
pub(super) fn files(turn: &Turn) -> Files {
    // Each line is one JSON object; and processes of earlier versions write to this name.
    Files::at(&turn.scratch).stdout_name("stdout.jsonl")
}

/// The link to the watcher of a turn, for the supervisor of its process.
pub(super) fn control(link: &Link) -> Control<Sign> {
    Control {
        events: link.signs.clone(),
        stop: link.stop.clone(),
        fast_stop: link.hurry.clone(),
        detach: link.leave.clone(),
    }
}

fn no_scratch(claude: &Claude, turn: &Turn, error: &io::Error) -> Failure {
    let why = format!("its output cannot be kept in `{}`: {error}", turn.scratch.display());
    Failure::CannotStart { path: claude.path.clone(), why }
}

/// Announces the process and waits until it is recorded: only then may it get its prompt. So a process that is unknown
/// after a crash was never told anything: it sees an empty prompt and ends by itself.
async fn is_recorded(process: &Process, link: &Link) -> bool {
    let (go, gone) = oneshot::channel();
    let sign = Sign::Spawned { process: process.clone(), go };
    let told = async { link.signs.send(sign).await.is_ok() && gone.await.is_ok() };
    tokio::select! {
        biased;
        () = link.stop.cancelled() => false,
        // Before `leave`: a watcher that said `go` counts on a process that has its prompt.
        told = told => told,
        () = link.leave.cancelled() => false,
    }
}

/// Says what came of the turn.
pub(super) async fn conclude(
    claude: &Claude,
    turn: &Turn,
    link: &Link,
    report: Report<Transcript>,
) -> Result<Reply, Failure> {
    let Report { end, status, observer: transcript, stderr } = report;
    let result = match end {
        End::Exited | End::Lingered => {
            claude.learn_version(&transcript);
            let status = status.map_or("it is not known how".to_owned(), |status| status.to_string());
            classify(turn, &Remains { transcript: &transcript, status: &status, stderr: &stderr })
        }
        // Nothing more is to be heard of these two: the watcher goes away, or has ended the turn already.
        End::Detached => return Err(Failure::Left),
        End::Stopped => return Err(Failure::Stopped),
        End::Silent => Err(Failure::Silent { after: turn.limits.silence }),
        End::TimedOut => Err(Failure::TookTooLong { after: turn.limits.duration }),
        End::TooMuchOutput(limit) => Err(Failure::TooMuchOutput { limit: limit.to_string() }),
    };
    if let (Err(_), Some(cost_usd)) = (&result, transcript.cost_usd()) {
        // Where the watcher is gone, it is not counted either.
        let _ = link.signs.send(Sign::Spent { cost_usd }).await;
    }
    result
}
