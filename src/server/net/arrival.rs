//! From a connection that was accepted to one that has a slot.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout, timeout_at};

use super::connection_limit::Slot;
use super::descriptors::SocketBudget;
use super::first_request::{FirstRequest, inspect};
use super::peer::Peer;
use super::stream::Socket;
use crate::server::shared::Shared;

/// What became of a connection.
pub(in crate::server) enum Arrival {
    /// It has a slot, and has sent its first bytes.
    Admitted(Socket, Slot),
    /// No slot is free.
    Refused(Socket),
    /// The peer disconnected, or the server closed the connection.
    Gone,
}

/// Bounds the connections without a slot that are briefly kept open.
#[derive(Clone)]
pub(in crate::server) struct SlotlessLimits {
    /// Connections that are being rejected.
    pub(in crate::server) rejections: Arc<Semaphore>,
    /// Connections that were displaced before they sent anything, and may still send a request.
    displaced: Arc<Semaphore>,
}

impl SlotlessLimits {
    pub(in crate::server) fn new(budget: SocketBudget) -> Self {
        let semaphore = || Arc::new(Semaphore::new(budget.kept_without_slot()));
        Self { rejections: semaphore(), displaced: semaphore() }
    }
}

/// Finds a slot for a connection. `socket_permit` counts it among the sockets of unauthenticated
/// connections.
pub(in crate::server) async fn arrive(
    shared: &Shared,
    slotless: &SlotlessLimits,
    mut socket: Socket,
    peer: Peer,
    socket_permit: &mut Option<OwnedSemaphorePermit>,
) -> Arrival {
    loop {
        let slot = tokio::select! {
            slot = find_slot(shared, &mut socket, peer) => slot,
            () = shared.stopping.cancelled() => return Arrival::Gone,
        };
        let mut slot = match slot {
            Found::Slot(slot) => slot,
            Found::None => return Arrival::Refused(socket),
            Found::Gone => return Arrival::Gone,
        };
        let request_timeout = shared.limits.request_timeout;
        let sent_something = !socket.read_ahead().is_empty()
            || tokio::select! {
                biased;
                received = timeout(request_timeout, socket.read_more()) => match received {
                    Ok(true) => true,
                    Ok(false) | Err(_) => return Arrival::Gone,
                },
                () = slot.over().cancelled() => false,
            };
        if shared.stopping.is_cancelled() {
            return Arrival::Gone;
        }
        if sent_something && !slot.over().is_cancelled() {
            slot.note_activity();
            slot.keep(socket_permit.take());
            return Arrival::Admitted(socket, slot);
        }
        drop(slot);
        if sent_something {
            continue;
        }
        // It was displaced before it sent anything. A busy browser may send its request late, and
        // would show a broken page if it were rejected: it can have another slot once it does.
        let Ok(_displaced) = slotless.displaced.try_acquire() else { return Arrival::Gone };
        tokio::select! {
            () = shared.stopping.cancelled() => return Arrival::Gone,
            received = timeout(request_timeout, socket.read_more()) => {
                if !matches!(received, Ok(true)) {
                    return Arrival::Gone;
                }
            }
        }
    }
}

enum Found {
    Slot(Slot),
    None,
    Gone,
}

/// Waits for a slot, and reads meanwhile: a connection whose first request shows the key leaves the
/// queue for a pool of its own, and one whose peer has disconnected is dropped.
async fn find_slot(shared: &Shared, socket: &mut Socket, peer: Peer) -> Found {
    let found = |slot: Option<Slot>| slot.map_or(Found::None, Found::Slot);
    if peer.same_user {
        return found(shared.connections.admit_same_user().await);
    }
    let deadline = Instant::now() + shared.limits.request_timeout;
    let mut waiting = shared.connections.queue(peer);
    loop {
        let first = inspect(socket.read_ahead());
        if let Some(waiting) = waiting.as_ref().filter(|_| !socket.read_ahead().is_empty()) {
            waiting.note_activity();
        }
        let complete = match first {
            FirstRequest::WithKey(credentials) if credentials.are_valid(&shared.key) => {
                drop(waiting);
                return found(shared.connections.admit_with_key(peer).await);
            }
            FirstRequest::WithKey(_) | FirstRequest::WithoutKey => true,
            FirstRequest::Incomplete => false,
        };
        match &mut waiting {
            Some(waiting) => tokio::select! {
                biased;
                slot = waiting.granted() => return found(slot),
                received = socket.read_more(), if !complete => if !received {
                    return Found::Gone;
                },
            },
            // The client limit is reached, but a request that shows the key is still answered.
            None if complete => return Found::None,
            None => match timeout_at(deadline, socket.read_more()).await {
                Ok(true) => {}
                Ok(false) => return Found::Gone,
                Err(_) => return Found::None,
            },
        }
    }
}
