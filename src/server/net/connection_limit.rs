//! Limits the number of connections, and decides which of them get a slot.
//!
//! Authenticated clients are counted separately, so no other connection can use up their slots. All
//! other connections share the slots of a [pool](super::pool): there is one for loopback addresses,
//! one for other machines, and one for connections whose first request shows the key. Processes of
//! the same user connect over a [socket of their own](super::same_user) and are in none of these.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore, oneshot};
use tokio::time::{Instant, sleep_until, timeout, timeout_at};
use tokio_util::sync::CancellationToken;

use super::descriptors::SocketBudget;
use super::network::Network;
use super::peer::Peer;
use super::pool::{Pool, Standing, Ticket};
use crate::server::limits::ServerLimits;
use crate::server::socket::outgoing_frames::CloseReason;

/// How many connections processes of the same user may have, whatever the limits say: the
/// `surefire` command uses these.
const MAX_SAME_USER: usize = 64;

/// The connections of a server.
pub(in crate::server) struct ConnectionLimit {
    limits: ServerLimits,
    state: Mutex<State>,
    /// Notified when a connection is queued, since it may get a slot when a grace period ends.
    queued: Arc<Notify>,
    sockets: Arc<Semaphore>,
    same_user: Arc<Semaphore>,
    stopping: CancellationToken,
}

struct State {
    authenticated: usize,
    next: Ticket,
    loopback: Pool,
    remote: Pool,
    with_key: Pool,
}

impl State {
    fn pool(&mut self, pool_kind: PoolKind) -> &mut Pool {
        match pool_kind {
            PoolKind::Loopback => &mut self.loopback,
            PoolKind::Remote => &mut self.remote,
            PoolKind::WithKey => &mut self.with_key,
        }
    }

    fn grant(&mut self, now: Instant) -> Option<Instant> {
        let pools = [&mut self.loopback, &mut self.remote, &mut self.with_key];
        pools.into_iter().filter_map(|pool| pool.grant(now)).min()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PoolKind {
    Loopback,
    Remote,
    /// The first request has shown the key. Other connections cannot take these slots.
    WithKey,
}

/// A connection's slot. It is released when this is dropped.
pub(in crate::server) struct Slot {
    limit: Arc<ConnectionLimit>,
    kind: SlotKind,
    over: CancellationToken,
    /// Counts it among the sockets of unauthenticated connections.
    socket: Option<OwnedSemaphorePermit>,
}

enum SlotKind {
    Unauthenticated(PoolKind, Ticket),
    Authenticated,
    SameUser { _permit: OwnedSemaphorePermit },
}

/// A connection that waits for its slot.
pub(in crate::server) struct Waiting {
    /// Taken when it is granted.
    slot: Option<Slot>,
    granted: oneshot::Receiver<()>,
    deadline: Instant,
}

impl ConnectionLimit {
    /// Has to be called within a Tokio runtime, because it spawns a task.
    pub(in crate::server) fn new(
        limits: &ServerLimits,
        budget: SocketBudget,
        stopping: CancellationToken,
    ) -> Arc<Self> {
        let pool = |size| Pool::new(size, limits.unauthenticated_grace, limits.request_timeout / 2);
        let limit = Arc::new(Self {
            limits: limits.clone(),
            state: Mutex::new(State {
                authenticated: 0,
                next: 0,
                loopback: pool(budget.slots),
                remote: pool(budget.slots),
                with_key: pool(limits.max_connections),
            }),
            queued: Arc::default(),
            sockets: Arc::new(Semaphore::new(budget.sockets)),
            same_user: Arc::new(Semaphore::new(MAX_SAME_USER)),
            stopping,
        });
        tokio::spawn(grant_in_time(Arc::downgrade(&limit), Arc::clone(&limit.queued)));
        limit
    }

    /// Waits until one more unauthenticated connection is allowed. Until it is accepted, it stays
    /// in the listener's backlog.
    pub(in crate::server) async fn socket(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.sockets).acquire_owned().await.ok()
    }

    /// Whether new connections have to wait until others are closed.
    pub(in crate::server) fn is_crowded(&self) -> bool {
        self.sockets.available_permits() == 0
    }

    /// A slot for a process of the same user, if there is one or one becomes free in time.
    pub(in crate::server) async fn admit_same_user(self: &Arc<Self>) -> Option<Slot> {
        let free = Arc::clone(&self.same_user).acquire_owned();
        let permit = timeout(self.limits.request_timeout, free).await.ok()?.ok()?;
        let kind = SlotKind::SameUser { _permit: permit };
        Some(Slot {
            limit: Arc::clone(self),
            kind,
            over: self.stopping.child_token(),
            socket: None,
        })
    }

    /// A slot for a connection whose first request has shown the key, if there is one or one
    /// becomes free in time.
    pub(in crate::server) async fn admit_with_key(self: &Arc<Self>, peer: Peer) -> Option<Slot> {
        let mut waiting = self.queue_in(PoolKind::WithKey, peer);
        if let Some(slot) = &waiting.slot {
            slot.note(Standing::Keyed);
        }
        waiting.granted().await
    }

    /// Queues a connection for a slot, unless there are so many clients that waiting is useless.
    pub(in crate::server) fn queue(self: &Arc<Self>, peer: Peer) -> Option<Waiting> {
        if self.lock().authenticated >= self.limits.max_connections.max(1) {
            return None;
        }
        let is_loopback = Network::of(peer.address).is_loopback();
        Some(self.queue_in(if is_loopback { PoolKind::Loopback } else { PoolKind::Remote }, peer))
    }

    fn queue_in(self: &Arc<Self>, pool_kind: PoolKind, peer: Peer) -> Waiting {
        let (now, over) = (Instant::now(), self.stopping.child_token());
        let mut state = self.lock();
        let ticket = state.next;
        state.next += 1;
        let granted = state.pool(pool_kind).queue(ticket, Network::of(peer.address), now, &over);
        drop(state);
        self.grant(pool_kind);
        let kind = SlotKind::Unauthenticated(pool_kind, ticket);
        let slot = Slot { limit: Arc::clone(self), kind, over, socket: None };
        Waiting { slot: Some(slot), granted, deadline: now + self.limits.request_timeout }
    }

    /// Grants a pool's slots to queued connections. `grant_in_time` grants those that become free
    /// when a grace period ends.
    fn grant(&self, pool_kind: PoolKind) {
        if self.lock().pool(pool_kind).grant(Instant::now()).is_some() {
            self.queued.notify_one();
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Grants slots to queued connections when a grace period ends.
async fn grant_in_time(limit: Weak<ConnectionLimit>, queued: Arc<Notify>) {
    loop {
        let next = match limit.upgrade() {
            Some(limit) => limit.lock().grant(Instant::now()),
            None => return,
        };
        match next {
            Some(next) => tokio::select! {
                () = sleep_until(next) => {}
                () = queued.notified() => {}
            },
            None => queued.notified().await,
        }
    }
}

impl Drop for ConnectionLimit {
    fn drop(&mut self) {
        self.queued.notify_one();
    }
}

impl Waiting {
    /// Records that the connection has sent something.
    pub(in crate::server) fn note_activity(&self) {
        if let Some(slot) = &self.slot {
            slot.note_activity();
        }
    }

    /// The slot; `None` if none became free in time. Cancel-safe: if this is dropped early, it can
    /// be awaited again.
    pub(in crate::server) async fn granted(&mut self) -> Option<Slot> {
        timeout_at(self.deadline, &mut self.granted).await.ok()?.ok()?;
        self.slot.take()
    }
}

impl Slot {
    /// Cancelled when the connection has to close: it was displaced, or the server is stopping.
    pub(in crate::server) const fn over(&self) -> &CancellationToken {
        &self.over
    }

    /// Holds the connection's socket permit until it is authenticated or closed.
    pub(in crate::server) fn keep(&mut self, socket: Option<OwnedSemaphorePermit>) {
        let counted = match self.kind {
            SlotKind::Unauthenticated(PoolKind::Loopback | PoolKind::Remote, _) => true,
            SlotKind::Unauthenticated(PoolKind::WithKey, _)
            | SlotKind::Authenticated
            | SlotKind::SameUser { .. } => false,
        };
        self.socket = socket.filter(|_| counted);
    }

    /// Records that the connection has sent something.
    pub(in crate::server) fn note_activity(&self) {
        if let SlotKind::Unauthenticated(pool_kind, ticket) = self.kind {
            self.limit.lock().pool(pool_kind).note_activity(ticket);
        }
    }

    /// Records the connection's standing.
    pub(in crate::server) fn note(&self, standing: Standing) {
        if let SlotKind::Unauthenticated(pool_kind, ticket) = self.kind {
            self.limit.lock().pool(pool_kind).note(ticket, standing, Instant::now());
            if standing == Standing::Answered {
                self.limit.grant(pool_kind);
            }
        }
    }

    /// Makes it the slot of an authenticated client.
    ///
    /// # Errors
    /// Why the client has to reconnect: the client limit is reached, or this connection was
    /// displaced just now.
    pub(in crate::server) fn authenticate(&mut self) -> Result<(), CloseReason> {
        let SlotKind::Unauthenticated(pool_kind, ticket) = self.kind else { return Ok(()) };
        let mut state = self.limit.lock();
        if !state.pool(pool_kind).holds(ticket) {
            return Err(CloseReason::DISPLACED);
        }
        if state.authenticated >= self.limit.limits.max_connections.max(1) {
            return Err(CloseReason::FULL);
        }
        state.authenticated += 1;
        state.pool(pool_kind).leave(ticket);
        drop(state);
        self.kind = SlotKind::Authenticated;
        self.socket = None;
        self.limit.grant(pool_kind);
        Ok(())
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        match self.kind {
            SlotKind::Unauthenticated(pool_kind, ticket) => {
                self.limit.lock().pool(pool_kind).leave(ticket);
                self.limit.grant(pool_kind);
            }
            SlotKind::Authenticated => self.limit.lock().authenticated -= 1,
            SlotKind::SameUser { .. } => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn limit(limits: &ServerLimits) -> Arc<ConnectionLimit> {
        let budget = SocketBudget::new(limits, 16_384);
        ConnectionLimit::new(limits, budget, CancellationToken::new())
    }

    fn peer(address: &str) -> Peer {
        Peer { address: address.parse().unwrap(), same_user: false }
    }

    /// A slot for a connection that sends something as soon as it is open.
    async fn admit(limit: &Arc<ConnectionLimit>, address: &str) -> Option<Slot> {
        let mut waiting = limit.queue(peer(address))?;
        waiting.note_activity();
        waiting.granted().await
    }

    const LOCAL: &str = "127.0.0.1";
    const REMOTE: &str = "10.0.0.1";

    #[tokio::test(start_paused = true)]
    async fn a_connection_waits_for_the_grace_period_of_another_and_then_has_its_own() {
        let limits = ServerLimits { max_unauthenticated: 1, ..ServerLimits::default() };
        let (grace, limit) = (limits.unauthenticated_grace, limit(&limits));
        let first = admit(&limit, REMOTE).await.unwrap();
        let began = Instant::now();
        let second = admit(&limit, REMOTE).await.unwrap();
        let waited = began.elapsed();
        assert!(waited >= grace && waited < grace * 2 && first.over().is_cancelled(), "{waited:?}");
        let third = admit(&limit, REMOTE).await.unwrap();
        let waited = began.elapsed();
        assert!(
            waited >= grace * 2 && waited < grace * 3 && second.over().is_cancelled(),
            "{waited:?}"
        );
        drop((first, second));
        assert!(!third.over().is_cancelled());
        assert_eq!(limit.lock().grant(Instant::now()), None, "no connection is queued");
    }

    /// Reopens a connection as soon as it is closed, and never shows a key. Unless `sends`, it
    /// sends nothing at all.
    async fn attack(limit: Arc<ConnectionLimit>, from: &'static str, sends: bool) {
        loop {
            // The server accepts no more connections than this.
            let _socket = limit.socket().await;
            let waiting = limit.queue(peer(from));
            let slot = match waiting {
                Some(mut waiting) => {
                    if sends {
                        waiting.note_activity();
                    }
                    waiting.granted().await
                }
                None => None,
            };
            match slot {
                Some(slot) => slot.over().cancelled().await,
                None => tokio::time::sleep(Duration::from_millis(50)).await,
            }
        }
    }

    #[tokio::test(start_paused = true)]
    async fn four_hundred_connections_without_a_key_keep_no_client_with_the_key_out() {
        for (from, sends) in [(LOCAL, true), (REMOTE, true), (LOCAL, false)] {
            let limit = limit(&ServerLimits::default());
            let mut attackers = tokio::task::JoinSet::new();
            for _ in 0..400 {
                attackers.spawn(attack(Arc::clone(&limit), from, sends));
            }
            tokio::time::sleep(Duration::from_secs(1)).await;
            let mut clients = Vec::new();
            for index in 0..6 {
                let address = if index % 2 == 0 { LOCAL } else { REMOTE };
                let _socket = limit.socket().await;
                let mut slot = admit(&limit, address).await.expect("each has its turn");
                assert!(!slot.over().is_cancelled());
                assert_eq!(slot.authenticate(), Ok(()), "{index}");
                clients.push(slot);
            }
            tokio::time::sleep(Duration::from_secs(1)).await;
            assert!(
                clients.iter().all(|slot| !slot.over().is_cancelled()),
                "authenticated clients stay"
            );
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_hundred_networks_without_a_key_keep_no_client_with_the_key_out() {
        // Few slots, so that all of the networks wait for them.
        let limit = limit(&ServerLimits { max_unauthenticated: 16, ..ServerLimits::default() });
        let mut attackers = tokio::task::JoinSet::new();
        for host in 0..100 {
            let from = format!("2001:db8:0:{host:x}::1").leak();
            attackers.spawn(attack(Arc::clone(&limit), from, true));
        }
        tokio::time::sleep(Duration::from_secs(3)).await;
        for index in 0..20 {
            let began = Instant::now();
            let mut slot = admit(&limit, REMOTE).await.expect("it has its turn");
            assert!(began.elapsed() <= Duration::from_secs(2), "{:?}", began.elapsed());
            assert_eq!(slot.authenticate(), Ok(()), "{index}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_request_with_the_key_does_not_wait_for_those_without_it() {
        let hour = Duration::from_secs(60 * 60);
        let limits = ServerLimits {
            max_unauthenticated: 1,
            unauthenticated_grace: hour,
            ..ServerLimits::default()
        };
        let limit = limit(&limits);
        let _crowd = admit(&limit, LOCAL).await.unwrap();
        let began = Instant::now();
        let mut answered = Vec::new();
        for _ in 0..limits.max_connections {
            let slot = limit.admit_with_key(peer(LOCAL)).await.expect("it has slots of its own");
            slot.note(Standing::Answered);
            answered.push(slot);
        }
        let _next =
            limit.admit_with_key(peer(LOCAL)).await.expect("one that was answered makes room");
        assert_eq!(began.elapsed(), Duration::ZERO);
        assert!(answered[0].over().is_cancelled() && !answered[1].over().is_cancelled());
    }

    #[tokio::test(start_paused = true)]
    async fn connections_without_the_key_share_a_bounded_number_of_sockets() {
        let limits = ServerLimits::default();
        let budget = SocketBudget::new(&limits, 256);
        let limit = ConnectionLimit::new(&limits, budget, CancellationToken::new());
        let mut kept = Vec::new();
        let mut displaced = Vec::new();
        for index in 0..budget.sockets {
            let socket = limit.socket().await;
            let address = if index % 2 == 0 { LOCAL } else { REMOTE };
            match limit.queue(peer(address)).unwrap().granted().await {
                Some(mut slot) => {
                    slot.keep(socket);
                    kept.push(slot);
                }
                None => displaced.push(socket),
            }
        }
        // Displaced connections are not closed yet, and count until they are.
        assert!(kept.iter().any(|slot| slot.over().is_cancelled()));
        let one_more = timeout(Duration::from_secs(60), limit.socket()).await;
        assert!(one_more.is_err(), "one more is not accepted");
        let mut client = kept.pop().unwrap();
        assert_eq!(client.authenticate(), Ok(()));
        let _socket = limit.socket().await;
        assert!(timeout(Duration::from_secs(60), limit.socket()).await.is_err());
        drop(kept.remove(0));
        assert!(timeout(Duration::from_secs(60), limit.socket()).await.is_ok());
        drop(client);
    }

    #[tokio::test(start_paused = true)]
    async fn other_machines_take_no_slots_from_this_one_or_from_processes_of_the_same_user() {
        let limit = limit(&ServerLimits::default());
        let mut others = tokio::task::JoinSet::new();
        for from in (0..100).map(|host| format!("10.0.0.{host}").leak()) {
            others.spawn(attack(Arc::clone(&limit), from, true));
        }
        tokio::time::sleep(Duration::from_secs(10)).await;
        let began = Instant::now();
        let local = admit(&limit, LOCAL).await.expect("it has slots of its own");
        let own = limit.admit_same_user().await.expect("it has slots of its own");
        assert_eq!(began.elapsed(), Duration::ZERO);
        tokio::time::sleep(Duration::from_secs(10)).await;
        assert!(!local.over().is_cancelled() && !own.over().is_cancelled());
    }

    #[tokio::test(start_paused = true)]
    async fn processes_of_the_same_user_have_slots_whatever_the_limits_are_and_can_wait_for_one() {
        let limits =
            ServerLimits { max_connections: 1, max_unauthenticated: 1, ..ServerLimits::default() };
        let limit = limit(&limits);
        let began = Instant::now();
        let mut slots = Vec::new();
        for _ in 0..MAX_SAME_USER {
            slots.push(limit.admit_same_user().await.expect("there is one"));
        }
        assert_eq!(began.elapsed(), Duration::ZERO);
        assert!(limit.admit_same_user().await.is_none());
        assert_eq!(began.elapsed(), limits.request_timeout);
        let waiting = tokio::spawn({
            let limit = Arc::clone(&limit);
            async move { limit.admit_same_user().await.is_some() }
        });
        tokio::time::sleep(limits.request_timeout / 2).await;
        slots.pop();
        assert!(waiting.await.unwrap(), "one became free in time");
    }

    #[tokio::test(start_paused = true)]
    async fn there_are_no_more_clients_than_the_server_allows() {
        let limit = limit(&ServerLimits { max_connections: 1, ..ServerLimits::default() });
        let mut one = admit(&limit, LOCAL).await.unwrap();
        let mut two = admit(&limit, LOCAL).await.unwrap();
        assert_eq!((one.authenticate(), one.authenticate()), (Ok(()), Ok(())), "it counts once");
        assert_eq!(two.authenticate(), Err(CloseReason::FULL));
        let began = Instant::now();
        assert!(admit(&limit, REMOTE).await.is_none());
        assert_eq!(began.elapsed(), Duration::ZERO, "waiting would be useless");
        drop(one);
        assert_eq!(two.authenticate(), Ok(()));
    }

    #[tokio::test(start_paused = true)]
    async fn no_connection_waits_longer_than_a_request_may_take() {
        let grace = Duration::from_secs(60 * 60);
        let limits = ServerLimits {
            max_unauthenticated: 1,
            unauthenticated_grace: grace,
            ..ServerLimits::default()
        };
        let (request_timeout, limit) = (limits.request_timeout, limit(&limits));
        let first = admit(&limit, REMOTE).await.unwrap();
        let began = Instant::now();
        assert!(admit(&limit, REMOTE).await.is_none());
        assert_eq!(began.elapsed(), request_timeout);
        first.note(Standing::Answered);
        let second = admit(&limit, REMOTE).await.expect("the first one was answered");
        assert!(first.over().is_cancelled() && !second.over().is_cancelled());
    }
}
