//! `unsubscribe`, `session_deleted`: a client no longer wants to hear of a session.

use super::desk::Desk;
use crate::wire::Unsubscribe;

/// What a client deletes on its side stays on this one: others may want to read it.
pub(super) fn handle(desk: &mut Desk<'_>, message: Unsubscribe) {
    if let Some(session) = message.session_id {
        desk.client.has_decided_about(session);
        desk.client.subscriptions.remove(session);
    }
}
