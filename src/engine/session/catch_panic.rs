//! Catching a panic, so that it ends the work for one session and nothing else.

use std::any::Any;
use std::panic::AssertUnwindSafe;
use std::task::Poll;

/// Runs a future until it completes or panics. The error is the panic's message.
pub(super) async fn catch_panic(work: impl Future<Output = ()>) -> Result<(), String> {
    let mut work = std::pin::pin!(work);
    std::future::poll_fn(move |context| {
        match std::panic::catch_unwind(AssertUnwindSafe(|| work.as_mut().poll(context))) {
            Ok(Poll::Ready(())) => Poll::Ready(Ok(())),
            Ok(Poll::Pending) => Poll::Pending,
            Err(panic) => Poll::Ready(Err(panic_message(&*panic))),
        }
    })
    .await
}

fn panic_message(panic: &(dyn Any + Send)) -> String {
    let literal = panic.downcast_ref::<&str>().map(|words| (*words).to_owned());
    let words = literal.or_else(|| panic.downcast_ref::<String>().cloned());
    words.unwrap_or_else(|| "a panic without a message".to_owned())
}
