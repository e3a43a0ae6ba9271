//! Counts the clients that announced `view`.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The number of clients that announced `view`. While there are none, no views are built.
#[derive(Debug, Clone, Default)]
pub(in crate::server) struct Viewers(Arc<AtomicUsize>);

impl Viewers {
    /// Counts one more client, until the returned guard is dropped.
    pub(in crate::server) fn enter(&self) -> Viewing {
        self.0.fetch_add(1, Ordering::SeqCst);
        Viewing(Arc::clone(&self.0))
    }

    pub(super) fn is_any(&self) -> bool {
        self.0.load(Ordering::SeqCst) > 0
    }
}

/// A guard that counts one client that announced `view`.
#[derive(Debug)]
pub(in crate::server) struct Viewing(Arc<AtomicUsize>);

impl Drop for Viewing {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}
