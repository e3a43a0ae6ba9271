//! A panic in the work for one session ends that work, and nothing else.

use std::any::Any;
use std::panic::AssertUnwindSafe;
use std::task::Poll;

/// Runs something to its end, or to its panic.
pub(super) async fn caught(work: impl Future<Output = ()>) -> Result<(), String> {
    let mut work = std::pin::pin!(work);
    std::future::poll_fn(move |context| {
        match std::panic::catch_unwind(AssertUnwindSafe(|| work.as_mut().poll(context))) {
            Ok(Poll::Ready(())) => Poll::Ready(Ok(())),
            Ok(Poll::Pending) => Poll::Pending,
            Err(panic) => Poll::Ready(Err(words_of(&*panic))),
        }
    })
    .await
}

fn words_of(panic: &(dyn Any + Send)) -> String {
    let literal = panic.downcast_ref::<&str>().map(|words| (*words).to_owned());
    let words = literal.or_else(|| panic.downcast_ref::<String>().cloned());
    words.unwrap_or_else(|| "a panic without a message".to_owned())
}
