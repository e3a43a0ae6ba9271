//! `prune_sessions`: a client wants old sessions to be deleted.

use super::desk::Desk;
use crate::wire::{PruneSessions, ServerMessage, SessionsPruned};

pub(super) async fn handle(desk: &mut Desk<'_>, message: PruneSessions) {
    // More time than there has been is no session's age.
    let age = u64::try_from(message.older_than.as_millis()).unwrap_or(u64::MAX);
    let changed_before = desk.shared.clock.now().saturating_sub(age);
    let pruned = match desk.shared.engine.prune_sessions(changed_before).await {
        Ok(pruned) => pruned,
        Err(error) => return desk.failed(None, &error),
    };
    let (freed_bytes, problem) = match desk.shared.engine.reclaim().await {
        Ok(bytes) => (bytes, None),
        // They are deleted all the same; it is the file that did not get smaller.
        Err(error) => (0, Some(error.to_string())),
    };
    desk.say(&ServerMessage::SessionsPruned(SessionsPruned {
        session_count: pruned.sessions.len() as u64,
        run_count: pruned.runs,
        freed_bytes,
        problem,
    }));
}
