//! Recovering a turn whose server was killed.

use super::cli::Claude;
use super::take::{conclude, control, files, got_no_prompt};
use super::transcript::Transcript;
use crate::agent::{Failure, Fate, Turn, TurnContext};
use crate::process::{ProcessIdentity, ProcessMark, Supervised, stop};

/// Recovers a turn. A process that is still at work is adopted and supervised to its end.
///
/// Its output is read from the beginning, so all events are repeated; the engine skips those that
/// it has recorded already.
pub(super) async fn recover(
    claude: &Claude,
    turn: &Turn,
    process: Option<ProcessIdentity>,
    context: &TurnContext,
) -> Fate {
    let (mark, limits) = (ProcessMark::new(turn.attempt), claude.settings.limits(turn.limits));
    // A process that was not recorded never got its prompt.
    let Some(process) = process else {
        stop(None, mark, &limits, &context.fast_stop).await;
        return Fate::NeverBegan;
    };
    let files = files(turn);
    if files.is_stdin_withheld() {
        stop(Some(process), mark, &limits, &context.fast_stop).await;
        return Fate::NeverBegan;
    }
    let adopted = Supervised::adopt(process.clone(), mark, files, limits, Transcript::default());
    let Ok(supervised) = adopted else {
        // Its output cannot be read, so it must not keep working.
        stop(Some(process), mark, &limits, &context.fast_stop).await;
        return Fate::Unknown;
    };
    let report = supervised.watch(&control(context)).await;
    match conclude(claude, turn, context, report).await {
        // It ended without a reply, and how far it got is unknown, unless it reports that it
        // received no prompt.
        Err(Failure::NoReply { stderr, .. }) if got_no_prompt(&stderr) => Fate::NeverBegan,
        Err(Failure::NoReply { .. }) => Fate::Unknown,
        // This engine did not stop it: the previous server did, to have the turn retried later.
        Err(Failure::Stopped) if !context.stop.is_cancelled() => Fate::Unknown,
        result => Fate::Ended(result),
    }
}
