//! How many clients want to be sent how runs are shown.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How many clients want to be sent views. Where none does, none is made.
#[derive(Debug, Clone, Default)]
pub(in crate::server) struct Viewers(Arc<AtomicUsize>);

impl Viewers {
    /// One more, for as long as what is returned is there.
    pub(in crate::server) fn enter(&self) -> Viewing {
        self.0.fetch_add(1, Ordering::SeqCst);
        Viewing(Arc::clone(&self.0))
    }

    pub(super) fn is_any(&self) -> bool {
        self.0.load(Ordering::SeqCst) > 0
    }
}

/// A client that wants to be sent views.
#[derive(Debug)]
pub(in crate::server) struct Viewing(Arc<AtomicUsize>);

impl Drop for Viewing {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}
