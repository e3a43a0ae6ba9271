//! Bringing things into the order that a test is about, without waiting for time to pass.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::Poll;

/// Polls a future once; it is not done then.
///
/// A request to an engine is in the mailbox of its session after the first poll. So a test knows that it comes before whatever
/// the test does next.
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
        assert!(Pin::new(&mut *future).poll(context).is_pending(), "nothing holds it up");
        Poll::Ready(())
    })
    .await;
}

/// Polls a future, does what lets it go on, and polls it once more when it is woken; it is not done then, either.
///
/// This is for a request that the engine has to read something for first: the test holds up the read, and `let_go` lets it go
/// on. After that the request is in the mailbox of its session.
///
/// # Panics
/// If the future is done by then.
pub async fn polled_twice<F: Future + Unpin>(future: &mut F, let_go: impl FnOnce()) {
    let mut let_go = Some(let_go);
    poll_fn(|context| {
        assert!(Pin::new(&mut *future).poll(context).is_pending(), "nothing holds it up");
        match let_go.take() {
            Some(let_go) => {
                let_go();
                Poll::Pending
            }
            None => Poll::Ready(()),
        }
    })
    .await;
}

/// How often tasks and blocking threads take turns until nothing is left to do. Nothing in an engine takes as many.
const MAX_TURNS: usize = 50;

/// Lets all tasks of this runtime do what they can, and what they hand to blocking threads be taken up there, until only what
/// a test holds up is left.
///
/// # Panics
/// Outside of a runtime.
pub async fn settle() {
    for _ in 0..MAX_TURNS {
        tokio::task::yield_now().await;
        // The threads take their work in order, so what was handed over before has been taken up then.
        tokio::task::spawn_blocking(|| ()).await.expect("it does nothing");
    }
}
