//! The slot of a connection, as its requests see it.

use std::sync::{Arc, Mutex, PoisonError};

use super::connection_limit::Slot;
use super::pool::Standing;

/// The slot of a request's connection. A WebSocket takes it.
#[derive(Clone)]
pub(in crate::server) struct PeerSlot(Arc<Mutex<Option<Slot>>>);

impl PeerSlot {
    pub(in crate::server) fn new(slot: Slot) -> Self {
        Self(Arc::new(Mutex::new(Some(slot))))
    }

    pub(in crate::server) fn take(&self) -> Option<Slot> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Records the connection's standing, unless it has become a WebSocket.
    pub(in crate::server) fn note(&self, standing: Standing) {
        if let Some(slot) = &*self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            slot.note(standing);
        }
    }
}
