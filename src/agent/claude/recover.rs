//! Finding out what became of a turn whose server was killed.

use super::cli::Claude;
use super::take::{conclude, control, files, heard_nothing};
use super::transcript::Transcript;
use crate::agent::{Failure, Fate, Link, Turn};
use crate::process::{Mark, Process, Supervised, stop};

/// What became of it. A process that still works is watched to its end as if it had never been out of sight.
///
/// Its output is read from the beginning, so everything is said once more; the watcher knows what was heard before.
pub(super) async fn recover(claude: &Claude, turn: &Turn, process: Option<Process>, link: &Link) -> Fate {
    let (mark, limits) = (Mark::new(turn.attempt), claude.settings.limits(turn.limits));
    // A process that is not recorded was started without a prompt, if at all.
    let Some(process) = process else {
        stop(None, mark, &limits, &link.hurry).await;
        return Fate::NeverBegan;
    };
    let files = files(turn);
    if files.is_stdin_withheld() {
        stop(Some(process), mark, &limits, &link.hurry).await;
        return Fate::NeverBegan;
    }
    let adopted = Supervised::adopt(process.clone(), mark, files, limits, Transcript::default());
    let Ok(supervised) = adopted else {
        // What it answers could not be read, so it must not go on.
        stop(Some(process), mark, &limits, &link.hurry).await;
        return Fate::Unknown;
    };
    let report = supervised.watch(&control(link)).await;
    match conclude(claude, turn, link, report).await {
        // It ended without an answer, and how far it came is unknown; unless it says that it was never told anything.
        Err(Failure::NoReply { stderr, .. }) if heard_nothing(&stderr) => Fate::NeverBegan,
        Err(Failure::NoReply { .. }) => Fate::Unknown,
        // The server before this one stopped it, to have the turn taken again later.
        Err(Failure::Stopped) if !link.stop.is_cancelled() => Fate::Unknown,
        result => Fate::Ended(result),
    }
}
