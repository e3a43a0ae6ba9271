//! Work that may block, on threads for such work, so that the runtime is not held up. What it logs is in the caller's span.

use std::sync::Arc;

use tracing::Span;

use crate::store::{Store, StoreError};

/// Reads from a store.
pub(super) async fn blocking<T: Send + 'static>(
    store: &Arc<dyn Store>,
    read: impl FnOnce(&dyn Store) -> Result<T, StoreError> + Send + 'static,
) -> Result<T, StoreError> {
    let store = Arc::clone(store);
    let span = Span::current();
    let read = tokio::task::spawn_blocking(move || span.in_scope(|| read(&*store))).await;
    read.map_err(|error| StoreError::Failed { why: error.to_string() })?
}

/// Looks at files, or changes them.
pub(super) async fn unblocked<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let span = Span::current();
    match tokio::task::spawn_blocking(move || span.in_scope(work)).await {
        Ok(done) => done,
        Err(error) => match error.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            // The runtime is gone, and this task with it.
            Err(_) => std::future::pending().await,
        },
    }
}

/// Runs a future on a thread and with a clock of its own, so that nothing else of the engine waits on the same thread, and
/// how long it may take does not depend on what the engine's clock is told.
pub(super) async fn on_a_clock_of_its_own<T, F>(
    work: impl FnOnce() -> F + Send + 'static,
) -> std::io::Result<T>
where
    T: Send + 'static,
    F: Future<Output = T>,
{
    unblocked(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        Ok(runtime.block_on(work()))
    })
    .await
}
