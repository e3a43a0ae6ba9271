//! The other side of a connection.

use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

use super::connection_limit::Slot;
use super::pool::Standing;

/// Who makes a request, as far as the connection tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Peer {
    pub(super) address: IpAddr,
    /// Whether it is a process of the user whom the server belongs to, on the same machine.
    pub(super) same_user: bool,
}

/// The slot of the connection that a request came over: a WebSocket takes it along.
#[derive(Clone)]
pub(super) struct PeerSlot(Arc<Mutex<Option<Slot>>>);

impl PeerSlot {
    pub(super) fn new(slot: Slot) -> Self {
        Self(Arc::new(Mutex::new(Some(slot))))
    }

    pub(super) fn take(&self) -> Option<Slot> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Notes how the connection stands, unless it has become a WebSocket.
    pub(super) fn note(&self, standing: Standing) {
        if let Some(slot) = &*self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            slot.note(standing);
        }
    }
}
