//! Bringing things into the order that a test is about, without waiting for time to pass.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::Poll;

/// Polls a future so many times, each time but the first once it was woken; it is not done then.
///
/// A request to an engine is in the mailbox of its session after the first poll, or after the second where the engine looks
/// for a run in the store first. So a test knows that it comes before whatever the test does next.
///
/// ```
/// use std::pin::pin;
/// use surefire_testkit::polled;
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let (sender, receiver) = tokio::sync::oneshot::channel();
/// let mut receiving = pin!(receiver);
/// polled(&mut receiving, 1).await;
/// sender.send("a word").unwrap();
/// assert_eq!(receiving.await, Ok("a word"));
/// # });
/// ```
///
/// # Panics
/// If the future is done by then.
pub async fn polled<F: Future + Unpin>(future: &mut F, times: usize) {
    let mut left = times;
    poll_fn(|context| {
        assert!(Pin::new(&mut *future).poll(context).is_pending(), "nothing holds it up");
        left -= 1;
        if left == 0 { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
}

/// How often tasks and blocking threads take turns until nothing is left to do. Nothing in an engine takes as many.
const MAX_TURNS: usize = 50;

/// Lets all tasks of this runtime do what they can, and what they hand to blocking threads be taken up there, until only what
/// a test holds up is left.
pub async fn settle() {
    for _ in 0..MAX_TURNS {
        tokio::task::yield_now().await;
        // The threads take their work in order, so what was handed over before has been taken up then.
        tokio::task::spawn_blocking(|| ()).await.expect("it does nothing");
    }
}
