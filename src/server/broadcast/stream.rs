//! One ordered stream of the broadcast: the clients in it, and what was last told in it about each session's runs.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::update::{Audience, ClientId, Frame, Meaning, Update};
use crate::run::SessionId;
use crate::server::limits::ServerLimits;

/// For how long the end of a run is told to those who come, in milliseconds.
pub(in crate::server) const DAY: u64 = 24 * 60 * 60 * 1000;

/// How many sessions are remembered at most. Those that ended longest ago are forgotten first.
const MAX_REMEMBERED: usize = 1024;

#[derive(Default)]
pub(super) struct Stream {
    clients: HashMap<ClientId, Outbox>,
    /// What was last told of each session's runs.
    latest: HashMap<SessionId, Latest>,
}

/// What a client is told of a session when it comes.
struct Latest {
    frame: Frame,
    /// When the run ended, in milliseconds since 1970; `None` while it goes on.
    ended_at: Option<u64>,
}

impl Stream {
    /// Lets a client in, and gives back what it has to know about runs.
    pub(super) fn enter(&mut self, client: ClientId, outbox: Outbox, now: u64) -> Vec<Frame> {
        self.forget_before(now.saturating_sub(DAY));
        self.clients.insert(client, outbox);
        self.latest.values().map(|latest| latest.frame.clone()).collect()
    }

    pub(super) fn leave(&mut self, client: ClientId) {
        self.clients.remove(&client);
    }

    pub(super) fn remember(&mut self, session: SessionId, frame: Frame, ended_at: Option<u64>) {
        self.latest.insert(session, Latest { frame, ended_at });
    }

    /// The sessions whose run goes on, as far as it was told.
    pub(super) fn going_on(&self) -> impl Iterator<Item = SessionId> {
        self.latest.iter().filter(|(_, latest)| latest.ended_at.is_none()).map(|(session, _)| *session)
    }

    /// Sends something about the runs of a session.
    pub(super) fn send(&mut self, audience: Audience, session: SessionId, update: &Update, at: u64) {
        if let (Audience::Everybody, Update::Told(frame, meaning)) = (audience, update) {
            match meaning {
                Meaning::Started => self.remember(session, frame.clone(), None),
                Meaning::Exited => self.remember(session, frame.clone(), Some(at)),
                Meaning::Other => {}
            }
        }
        if !self.is_outdated(session, update) {
            self.deliver(audience, update);
        }
        if self.latest.len() > MAX_REMEMBERED {
            self.forget_before(at.saturating_sub(DAY));
            self.forget_the_oldest();
        }
    }

    pub(super) fn deliver(&mut self, audience: Audience, update: &Update) {
        match audience {
            Audience::Everybody => self.clients.retain(|_, outbox| outbox.put(update.clone())),
            Audience::Only(client) => {
                if self.clients.get(&client).is_some_and(|outbox| !outbox.put(update.clone())) {
                    self.clients.remove(&client);
                }
            }
        }
    }

    /// Whether one client was to be shown that a run goes on, or that none does, and meanwhile everybody was told otherwise.
    fn is_outdated(&self, session: SessionId, update: &Update) -> bool {
        let is_over = self.latest.get(&session).map(|latest| latest.ended_at.is_some());
        match update.meaning() {
            Meaning::Started => is_over == Some(true),
            Meaning::Exited => is_over == Some(false),
            Meaning::Other => false,
        }
    }

    /// Forgets the older half of the ends that are remembered, if there are still too many.
    fn forget_the_oldest(&mut self) {
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

/// Where a client's updates wait until it reads them.
pub(in crate::server) struct Inbox {
    updates: mpsc::Receiver<Update>,
    bytes: Arc<AtomicUsize>,
}

impl Inbox {
    pub(in crate::server) async fn next(&mut self) -> Option<Update> {
        let update = self.updates.recv().await;
        self.taken(update)
    }

    /// The next update, if it is there already.
    pub(in crate::server) fn try_next(&mut self) -> Option<Update> {
        let update = self.updates.try_recv().ok();
        self.taken(update)
    }

    fn taken(&self, update: Option<Update>) -> Option<Update> {
        let update = update?;
        self.bytes.fetch_sub(update.size(), Ordering::Relaxed);
        Some(update)
    }
}

/// Makes both ends of a client's inbox. `over` is set when the client has to go, because it is too slow.
pub(super) fn inbox(limits: &ServerLimits, over: CancellationToken) -> (Outbox, Inbox) {
    let (updates, receiver) = mpsc::channel(limits.queue.max(1));
    let bytes = Arc::<AtomicUsize>::default();
    let inbox = Inbox { updates: receiver, bytes: Arc::clone(&bytes) };
    (Outbox { updates, bytes, most_bytes: limits.queue_bytes, over }, inbox)
}

/// The other end of an inbox.
pub(super) struct Outbox {
    updates: mpsc::Sender<Update>,
    bytes: Arc<AtomicUsize>,
    most_bytes: usize,
    /// Set when the client is too slow, and has to go.
    over: CancellationToken,
}

impl Outbox {
    /// `false` where the client is too slow: it is not waited for, since all others would wait as well.
    pub(super) fn put(&self, update: Update) -> bool {
        let size = update.size();
        let waiting = self.bytes.fetch_add(size, Ordering::Relaxed);
        // One message may be as large as it is; what adds up is what counts.
        let room = waiting == 0 || waiting + size <= self.most_bytes;
        let kept = room && self.updates.try_send(update).is_ok();
        if !kept {
            self.over.cancel();
        }
        kept
    }
}
