//! Which connections are admitted: addresses, slots, host names and the key, up to the request.

pub(super) mod accept;
pub(super) mod allowed_hosts;
pub(super) mod arrival;
pub(super) mod auth;
pub(super) mod auth_throttle;
pub(super) mod browser_pass;
pub(super) mod caller;
pub(super) mod connection_limit;
pub(super) mod descriptors;
pub(super) mod first_request;
pub(super) mod key;
pub(super) mod listener;
pub(super) mod network;
pub(super) mod peer;
pub(super) mod peer_slot;
pub(super) mod pool;
pub(crate) mod same_user;
pub(super) mod stream;
pub(super) mod widening;
