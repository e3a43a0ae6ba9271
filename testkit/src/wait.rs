//! Waiting for what another process or a server does, which nothing signals.

use std::time::{Duration, Instant};

/// The longest that anything may take. No test waits for it to pass.
pub(crate) const MAX_WAIT: Duration = Duration::from_secs(20);

/// How long to wait between two looks.
const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// Waits until something holds. It is looked at again and again, since nothing tells when it begins to hold.
///
/// # Panics
/// If it does not hold within twenty seconds.
pub async fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    eventually_async(what, async || holds()).await;
}

/// The same, where looking takes time of its own: asking a server, say.
///
/// # Panics
/// If it does not hold within twenty seconds.
pub async fn eventually_async(what: &str, mut holds: impl AsyncFnMut() -> bool) {
    let began = Instant::now();
    while !holds().await {
        assert!(began.elapsed() < MAX_WAIT, "it never came to be: {what}");
        tokio::time::sleep(POLL_INTERVAL).await;
    }
}
