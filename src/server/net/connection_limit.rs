//! How many connections there may be, and which one of them gets a slot.
//!
//! Clients that have shown the key are counted alone, so no other connection can use up their slots. All others have a few slots in a
//! [pool](super::pool): the addresses of this machine have one, those of other machines have another. Processes of the same user
//! come over a [socket of their own](super::same_user) and are in none of these.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

use super::network::Network;
use super::peer::Peer;
use super::pool::{Pool, Standing, Ticket, Turn};
use crate::server::limits::ServerLimits;
use crate::server::socket::replies::Leaving;

/// The connections of a server.
pub(in crate::server) struct ConnectionLimit {
    limits: ServerLimits,
    state: Mutex<State>,
    /// Changes when a connection that waits may have its turn, and only then: all that wait look again.
    changed: watch::Sender<()>,
    same_user: Arc<Semaphore>,
    stopping: CancellationToken,
}

struct State {
    authenticated: usize,
    next: Ticket,
    loopback: Pool,
    elsewhere: Pool,
}

impl State {
    fn pool(&mut self, which: Which) -> &mut Pool {
        match which {
            Which::Loopback => &mut self.loopback,
            Which::Elsewhere => &mut self.elsewhere,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Which {
    Loopback,
    Elsewhere,
}

/// A connection's slot. It is given up when this is dropped.
pub(in crate::server) struct Slot {
    limit: Arc<ConnectionLimit>,
    kind: Kind,
    over: CancellationToken,
}

enum Kind {
    Unauthenticated(Which, Ticket),
    Authenticated,
    SameUser { _permit: OwnedSemaphorePermit },
}

impl ConnectionLimit {
    pub(in crate::server) fn new(limits: &ServerLimits, stopping: CancellationToken) -> Self {
        let pool = || Pool::new(limits.unauthenticated, limits.unauthenticated_grace);
        Self {
            limits: limits.clone(),
            state: Mutex::new(State { authenticated: 0, next: 0, loopback: pool(), elsewhere: pool() }),
            changed: watch::Sender::new(()),
            same_user: Arc::new(Semaphore::new(limits.connections.max(1))),
            stopping,
        }
    }

    /// A slot for a new connection, if there is one or one becomes free in time.
    pub(in crate::server) async fn admit(self: &Arc<Self>, peer: Peer) -> Option<Slot> {
        let over = self.stopping.child_token();
        if peer.same_user {
            let permit = Arc::clone(&self.same_user).try_acquire_owned().ok()?;
            return Some(Slot { limit: Arc::clone(self), kind: Kind::SameUser { _permit: permit }, over });
        }
        let network = Network::of(peer.address);
        let which = if network.is_loopback() { Which::Loopback } else { Which::Elsewhere };
        let deadline = Instant::now() + self.limits.request_time;
        let mut changed = self.changed.subscribe();
        let (queued, full) = self.queue(which, network, over);
        if full {
            return None;
        }
        loop {
            changed.borrow_and_update();
            let now = Instant::now();
            let Kind::Unauthenticated(_, ticket) = queued.kind else { return None };
            let turn = self.lock().pool(which).take(ticket, now, &queued.over);
            let wake = match turn {
                Turn::Taken => {
                    // The next one in the queue may have its turn as well.
                    let wanted = self.lock().pool(which).is_wanted();
                    self.notify_if(wanted);
                    return Some(queued);
                }
                Turn::Refused => return None,
                Turn::Wait(_) if now >= deadline => return None,
                Turn::Wait(until) => until.map_or(deadline, |until| until.min(deadline)),
            };
            tokio::select! {
                // It cannot be closed: the sender is here.
                _ = changed.changed() => {}
                () = sleep_until(wake) => {}
            }
        }
    }

    /// Puts a connection into the queue of a pool, and says whether waiting there is no use.
    fn queue(self: &Arc<Self>, which: Which, network: Network, over: CancellationToken) -> (Slot, bool) {
        let mut state = self.lock();
        let ticket = state.next;
        state.next += 1;
        let refused_another = state.pool(which).queue(ticket, network);
        let full = state.authenticated >= self.limits.connections.max(1);
        drop(state);
        self.notify_if(refused_another);
        let kind = Kind::Unauthenticated(which, ticket);
        (Slot { limit: Arc::clone(self), kind, over }, full)
    }

    fn notify_if(&self, changed: bool) {
        if changed {
            self.changed.send_replace(());
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Slot {
    /// Cancelled when the connection has to go: it was displaced, or the server stops.
    pub(in crate::server) const fn over(&self) -> &CancellationToken {
        &self.over
    }

    /// Notes how the connection stands.
    pub(in crate::server) fn note(&self, standing: Standing) {
        if let Kind::Unauthenticated(which, ticket) = self.kind {
            let mut state = self.limit.lock();
            state.pool(which).note(ticket, standing);
            let wanted = standing == Standing::Answered && state.pool(which).is_wanted();
            drop(state);
            self.limit.notify_if(wanted);
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
        let wanted = state.pool(which).leave(ticket);
        drop(state);
        self.kind = Kind::Authenticated;
        self.limit.notify_if(wanted);
        Ok(())
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        match self.kind {
            Kind::Unauthenticated(which, ticket) => {
                let wanted = self.limit.lock().pool(which).leave(ticket);
                self.limit.notify_if(wanted);
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
        Arc::new(ConnectionLimit::new(limits, CancellationToken::new()))
    }

    fn peer(address: &str) -> Peer {
        Peer { address: address.parse().unwrap(), same_user: false }
    }

    const LOCAL: &str = "127.0.0.1";
    const REMOTE: &str = "10.0.0.1";

    #[tokio::test(start_paused = true)]
    async fn a_connection_waits_for_the_grace_of_another_one_and_then_has_its_own() {
        let limits = ServerLimits { unauthenticated: 1, ..ServerLimits::default() };
        let (grace, limit) = (limits.unauthenticated_grace, limit(&limits));
        let first = limit.admit(peer(REMOTE)).await.unwrap();
        let began = Instant::now();
        let second = limit.admit(peer(REMOTE)).await.unwrap();
        assert_eq!((began.elapsed(), first.over().is_cancelled()), (grace, true));
        let third = limit.admit(peer(REMOTE)).await.unwrap();
        assert_eq!((began.elapsed(), second.over().is_cancelled()), (grace * 2, true));
        drop((first, second));
        assert!(!third.over().is_cancelled());
        assert_eq!(limit.lock().elsewhere.take(2, Instant::now(), third.over()), Turn::Refused, "none waits");
    }

    /// Opens a connection again as soon as it is closed, and never shows a key.
    async fn attack(limit: Arc<ConnectionLimit>, from: &'static str) {
        loop {
            match limit.admit(peer(from)).await {
                Some(slot) => slot.over().cancelled().await,
                None => tokio::time::sleep(Duration::from_millis(50)).await,
            }
        }
    }

    #[tokio::test(start_paused = true)]
    async fn sixty_four_connections_without_a_key_keep_none_out_that_has_it() {
        for from in [LOCAL, REMOTE] {
            let limit = limit(&ServerLimits::default());
            let mut attackers = tokio::task::JoinSet::new();
            for _ in 0..64 {
                attackers.spawn(attack(Arc::clone(&limit), from));
            }
            tokio::time::sleep(Duration::from_secs(10)).await;
            let mut clients = Vec::new();
            for index in 0..64 {
                let address = if index % 2 == 0 { LOCAL } else { REMOTE };
                let mut slot = limit.admit(peer(address)).await.expect("each has its turn");
                assert!(!slot.over().is_cancelled());
                assert_eq!(slot.authenticate(), Ok(()), "{index}");
                clients.push(slot);
            }
            tokio::time::sleep(Duration::from_secs(10)).await;
            assert!(clients.iter().all(|slot| !slot.over().is_cancelled()), "who has shown the key stays");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn other_machines_take_nothing_from_this_one_and_nothing_from_a_process_of_the_same_user() {
        let limit = limit(&ServerLimits::default());
        let mut others = tokio::task::JoinSet::new();
        for from in (0..100).map(|host| format!("10.0.0.{host}").leak()) {
            others.spawn(attack(Arc::clone(&limit), from));
        }
        tokio::time::sleep(Duration::from_secs(10)).await;
        let began = Instant::now();
        let local = limit.admit(peer(LOCAL)).await.expect("it has slots of its own");
        let same_user = Peer { same_user: true, ..peer(LOCAL) };
        let own = limit.admit(same_user).await.expect("it has slots of its own");
        assert_eq!(began.elapsed(), Duration::ZERO);
        tokio::time::sleep(Duration::from_secs(10)).await;
        assert!(!local.over().is_cancelled() && !own.over().is_cancelled());
    }

    #[tokio::test(start_paused = true)]
    async fn there_are_no_more_clients_than_the_server_allows() {
        let limit = limit(&ServerLimits { connections: 1, ..ServerLimits::default() });
        let mut one = limit.admit(peer(LOCAL)).await.unwrap();
        let mut two = limit.admit(peer(LOCAL)).await.unwrap();
        assert_eq!((one.authenticate(), one.authenticate()), (Ok(()), Ok(())), "it counts once");
        assert_eq!(two.authenticate(), Err(Leaving::FULL));
        let began = Instant::now();
        assert!(limit.admit(peer(REMOTE)).await.is_none());
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
        let first = limit.admit(peer(REMOTE)).await.unwrap();
        let began = Instant::now();
        assert!(limit.admit(peer(REMOTE)).await.is_none());
        assert_eq!(began.elapsed(), patience);
        first.note(Standing::Answered);
        let second = limit.admit(peer(REMOTE)).await.expect("the first one was answered");
        assert!(first.over().is_cancelled() && !second.over().is_cancelled());
    }
}
