//! The slot of a connection, as its requests see it.

use std::sync::{Arc, Mutex, PoisonError};

use super::connection_limit::Slot;
use super::pool::Standing;

/// The slot of the connection that a request came over: a WebSocket takes it along.
#[derive(Clone)]
pub(in crate::server) struct PeerSlot(Arc<Mutex<Option<Slot>>>);

impl PeerSlot {
    pub(in crate::server) fn new(slot: Slot) -> Self {
        Self(Arc::new(Mutex::new(Some(slot))))
    }

    pub(in crate::server) fn take(&self) -> Option<Slot> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Notes how the connection stands, unless it has become a WebSocket.
    pub(in crate::server) fn note(&self, standing: Standing) {
        if let Some(slot) = &*self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            slot.note(standing);
        }
    }
}
