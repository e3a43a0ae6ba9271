//! One client's WebSocket: its requests, the replies, and the one place where frames are written.

pub(super) mod client;
pub(super) mod client_session;
pub(super) mod connection;
pub(super) mod outgoing_frames;
pub(super) mod rate_limiter;
pub(super) mod read;
pub(super) mod subscriptions;
#[cfg(feature = "__test-client")]
pub(super) mod test_client;
pub(super) mod upgrade;
