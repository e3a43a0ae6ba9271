//! Who may come in.

use std::net::IpAddr;
use std::time::Duration;

use tokio::time::Instant;

use super::shared::Shared;

/// Somebody who has shown the key. There is no other way to get one of these.
#[derive(Debug)]
pub(super) struct Authenticated(());

/// Why somebody may not come in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Refused {
    /// The key is missing or wrong.
    WrongKey,
    /// There were too many wrong keys from this address lately, so no key is looked at for this long.
    TooManyAttempts(Duration),
}

/// Looks at the key that somebody shows.
pub(super) fn check(shared: &Shared, address: IpAddr, key: Option<&str>) -> Result<Authenticated, Refused> {
    let now = Instant::now();
    if let Some(wait) = shared.attempts.refused(address, now) {
        return Err(Refused::TooManyAttempts(wait));
    }
    // Who shows no key does not guess, and is not counted.
    let Some(key) = key else { return Err(Refused::WrongKey) };
    if shared.key.matches(key) {
        return Ok(Authenticated(()));
    }
    shared.attempts.failed_now(address, now);
    tracing::warn!(%address, "somebody showed a wrong key");
    Err(Refused::WrongKey)
}
