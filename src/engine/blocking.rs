//! Blocking reads of the store, and futures on a runtime of their own.

use std::sync::Arc;

use crate::process::{run_blocking, try_blocking};
use crate::store::{Store, StoreError};

/// Reads from a store.
pub(super) async fn blocking<T: Send + 'static>(
    store: &Arc<dyn Store>,
    read: impl FnOnce(&dyn Store) -> Result<T, StoreError> + Send + 'static,
) -> Result<T, StoreError> {
    let store = Arc::clone(store);
    let read = try_blocking(move || read(&*store)).await;
    read.map_err(|error| StoreError::Failed { why: error.to_string() })?
}

/// Runs a future on a thread and a runtime of its own. Nothing else in the engine waits for that
/// thread, and the future's timeouts do not depend on the engine's clock, which tests may pause.
pub(super) async fn on_own_runtime<T, F>(
    work: impl FnOnce() -> F + Send + 'static,
) -> std::io::Result<T>
where
    T: Send + 'static,
    F: Future<Output = T>,
{
    run_blocking(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        Ok(runtime.block_on(work()))
    })
    .await
}
