//! One client's WebSocket: what it sends, what it is answered, and the one place where frames are written.

pub(super) mod bucket;
pub(super) mod client;
pub(super) mod connection;
pub(super) mod dialogue;
pub(super) mod read;
pub(super) mod replies;
pub(super) mod subscriptions;
#[cfg(feature = "by-hand")]
pub(super) mod test_client;
pub(super) mod upgrade;
