//! How many connections there may be, and which one of them gets a slot.
//!
//! Clients that have shown the key are counted alone, so no other connection can use up their slots. All others have a few slots in a
//! [pool](super::pool): the addresses of this machine have one, those of other machines have another, and connections whose first
//! request shows the key have a third. Processes of the same user come over a [socket of their own](super::same_user) and are in none of
//! these.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore, oneshot};
use tokio::time::{Instant, sleep_until, timeout, timeout_at};
use tokio_util::sync::CancellationToken;

use super::descriptors::SocketBudget;
use super::network::Network;
use super::peer::Peer;
use super::pool::{Pool, Standing, Ticket};
use crate::server::limits::ServerLimits;
use crate::server::socket::replies::Leaving;

/// How many connections processes of the same user may have, whatever the limits say: the `surefire` command comes by these.
const MAX_SAME_USER: usize = 64;

/// The connections of a server.
pub(in crate::server) struct ConnectionLimit {
    limits: ServerLimits,
    state: Mutex<State>,
    /// Notified when a connection begins to wait, since time alone may give it a slot.
    queued: Arc<Notify>,
    sockets: Arc<Semaphore>,
    same_user: Arc<Semaphore>,
    stopping: CancellationToken,
}

struct State {
    authenticated: usize,
    next: Ticket,
    loopback: Pool,
    elsewhere: Pool,
    with_key: Pool,
}

impl State {
    fn pool(&mut self, which: Which) -> &mut Pool {
        match which {
            Which::Loopback => &mut self.loopback,
            Which::Elsewhere => &mut self.elsewhere,
            Which::WithKey => &mut self.with_key,
        }
    }

    fn grant(&mut self, now: Instant) -> Option<Instant> {
        let pools = [&mut self.loopback, &mut self.elsewhere, &mut self.with_key];
        pools.into_iter().filter_map(|pool| pool.grant(now)).min()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Which {
    Loopback,
    Elsewhere,
    /// The first request has shown the key. None of the others can take these slots.
    WithKey,
}

/// A connection's slot. It is given up when this is dropped.
pub(in crate::server) struct Slot {
    limit: Arc<ConnectionLimit>,
    kind: Kind,
    over: CancellationToken,
    /// Its part of the sockets that connections without the key may have.
    socket: Option<OwnedSemaphorePermit>,
}

enum Kind {
    Unauthenticated(Which, Ticket),
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
    /// Has to be called where things can be waited for.
    pub(in crate::server) fn new(
        limits: &ServerLimits,
        budget: SocketBudget,
        stopping: CancellationToken,
    ) -> Arc<Self> {
        let pool = |size| Pool::new(size, limits.unauthenticated_grace, limits.request_time / 2);
        let limit = Arc::new(Self {
            limits: limits.clone(),
            state: Mutex::new(State {
                authenticated: 0,
                next: 0,
                loopback: pool(budget.slots),
                elsewhere: pool(budget.slots),
                with_key: pool(limits.connections),
            }),
            queued: Arc::default(),
            sockets: Arc::new(Semaphore::new(budget.sockets)),
            same_user: Arc::new(Semaphore::new(MAX_SAME_USER)),
            stopping,
        });
        tokio::spawn(grant_in_time(Arc::downgrade(&limit), Arc::clone(&limit.queued)));
        limit
    }

    /// Waits until there may be one more connection that has not shown the key. Until it is accepted, the system keeps it.
    pub(in crate::server) async fn socket(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.sockets).acquire_owned().await.ok()
    }

    /// Whether connections wait to be accepted until others are gone.
    pub(in crate::server) fn is_crowded(&self) -> bool {
        self.sockets.available_permits() == 0
    }

    /// A slot for a process of the same user, if there is one or one becomes free in time.
    pub(in crate::server) async fn admit_same_user(self: &Arc<Self>) -> Option<Slot> {
        let free = Arc::clone(&self.same_user).acquire_owned();
        let permit = timeout(self.limits.request_time, free).await.ok()?.ok()?;
        let kind = Kind::SameUser { _permit: permit };
        Some(Slot { limit: Arc::clone(self), kind, over: self.stopping.child_token(), socket: None })
    }

    /// A slot for a connection whose first request has shown the key, if there is one or one becomes free in time.
    pub(in crate::server) async fn admit_with_key(self: &Arc<Self>, peer: Peer) -> Option<Slot> {
        let mut waiting = self.queue_in(Which::WithKey, peer);
        if let Some(slot) = &waiting.slot {
            slot.note(Standing::Keyed);
        }
        waiting.granted().await
    }

    /// Lets a connection wait for a slot, unless there are so many clients that waiting is no use.
    pub(in crate::server) fn queue(self: &Arc<Self>, peer: Peer) -> Option<Waiting> {
        if self.lock().authenticated >= self.limits.connections.max(1) {
            return None;
        }
        let is_loopback = Network::of(peer.address).is_loopback();
        Some(self.queue_in(if is_loopback { Which::Loopback } else { Which::Elsewhere }, peer))
    }

    fn queue_in(self: &Arc<Self>, which: Which, peer: Peer) -> Waiting {
        let (now, over) = (Instant::now(), self.stopping.child_token());
        let mut state = self.lock();
        let ticket = state.next;
        state.next += 1;
        let granted = state.pool(which).queue(ticket, Network::of(peer.address), now, &over);
        drop(state);
        self.grant(which);
        let kind = Kind::Unauthenticated(which, ticket);
        let slot = Slot { limit: Arc::clone(self), kind, over, socket: None };
        Waiting { slot: Some(slot), granted, deadline: now + self.limits.request_time }
    }

    /// Gives slots of a pool to those that wait. What time alone will give is seen to later.
    fn grant(&self, which: Which) {
        if self.lock().pool(which).grant(Instant::now()).is_some() {
            self.queued.notify_one();
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Gives slots to those that wait when a grace is over.
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
    /// Notes that the connection has said something.
    pub(in crate::server) fn note_speech(&self) {
        if let Some(slot) = &self.slot {
            slot.note_speech();
        }
    }

    /// The slot; `None` where none became free in time. It can be waited for again where this is dropped before it is done.
    pub(in crate::server) async fn granted(&mut self) -> Option<Slot> {
        timeout_at(self.deadline, &mut self.granted).await.ok()?.ok()?;
        self.slot.take()
    }
}

impl Slot {
    /// Cancelled when the connection has to go: it was displaced, or the server stops.
    pub(in crate::server) const fn over(&self) -> &CancellationToken {
        &self.over
    }

    /// Keeps the connection's part of the sockets until it has shown the key, or is gone.
    pub(in crate::server) fn keep(&mut self, socket: Option<OwnedSemaphorePermit>) {
        let counted = match self.kind {
            Kind::Unauthenticated(Which::Loopback | Which::Elsewhere, _) => true,
            Kind::Unauthenticated(Which::WithKey, _) | Kind::Authenticated | Kind::SameUser { .. } => false,
        };
        self.socket = socket.filter(|_| counted);
    }

    /// Notes that the connection has said something.
    pub(in crate::server) fn note_speech(&self) {
        if let Kind::Unauthenticated(which, ticket) = self.kind {
            self.limit.lock().pool(which).note_speech(ticket);
        }
    }

    /// Notes how the connection stands.
    pub(in crate::server) fn note(&self, standing: Standing) {
        if let Kind::Unauthenticated(which, ticket) = self.kind {
            self.limit.lock().pool(which).note(ticket, standing, Instant::now());
            if standing == Standing::Answered {
                self.limit.grant(which);
            }
        }
    }

    /// Makes it the slot of a client that has shown the key.
    ///
    /// # Errors
    /// Why it has to come again: there are too many of those already, or it was displaced in this very moment.
    pub(in crate::server) fn authenticate(&mut self) -> Result<(), Leaving> {
        let Kind::Unauthenticated(which, ticket) = self.kind else { return Ok(()) };
        let mut state = self.limit.lock();
        if !state.pool(which).holds(ticket) {
            return Err(Leaving::DISPLACED);
        }
        if state.authenticated >= self.limit.limits.connections.max(1) {
            return Err(Leaving::FULL);
        }
        state.authenticated += 1;
        state.pool(which).leave(ticket);
        drop(state);
        self.kind = Kind::Authenticated;
        self.socket = None;
        self.limit.grant(which);
        Ok(())
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        match self.kind {
            Kind::Unauthenticated(which, ticket) => {
                self.limit.lock().pool(which).leave(ticket);
                self.limit.grant(which);
            }
            Kind::Authenticated => self.limit.lock().authenticated -= 1,
            Kind::SameUser { .. } => {}
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

    /// A slot for a connection that says something as soon as it is open.
    async fn admit(limit: &Arc<ConnectionLimit>, address: &str) -> Option<Slot> {
        let mut waiting = limit.queue(peer(address))?;
        waiting.note_speech();
        waiting.granted().await
    }

    const LOCAL: &str = "127.0.0.1";
    const REMOTE: &str = "10.0.0.1";

    #[tokio::test(start_paused = true)]
    async fn a_connection_waits_for_the_grace_of_another_one_and_then_has_its_own() {
        let limits = ServerLimits { unauthenticated: 1, ..ServerLimits::default() };
        let (grace, limit) = (limits.unauthenticated_grace, limit(&limits));
        let first = admit(&limit, REMOTE).await.unwrap();
        let began = Instant::now();
        let second = admit(&limit, REMOTE).await.unwrap();
        let waited = began.elapsed();
        assert!(waited >= grace && waited < grace * 2 && first.over().is_cancelled(), "{waited:?}");
        let third = admit(&limit, REMOTE).await.unwrap();
        let waited = began.elapsed();
        assert!(waited >= grace * 2 && waited < grace * 3 && second.over().is_cancelled(), "{waited:?}");
        drop((first, second));
        assert!(!third.over().is_cancelled());
        assert_eq!(limit.lock().grant(Instant::now()), None, "none waits");
    }

    /// Opens a connection again as soon as it is closed, and never shows a key. Every second one says nothing at all.
    async fn attack(limit: Arc<ConnectionLimit>, from: &'static str, says: bool) {
        loop {
            // The server does not accept more.
            let _socket = limit.socket().await;
            let waiting = limit.queue(peer(from));
            let slot = match waiting {
                Some(mut waiting) => {
                    if says {
                        waiting.note_speech();
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
    async fn four_hundred_connections_without_a_key_keep_none_out_that_has_it() {
        for (from, says) in [(LOCAL, true), (REMOTE, true), (LOCAL, false)] {
            let limit = limit(&ServerLimits::default());
            let mut attackers = tokio::task::JoinSet::new();
            for _ in 0..400 {
                attackers.spawn(attack(Arc::clone(&limit), from, says));
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
            assert!(clients.iter().all(|slot| !slot.over().is_cancelled()), "who has shown the key stays");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_hundred_networks_without_a_key_keep_none_out_that_has_it() {
        // Few slots, so that all of the networks wait for them.
        let limit = limit(&ServerLimits { unauthenticated: 16, ..ServerLimits::default() });
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
    async fn a_request_that_shows_the_key_waits_for_none_that_does_not() {
        let hour = Duration::from_hours(1);
        let limits =
            ServerLimits { unauthenticated: 1, unauthenticated_grace: hour, ..ServerLimits::default() };
        let limit = limit(&limits);
        let _crowd = admit(&limit, LOCAL).await.unwrap();
        let began = Instant::now();
        let mut answered = Vec::new();
        for _ in 0..limits.connections {
            let slot = limit.admit_with_key(peer(LOCAL)).await.expect("it has slots of its own");
            slot.note(Standing::Answered);
            answered.push(slot);
        }
        let _next = limit.admit_with_key(peer(LOCAL)).await.expect("one that was answered makes room");
        assert_eq!(began.elapsed(), Duration::ZERO);
        assert!(answered[0].over().is_cancelled() && !answered[1].over().is_cancelled());
    }

    #[tokio::test(start_paused = true)]
    async fn all_connections_without_the_key_together_have_so_many_sockets_and_no_more() {
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
        // Those that were displaced have not gone yet, and count until they have.
        assert!(kept.iter().any(|slot| slot.over().is_cancelled()));
        let one_more = timeout(Duration::from_mins(1), limit.socket()).await;
        assert!(one_more.is_err(), "one more is not accepted");
        let mut client = kept.pop().unwrap();
        assert_eq!(client.authenticate(), Ok(()));
        let _socket = limit.socket().await;
        assert!(timeout(Duration::from_mins(1), limit.socket()).await.is_err());
        drop(kept.remove(0));
        assert!(timeout(Duration::from_mins(1), limit.socket()).await.is_ok());
        drop(client);
    }

    #[tokio::test(start_paused = true)]
    async fn other_machines_take_nothing_from_this_one_and_nothing_from_a_process_of_the_same_user() {
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
    async fn processes_of_the_same_user_have_their_slots_whatever_the_limits_are_and_wait_for_one() {
        let limits = ServerLimits { connections: 1, unauthenticated: 1, ..ServerLimits::default() };
        let limit = limit(&limits);
        let began = Instant::now();
        let mut slots = Vec::new();
        for _ in 0..MAX_SAME_USER {
            slots.push(limit.admit_same_user().await.expect("there is one"));
        }
        assert_eq!(began.elapsed(), Duration::ZERO);
        assert!(limit.admit_same_user().await.is_none());
        assert_eq!(began.elapsed(), limits.request_time);
        let waiting = tokio::spawn({
            let limit = Arc::clone(&limit);
            async move { limit.admit_same_user().await.is_some() }
        });
        tokio::time::sleep(limits.request_time / 2).await;
        slots.pop();
        assert!(waiting.await.unwrap(), "one became free in time");
    }

    #[tokio::test(start_paused = true)]
    async fn there_are_no_more_clients_than_the_server_allows() {
        let limit = limit(&ServerLimits { connections: 1, ..ServerLimits::default() });
        let mut one = admit(&limit, LOCAL).await.unwrap();
        let mut two = admit(&limit, LOCAL).await.unwrap();
        assert_eq!((one.authenticate(), one.authenticate()), (Ok(()), Ok(())), "it counts once");
        assert_eq!(two.authenticate(), Err(Leaving::FULL));
        let began = Instant::now();
        assert!(admit(&limit, REMOTE).await.is_none());
        assert_eq!(began.elapsed(), Duration::ZERO, "it is no use waiting");
        drop(one);
        assert_eq!(two.authenticate(), Ok(()));
    }

    #[tokio::test(start_paused = true)]
    async fn no_connection_waits_longer_than_a_request_may_take() {
        let grace = Duration::from_hours(1);
        let limits =
            ServerLimits { unauthenticated: 1, unauthenticated_grace: grace, ..ServerLimits::default() };
        let (patience, limit) = (limits.request_time, limit(&limits));
        let first = admit(&limit, REMOTE).await.unwrap();
        let began = Instant::now();
        assert!(admit(&limit, REMOTE).await.is_none());
        assert_eq!(began.elapsed(), patience);
        first.note(Standing::Answered);
        let second = admit(&limit, REMOTE).await.expect("the first one was answered");
        assert!(first.over().is_cancelled() && !second.over().is_cancelled());
    }
}
