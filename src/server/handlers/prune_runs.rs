//! `prune_runs`: a client wants runs to be deleted that are long over.

use super::context::{RequestContext, failed};
use super::reply::Reply;
use crate::wire::{PruneRuns, RunsPruned, ServerMessage};

pub(super) async fn handle(context: &mut RequestContext<'_>, message: PruneRuns) -> Reply {
    // More time than there has been is no run's age.
    let age = u64::try_from(message.older_than.as_millis()).unwrap_or(u64::MAX);
    let ended_before = context.shared.clock.now().saturating_sub(age);
    match context.shared.engine.prune(ended_before).await {
        Ok(count) => {
            if let Err(error) = context.shared.engine.reclaim().await {
                tracing::warn!(%error, "could not make the store's file smaller");
            }
            ServerMessage::RunsPruned(RunsPruned { count }).into()
        }
        Err(error) => failed(None, &error).into(),
    }
}
