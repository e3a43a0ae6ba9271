//! One ordered stream of the broadcast: its clients, and the latest update about each session's
//! runs.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::update::{Audience, ClientId, ClientUpdate, Frame, FrameKind};
use crate::run::SessionId;
use crate::server::limits::ServerLimits;

/// For how long the end of a run is sent to clients that connect, in milliseconds.
pub(in crate::server) const DAY_MS: u64 = 24 * 60 * 60 * 1000;

/// How many sessions are remembered at most. The earliest ends are dropped first.
const MAX_REMEMBERED: usize = 1024;

#[derive(Default)]
pub(super) struct Stream {
    clients: HashMap<ClientId, Outbox>,
    /// The latest update about each session's runs.
    latest: HashMap<SessionId, Latest>,
}

/// What a client that connects is sent about a session.
struct Latest {
    frame: Frame,
    /// When the run ended, in milliseconds since 1970; `None` while it is running.
    ended_at: Option<u64>,
}

impl Stream {
    /// Adds a client, and returns the latest about each run.
    pub(super) fn enter(&mut self, client: ClientId, outbox: Outbox, now: u64) -> Vec<Frame> {
        self.forget_before(now.saturating_sub(DAY_MS));
        self.clients.insert(client, outbox);
        self.latest.values().map(|latest| latest.frame.clone()).collect()
    }

    pub(super) fn leave(&mut self, client: ClientId) {
        self.clients.remove(&client);
    }

    pub(super) fn remember(&mut self, session: SessionId, frame: Frame, ended_at: Option<u64>) {
        self.latest.insert(session, Latest { frame, ended_at });
    }

    /// The sessions with a running run, as published.
    pub(super) fn running(&self) -> impl Iterator<Item = SessionId> {
        self.latest
            .iter()
            .filter(|(_, latest)| latest.ended_at.is_none())
            .map(|(session, _)| *session)
    }

    /// Sends something about the runs of a session.
    pub(super) fn send(
        &mut self,
        audience: Audience,
        session: SessionId,
        update: &ClientUpdate,
        at: u64,
    ) {
        if let (Audience::All, ClientUpdate::Message(frame, kind)) = (audience, update) {
            match kind {
                FrameKind::Started => self.remember(session, frame.clone(), None),
                FrameKind::Exited => self.remember(session, frame.clone(), Some(at)),
                FrameKind::Other => {}
            }
        }
        if !self.is_outdated(session, update) {
            self.deliver(audience, update);
        }
        if self.latest.len() > MAX_REMEMBERED {
            self.forget_before(at.saturating_sub(DAY_MS));
            self.forget_oldest();
        }
    }

    pub(super) fn deliver(&mut self, audience: Audience, update: &ClientUpdate) {
        match audience {
            Audience::All => self.clients.retain(|_, outbox| outbox.put(update.clone())),
            Audience::Only(client) => {
                if self.clients.get(&client).is_some_and(|outbox| !outbox.put(update.clone())) {
                    self.clients.remove(&client);
                }
            }
        }
    }

    /// Whether an update for one client was overtaken: it says that a run is running, or that none
    /// is, and all clients have been sent the opposite since.
    fn is_outdated(&self, session: SessionId, update: &ClientUpdate) -> bool {
        let is_over = self.latest.get(&session).map(|latest| latest.ended_at.is_some());
        match update.kind() {
            FrameKind::Started => is_over == Some(true),
            FrameKind::Exited => is_over == Some(false),
            FrameKind::Other => false,
        }
    }

    /// Drops the older half of the remembered ends, if there are still too many.
    fn forget_oldest(&mut self) {
        if self.latest.len() <= MAX_REMEMBERED {
            return;
        }
        let mut ends: Vec<_> = self.latest.values().filter_map(|latest| latest.ended_at).collect();
        let middle = ends.len() / 2;
        if middle > 0 {
            let (_, &mut middle, _) = ends.select_nth_unstable(middle);
            self.forget_before(middle);
        }
    }

    fn forget_before(&mut self, time: u64) {
        self.latest.retain(|_, latest| latest.ended_at.is_none_or(|ended| ended >= time));
    }
}

/// A client's queued updates.
pub(in crate::server) struct Inbox {
    updates: mpsc::Receiver<ClientUpdate>,
    bytes: Arc<AtomicUsize>,
}

impl Inbox {
    pub(in crate::server) async fn next(&mut self) -> Option<ClientUpdate> {
        let update = self.updates.recv().await;
        self.taken(update)
    }

    /// The next update, if one is queued.
    pub(in crate::server) fn try_next(&mut self) -> Option<ClientUpdate> {
        let update = self.updates.try_recv().ok();
        self.taken(update)
    }

    fn taken(&self, update: Option<ClientUpdate>) -> Option<ClientUpdate> {
        let update = update?;
        self.bytes.fetch_sub(update.size(), Ordering::Relaxed);
        Some(update)
    }
}

/// Creates both ends of a client's inbox. `over` is set when the client has to be disconnected
/// because it is too slow.
pub(super) fn inbox(limits: &ServerLimits, over: CancellationToken) -> (Outbox, Inbox) {
    let (updates, receiver) = mpsc::channel(limits.max_queued_messages.max(1));
    let bytes = Arc::<AtomicUsize>::default();
    let inbox = Inbox { updates: receiver, bytes: Arc::clone(&bytes) };
    (Outbox { updates, bytes, most_bytes: limits.max_queued_bytes, over }, inbox)
}

/// The sending end of an inbox.
pub(super) struct Outbox {
    updates: mpsc::Sender<ClientUpdate>,
    bytes: Arc<AtomicUsize>,
    most_bytes: usize,
    /// Set when the client is too slow and has to be disconnected.
    over: CancellationToken,
}

impl Outbox {
    /// `false` if the client is too slow. It is not waited for, since all others would wait too.
    pub(super) fn put(&self, update: ClientUpdate) -> bool {
        let size = update.size();
        let waiting = self.bytes.fetch_add(size, Ordering::Relaxed);
        // A single message may have any size; the total is bounded.
        let room = waiting == 0 || waiting + size <= self.most_bytes;
        let kept = room && self.updates.try_send(update).is_ok();
        if !kept {
            self.over.cancel();
        }
        kept
    }
}
