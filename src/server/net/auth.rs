//! Who may come in.

use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use super::peer::Peer;
use crate::server::shared::Shared;

/// A client that has shown the key. There is no other way to get one of these.
#[derive(Debug)]
pub(in crate::server) struct Authenticated(());

/// The key is missing or wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::server) struct WrongKey;

/// Looks at the key that a client shows. The right one is accepted at once, whatever else came from its address; after too many wrong
/// ones the next of those are answered late, unless the connection is over before that.
pub(in crate::server) async fn check(
    shared: &Shared,
    peer: Peer,
    key: Option<&str>,
    over: &CancellationToken,
) -> Result<Authenticated, WrongKey> {
    // A client that shows no key does not guess, and is not counted.
    let Some(key) = key else { return Err(WrongKey) };
    if shared.key.matches(key) {
        return Ok(Authenticated(()));
    }
    tracing::warn!(address = %peer.address, "somebody showed a wrong key");
    // A process of the same user could read the key: it has no need to guess.
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
