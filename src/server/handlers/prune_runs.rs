//! `prune_runs`: a client wants runs to be forgotten that are long over.

use super::desk::Desk;
use crate::wire::{PruneRuns, RunsPruned, ServerMessage};

pub(super) async fn handle(desk: &mut Desk<'_>, message: PruneRuns) {
    // More time than there has been is no run's age.
    let age = u64::try_from(message.older_than.as_millis()).unwrap_or(u64::MAX);
    let ended_before = desk.shared.clock.now().saturating_sub(age);
    match desk.shared.engine.prune(ended_before).await {
        Ok(count) => {
            if let Err(error) = desk.shared.engine.reclaim().await {
                tracing::warn!(%error, "could not make the store's file smaller");
            }
            desk.say(&ServerMessage::RunsPruned(RunsPruned { count }));
        }
        Err(error) => desk.failed(None, &error),
    }
}
