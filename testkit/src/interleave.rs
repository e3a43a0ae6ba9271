//! Forcing the order of events that a test is about, without waiting for time to pass.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::Poll;

/// Polls a future once and expects it to be pending.
///
/// A request to an engine is in the mailbox of its session after the first poll, so it comes before
/// whatever the test does next.
///
/// ```
/// use std::pin::pin;
/// use surefire_testkit::polled;
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let (sender, receiver) = tokio::sync::oneshot::channel();
/// let mut receiving = pin!(receiver);
/// polled(&mut receiving).await;
/// sender.send("a word").unwrap();
/// assert_eq!(receiving.await, Ok("a word"));
/// # });
/// ```
///
/// # Panics
/// If the future is done by then.
pub async fn polled<F: Future + Unpin>(future: &mut F) {
    poll_fn(|context| {
        assert!(Pin::new(&mut *future).poll(context).is_pending(), "nothing blocks the future");
        Poll::Ready(())
    })
    .await;
}

/// Polls a future, calls `release`, polls the future once more when it is woken, and expects it to
/// be pending still.
///
/// This is for a request for which the engine has to read from the store first: the test blocks
/// the read, and `release` unblocks it. After that, the request is in the mailbox of its session.
///
/// # Panics
/// If the future is done by then.
pub async fn polled_twice<F: Future + Unpin>(future: &mut F, release: impl FnOnce()) {
    let mut release = Some(release);
    poll_fn(|context| {
        assert!(Pin::new(&mut *future).poll(context).is_pending(), "nothing blocks the future");
        match release.take() {
            Some(release) => {
                release();
                Poll::Pending
            }
            None => Poll::Ready(()),
        }
    })
    .await;
}

/// How often tasks and blocking threads alternate until both are idle. No operation of an engine
/// needs as many.
const MAX_TURNS: usize = 50;

/// Lets all tasks of this runtime, and the blocking work that they spawn, proceed until only what a
/// test blocks is left.
///
/// # Panics
/// Outside of a runtime.
pub async fn settle() {
    for _ in 0..MAX_TURNS {
        tokio::task::yield_now().await;
        // The blocking threads take their work in order, so what was spawned earlier has begun by
        // then.
        tokio::task::spawn_blocking(|| ()).await.expect("it does nothing");
    }
}
