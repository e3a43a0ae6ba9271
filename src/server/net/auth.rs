//! Authenticates clients.
//!
//! A client shows the key, or the browser id of a [pass](super::browser_pass) whose cookie comes
//! with the same request. `AllowedHosts` checks `Host` and `Origin` first: a request from another
//! site's page never gets here, with or without a cookie.

use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use super::browser_pass;
use super::key::ApiKey;
use super::peer::Peer;
use crate::server::shared::Shared;

/// Proof that a client has shown the key or a valid pass. Only the functions here make one.
#[derive(Debug)]
pub(in crate::server) struct Authenticated(());

/// The credentials in a request.
#[derive(Clone, Copy)]
pub(in crate::server) struct Credentials<'c> {
    /// The key, or the id of a browser that has a pass.
    pub(in crate::server) key: Option<&'c str>,
    /// The `Cookie` header.
    pub(in crate::server) cookies: Option<&'c str>,
}

impl Credentials<'_> {
    /// Whether they authenticate a client.
    pub(in crate::server) fn are_valid(&self, key: &ApiKey) -> bool {
        let Some(shown) = self.key else { return false };
        key.matches(shown)
            || self.cookies.is_some_and(|cookies| browser_pass::is_valid(key, shown, cookies))
    }
}

/// The key is missing or wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::server) struct WrongKey;

/// Checks a client's credentials. The right key is accepted at once, however many wrong keys came
/// from its address. After too many wrong keys, the reply to each further one is delayed, unless
/// the connection ends first.
pub(in crate::server) async fn check(
    shared: &Shared,
    peer: Peer,
    credentials: Credentials<'_>,
    over: &CancellationToken,
) -> Result<Authenticated, WrongKey> {
    if credentials.are_valid(&shared.key) {
        return Ok(Authenticated(()));
    }
    // A request without a key is not a guess, so it does not count.
    if credentials.key.is_none() {
        return Err(WrongKey);
    }
    tracing::warn!(address = %peer.address, "authentication failed: wrong key");
    // A process of the same user can read the key, so delaying its guesses protects nothing.
    if peer.same_user {
        return Err(WrongKey);
    }
    let delay = shared.throttle.failed(peer.address, Instant::now());
    if !delay.is_zero() {
        tokio::select! {
            () = sleep(delay) => {}
            () = over.cancelled() => {}
        }
    }
    Err(WrongKey)
}

/// The key in `Bearer <key>`.
pub(in crate::server) fn bearer(header: &str) -> Option<&str> {
    let (scheme, key) = header.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| key.trim())
}
