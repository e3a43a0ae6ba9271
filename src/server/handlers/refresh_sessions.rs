//! `refresh_sessions`: which sessions there are.

use super::desk::Desk;
use crate::server::socket::read;
use crate::wire::RefreshSessions;

pub(super) async fn handle(desk: &mut Desk<'_>, message: RefreshSessions) {
    desk.client.recent_sessions = message.recent_sessions_limit;
    read::lists(desk.shared, desk.replies, message.recent_sessions_limit).await;
}
