//! Waiting for what another process or a server does without a notification.

use std::time::{Duration, Instant};

/// The time limit of every wait. A test that reaches it fails.
pub(crate) const MAX_WAIT: Duration = Duration::from_secs(20);

/// How long to wait between two polls.
const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// Polls until a condition holds.
///
/// # Panics
/// If it does not hold within twenty seconds.
pub async fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    eventually_async(what, async || holds()).await;
}

/// The same for a condition that takes time to evaluate, such as a request to a server.
///
/// # Panics
/// If it does not hold within twenty seconds.
pub async fn eventually_async(what: &str, mut holds: impl AsyncFnMut() -> bool) {
    let began = Instant::now();
    while !holds().await {
        assert!(began.elapsed() < MAX_WAIT, "it never held: {what}");
        tokio::time::sleep(POLL_INTERVAL).await;
    }
}
