//! Blocking work, on tokio's blocking threads. Its log lines keep the caller's span.

use std::any::Any;

use tokio::task::{JoinError, JoinHandle};
use tracing::Span;

type Erased = Box<dyn Any + Send>;

/// Runs a closure that may block.
///
/// # Errors
/// The closure panicked, or the runtime is shutting down.
pub(crate) async fn try_blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, JoinError> {
    let done = spawn(Box::new(move || Box::new(work()))).await?;
    Ok(*done.downcast().expect("the result has the type that the closure returns"))
}

/// Runs a closure that may block. A panic of the closure continues in the caller.
pub(crate) async fn run_blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> T {
    match try_blocking(work).await {
        Ok(done) => done,
        Err(error) => match error.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            // The runtime is shutting down and drops this task.
            Err(_) => std::future::pending().await,
        },
    }
}

/// Spawns all closures as one type of task: each type adds about 2,000 lines of LLVM code, and
/// there are about a hundred closures.
fn spawn(work: Box<dyn FnOnce() -> Erased + Send>) -> JoinHandle<Erased> {
    let span = Span::current();
    tokio::task::spawn_blocking(move || span.in_scope(work))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_result_of_any_type_is_returned_and_a_panic_continues_in_the_caller() {
        let (number, text) = (run_blocking(|| 7).await, run_blocking(|| "seven".to_owned()).await);
        assert_eq!((number, text.as_str()), (7, "seven"));
        let panicking = tokio::spawn(run_blocking(|| panic!("on purpose")));
        let panic = panicking.await.unwrap_err().into_panic();
        assert_eq!(panic.downcast_ref(), Some(&"on purpose"));
        assert!(try_blocking(|| panic!("on purpose")).await.unwrap_err().is_panic());
    }
}
