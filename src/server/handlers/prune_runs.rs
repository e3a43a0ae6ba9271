//! `prune_runs`: a client deletes runs that ended long ago.

use super::context::{RequestContext, failed};
use super::reply::Reply;
use crate::wire::{PruneRuns, RunsPruned, ServerMessage};

pub(super) async fn handle(context: &mut RequestContext<'_>, message: PruneRuns) -> Reply {
    // An age beyond the clock's epoch matches no run.
    let age = u64::try_from(message.older_than.as_millis()).unwrap_or(u64::MAX);
    let ended_before = context.shared.clock.now().saturating_sub(age);
    match context.shared.engine.prune(ended_before).await {
        Ok(count) => {
            if let Err(error) = context.shared.engine.reclaim().await {
                tracing::warn!(%error, "failed to shrink the store's file");
            }
            ServerMessage::RunsPruned(RunsPruned { count }).into()
        }
        Err(error) => failed(None, &error).into(),
    }
}
