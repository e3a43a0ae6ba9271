//! `get_available_recipes`: a client asks for the available recipes.

use super::context::RequestContext;
use super::reply::Reply;
use crate::server::socket::read;

pub(super) async fn handle(context: &RequestContext<'_>) -> Reply {
    read::recipes(context.shared).await.into()
}
