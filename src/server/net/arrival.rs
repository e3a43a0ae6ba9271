//! From a connection that was accepted to one that has a slot.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout, timeout_at};

use super::connection_limit::Slot;
use super::descriptors::SocketBudget;
use super::first_request::{FirstRequest, look};
use super::peer::Peer;
use super::stream::Socket;
use crate::server::shared::Shared;

/// What became of a connection.
pub(in crate::server) enum Arrival {
    /// It has a slot, and has said something.
    Admitted(Socket, Slot),
    /// There is no slot for it.
    Refused(Socket),
    /// It has left, or had to.
    Gone,
}

/// How many connections without a slot are kept for a moment.
#[derive(Clone)]
pub(in crate::server) struct KeptForAMoment {
    /// Those that are told that there is none.
    pub(in crate::server) rejections: Arc<Semaphore>,
    /// Those that were displaced before they said anything, and may still say it.
    displaced: Arc<Semaphore>,
}

impl KeptForAMoment {
    pub(in crate::server) fn new(budget: SocketBudget) -> Self {
        let semaphore = || Arc::new(Semaphore::new(budget.kept_without_slot()));
        Self { rejections: semaphore(), displaced: semaphore() }
    }
}

/// Finds a slot for a connection. `counted` is its part of the sockets that connections without the key may have.
pub(in crate::server) async fn arrive(
    shared: &Shared,
    kept: &KeptForAMoment,
    mut socket: Socket,
    peer: Peer,
    counted: &mut Option<OwnedSemaphorePermit>,
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
        let patience = shared.limits.request_time;
        let said_something = !socket.heard().is_empty()
            || tokio::select! {
                biased;
                heard = timeout(patience, socket.hear_more()) => match heard {
                    Ok(true) => true,
                    Ok(false) | Err(_) => return Arrival::Gone,
                },
                () = slot.over().cancelled() => false,
            };
        if shared.stopping.is_cancelled() {
            return Arrival::Gone;
        }
        if said_something && !slot.over().is_cancelled() {
            slot.note_speech();
            slot.keep(counted.take());
            return Arrival::Admitted(socket, slot);
        }
        drop(slot);
        if said_something {
            continue;
        }
        // It was displaced before it said anything. A busy browser may do that late, and would show a broken page if it were
        // turned away for good: it can have another slot once it does.
        let Ok(_displaced) = kept.displaced.try_acquire() else { return Arrival::Gone };
        tokio::select! {
            () = shared.stopping.cancelled() => return Arrival::Gone,
            heard = timeout(patience, socket.hear_more()) => if !matches!(heard, Ok(true)) { return Arrival::Gone },
        }
    }
}

enum Found {
    Slot(Slot),
    None,
    Gone,
}

/// Waits for a slot, and listens meanwhile: one whose request shows the key waits no longer, and one that has left not at all.
async fn find_slot(shared: &Shared, socket: &mut Socket, peer: Peer) -> Found {
    let found = |slot: Option<Slot>| slot.map_or(Found::None, Found::Slot);
    if peer.same_user {
        return found(shared.connections.admit_same_user().await);
    }
    let deadline = Instant::now() + shared.limits.request_time;
    let mut waiting = shared.connections.queue(peer);
    loop {
        let first = look(socket.heard());
        if let Some(waiting) = waiting.as_ref().filter(|_| !socket.heard().is_empty()) {
            waiting.note_speech();
        }
        let complete = match first {
            FirstRequest::WithKey(key) if shared.key.matches(key) => {
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
                heard = socket.hear_more(), if !complete => if !heard {
                    return Found::Gone;
                },
            },
            // There are as many clients as there may be. A request that shows the key is answered all the same.
            None if complete => return Found::None,
            None => match timeout_at(deadline, socket.hear_more()).await {
                Ok(true) => {}
                Ok(false) => return Found::Gone,
                Err(_) => return Found::None,
            },
        }
    }
}
