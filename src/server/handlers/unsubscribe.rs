//! `unsubscribe`, `session_deleted`: a client unsubscribes from a session.

use super::context::RequestContext;
use super::reply::Reply;
use crate::wire::Unsubscribe;

/// A session that a client deletes on its side stays on the server: other clients may want to read
/// it.
pub(super) fn handle(context: &mut RequestContext<'_>, message: Unsubscribe) -> Reply {
    if let Some(session) = message.session_id {
        context.client.subscriptions.remove(session);
    }
    Reply::nothing()
}
