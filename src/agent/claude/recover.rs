//! Finding out what became of a turn whose server was killed.

use super::Claude;
use super::classify::{Remains, classify};
use super::running::Running;
use super::sweep::sweep;
use super::take::{conclude, heard_nothing};
use super::watch::{End, Output, Watch};
use crate::agent::{Failure, Fate, Link, Process, Turn};

/// What became of it. A process that still works is watched to its end as if it had never been out of sight.
///
/// Its output is read from the beginning, so everything is said once more; whoever listens knows what was heard before.
pub(super) async fn recover(claude: &Claude, turn: &Turn, process: Option<Process>, link: &Link) -> Fate {
    let Some(process) = process else {
        // It may have been started all the same, but then without a prompt.
        sweep_up(turn).await;
        return Fate::NeverBegan;
    };
    let running = Running::adopt(process, turn.attempt);
    let Ok(output) = Output::open(&turn.scratch, &claude.settings) else {
        if let Some(running) = running {
            // What it answers could not be read, so it must not go on.
            running.stop(&claude.settings, &link.hurry).await;
        }
        sweep_up(turn).await;
        return Fate::Unknown;
    };
    match running {
        Some(running) => watched(claude, turn, link, running, output).await,
        None => {
            sweep_up(turn).await;
            found(claude, turn, link, output).await
        }
    }
}

/// The process is still there.
async fn watched(claude: &Claude, turn: &Turn, link: &Link, running: Running, mut output: Output) -> Fate {
    let watch = Watch {
        running: &running,
        output: &mut output,
        handing: None,
        link,
        limits: turn.limits,
        settings: &claude.settings,
    };
    let end = watch.until_end().await;
    match conclude(claude, turn, link, running, output, end).await {
        Err(Failure::NoReply { stderr, .. }) => unanswered(&stderr),
        result => Fate::Ended(result),
    }
}

/// It ended without an answer, and nobody knows how far it came; unless it says that it was never told anything, because
/// the server was killed right before that.
fn unanswered(stderr: &str) -> Fate {
    if heard_nothing(stderr) { Fate::NeverBegan } else { Fate::Unknown }
}

/// The process is gone; its answer may be there.
async fn found(claude: &Claude, turn: &Turn, link: &Link, mut output: Output) -> Fate {
    match output.rest(link, &claude.settings).await {
        End::TooMuchOutput(limit) => return Fate::Ended(Err(Failure::TooMuchOutput { limit })),
        End::Left => return Fate::Ended(Err(Failure::Left)),
        End::Exited | End::Answered | End::Stopped | End::Silent | End::TookTooLong => {}
    }
    let stderr = output.stderr.last_lines();
    if output.transcript.envelope.is_none() {
        return unanswered(&stderr);
    }
    claude.learn_version(&output.transcript);
    let remains = Remains { transcript: &output.transcript, status: "it is not known how", stderr: &stderr };
    Fate::Ended(classify(turn, &remains))
}

async fn sweep_up(turn: &Turn) {
    let attempt = turn.attempt;
    // It can fail only while the runtime goes down, and then the next start sweeps.
    let _ = tokio::task::spawn_blocking(move || sweep(attempt)).await;
}
