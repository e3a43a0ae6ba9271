//! `prune_sessions`: a client deletes old sessions.

use super::context::{RequestContext, failed};
use super::reply::Reply;
use crate::wire::{PruneSessions, ServerMessage, SessionsPruned};

pub(super) async fn handle(context: &mut RequestContext<'_>, message: PruneSessions) -> Reply {
    // An age beyond the clock's epoch matches no session.
    let age = u64::try_from(message.older_than.as_millis()).unwrap_or(u64::MAX);
    let changed_before = context.shared.clock.now().saturating_sub(age);
    let pruned = match context.shared.engine.prune_sessions(changed_before).await {
        Ok(pruned) => pruned,
        Err(error) => return failed(None, &error).into(),
    };
    let (freed_bytes, problem) = match context.shared.engine.reclaim().await {
        Ok(bytes) => (bytes, None),
        // The sessions are deleted; only the file could not be shrunk.
        Err(error) => (0, Some(error.to_string())),
    };
    let pruned = SessionsPruned {
        session_count: pruned.sessions.len() as u64,
        run_count: pruned.runs,
        freed_bytes,
        problem,
    };
    ServerMessage::SessionsPruned(pruned).into()
}
