//! `unsubscribe`, `session_deleted`: a client no longer wants to hear of a session.

use super::context::RequestContext;
use super::reply::Reply;
use crate::wire::Unsubscribe;

/// What a client deletes on its side stays on this one: others may want to read it.
pub(super) fn handle(context: &mut RequestContext<'_>, message: Unsubscribe) -> Reply {
    if let Some(session) = message.session_id {
        context.client.subscriptions.remove(session);
    }
    Reply::nothing()
}
