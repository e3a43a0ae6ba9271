//! `refresh_sessions`: a client asks for the lists of sessions.

use super::context::RequestContext;
use super::reply::Reply;
use crate::server::socket::read;
use crate::wire::RefreshSessions;

pub(super) async fn handle(context: &mut RequestContext<'_>, message: RefreshSessions) -> Reply {
    context.client.recent_sessions = message.recent_sessions_limit;
    read::lists(context.shared, message.recent_sessions_limit).await.into()
}
