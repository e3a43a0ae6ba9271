//! `get_available_recipes`: which recipes there are.

use super::desk::Desk;
use crate::server::socket::read;

pub(super) async fn handle(desk: &mut Desk<'_>) {
    read::recipes(desk.shared, desk.replies).await;
}
