//! Reading from a store, which may block.

use std::sync::Arc;

use crate::store::{Store, StoreError};

/// Reads on a thread that may block, so that the runtime is not held up.
pub(super) async fn blocking<T: Send + 'static>(
    store: &Arc<dyn Store>,
    read: impl FnOnce(&dyn Store) -> Result<T, StoreError> + Send + 'static,
) -> Result<T, StoreError> {
    let store = Arc::clone(store);
    let read = tokio::task::spawn_blocking(move || read(&*store)).await;
    read.map_err(|error| StoreError::Failed { why: error.to_string() })?
}
