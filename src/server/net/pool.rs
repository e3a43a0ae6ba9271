//! The slots of connections that have not shown the key, shared fairly between networks.
//!
//! The slots are never taken for good: if none is free, a new connection displaces one of the
//! network that holds the most. So one network cannot use up what others need, and within a network
//! the oldest connection makes room. Each connection has a short grace period first, since one that
//! could be displaced at once would have no time to show the key; a connection that has sent
//! nothing at all has a shorter one.
//!
//! No connection is refused here. How many can wait is bounded by the number of sockets
//! ([`super::descriptors`]): the others are not accepted yet, and stay in the listener's backlog in
//! the order of their arrival.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::network::Network;

/// A connection that has sent nothing has the usual grace period divided by this. A client sends
/// its request with the last packet of the handshake or right after it, so this is plenty for one
/// that is about to show a key.
const SILENT_GRACE_DIVISOR: u32 = 5;

/// A connection's number, in the order of arrival.
pub(in crate::server) type Ticket = u64;

/// The state of a connection, which decides when it can be displaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::server) enum Standing {
    /// It has sent nothing, and has a short grace period.
    Silent,
    /// It may still show the key, and has a grace period for that.
    Fresh,
    /// Its request has shown the key and is being answered: it is not displaced.
    Keyed,
    /// It was answered, and is kept alive in case the client sends another request.
    Answered,
}

#[derive(Debug)]
struct Holder {
    network: Network,
    since: Instant,
    standing: Standing,
    /// Cancelled when it is displaced.
    over: CancellationToken,
}

#[derive(Debug)]
struct Waiter {
    network: Network,
    since: Instant,
    standing: Standing,
    over: CancellationToken,
    granted: oneshot::Sender<()>,
}

#[derive(Debug)]
pub(in crate::server) struct Pool {
    size: usize,
    grace: Duration,
    /// A connection that has waited this long takes precedence over networks that hold fewer slots:
    /// with enough networks there would always be another one of those.
    max_wait: Duration,
    holders: BTreeMap<Ticket, Holder>,
    /// How many slots each network holds.
    held: BTreeMap<Network, usize>,
    waiting: BTreeMap<Ticket, Waiter>,
}

impl Pool {
    pub(in crate::server) fn new(size: usize, grace: Duration, max_wait: Duration) -> Self {
        Self {
            size: size.max(1),
            grace,
            max_wait,
            holders: BTreeMap::new(),
            held: BTreeMap::new(),
            waiting: BTreeMap::new(),
        }
    }

    /// Puts a connection into the queue. The receiver is notified when it has a slot.
    pub(in crate::server) fn queue(
        &mut self,
        ticket: Ticket,
        network: Network,
        now: Instant,
        over: &CancellationToken,
    ) -> oneshot::Receiver<()> {
        let (granted, receiver) = oneshot::channel();
        let (standing, over) = (Standing::Silent, over.clone());
        self.waiting.insert(ticket, Waiter { network, since: now, standing, over, granted });
        receiver
    }

    /// Grants slots to queued connections while one is free or can be freed. If a connection has to
    /// wait until a grace period ends, returns when to try again.
    pub(in crate::server) fn grant(&mut self, now: Instant) -> Option<Instant> {
        loop {
            let mut earliest = None;
            let mut granted = false;
            for ticket in self.next_in_queue(now).into_iter().flatten() {
                match self.make_room_for(ticket, now) {
                    Ok(()) => {
                        self.assign_slot(ticket, now);
                        granted = true;
                        break;
                    }
                    Err(until) => earliest = [earliest, until].into_iter().flatten().min(),
                }
            }
            if !granted {
                return earliest;
            }
        }
    }

    /// The connections whose turn it may be: the one that is overdue, and the first one of the
    /// network that holds the fewest slots.
    fn next_in_queue(&self, now: Instant) -> [Option<Ticket>; 2] {
        let overdue =
            self.waiting.first_key_value().filter(|(_, first)| now - first.since >= self.max_wait);
        let fair = self
            .waiting
            .iter()
            .min_by_key(|(ticket, waiter)| (self.held_by(waiter.network), **ticket));
        [overdue.map(|(ticket, _)| *ticket), fair.map(|(ticket, _)| *ticket)]
    }

    /// Ensures that there is a slot for a queued connection; otherwise returns when there can be
    /// one, if that is known.
    fn make_room_for(&mut self, ticket: Ticket, now: Instant) -> Result<(), Option<Instant>> {
        if self.holders.len() < self.size {
            return Ok(());
        }
        let Some(waiter) = self.waiting.get(&ticket) else { return Err(None) };
        let victim = self.displaceable(waiter.network, now)?;
        if let Some(holder) = self.remove_holder(victim) {
            holder.over.cancel();
        }
        Ok(())
    }

    fn assign_slot(&mut self, ticket: Ticket, now: Instant) {
        let Some(Waiter { network, standing, over, granted, .. }) = self.waiting.remove(&ticket)
        else {
            return;
        };
        // A connection that no longer waits releases the slot when its `Slot` is dropped.
        let _ = granted.send(());
        *self.held.entry(network).or_default() += 1;
        self.holders.insert(ticket, Holder { network, since: now, standing, over });
    }

    /// The connection to displace for one of this network; otherwise when there can be one, if that
    /// is known.
    fn displaceable(&self, network: Network, now: Instant) -> Result<Ticket, Option<Instant>> {
        let held = self.held_by(network);
        let (mut victim, mut earliest) = (None, None);
        for (ticket, holder) in &self.holders {
            let holds = self.held_by(holder.network);
            // Only from its own network, or from one that holds more: otherwise a crowd could
            // displace a single client.
            if holder.network != network && holds <= held {
                continue;
            }
            let (until, standing) = match holder.standing {
                Standing::Keyed => continue,
                Standing::Answered => (now, 2),
                Standing::Silent => (holder.since + self.grace / SILENT_GRACE_DIVISOR, 1),
                Standing::Fresh => (holder.since + self.grace, 0),
            };
            if until <= now {
                victim = victim.max(Some((holds, standing, Reverse(*ticket))));
            } else {
                earliest = Some(earliest.map_or(until, |earliest: Instant| earliest.min(until)));
            }
        }
        victim.map(|(_, _, Reverse(ticket))| ticket).ok_or(earliest)
    }

    fn remove_holder(&mut self, ticket: Ticket) -> Option<Holder> {
        let holder = self.holders.remove(&ticket)?;
        let left = self.held_by(holder.network).saturating_sub(1);
        if left == 0 {
            self.held.remove(&holder.network);
        } else {
            self.held.insert(holder.network, left);
        }
        Some(holder)
    }

    fn held_by(&self, network: Network) -> usize {
        self.held.get(&network).copied().unwrap_or_default()
    }

    /// Whether a connection has a slot, and was not displaced from it.
    pub(in crate::server) fn holds(&self, ticket: Ticket) -> bool {
        self.holders.contains_key(&ticket)
    }

    /// Records a connection's standing, whether it holds a slot or waits for one; a displaced
    /// connection has no standing. For `Fresh`, the grace period starts now.
    pub(in crate::server) fn note(&mut self, ticket: Ticket, standing: Standing, now: Instant) {
        if let Some(holder) = self.holders.get_mut(&ticket) {
            holder.standing = standing;
            if standing == Standing::Fresh {
                holder.since = now;
            }
        }
        if let Some(waiter) = self.waiting.get_mut(&ticket) {
            waiter.standing = standing;
        }
    }

    /// Records that a connection has sent something.
    pub(in crate::server) fn note_activity(&mut self, ticket: Ticket) {
        let holder = self.holders.get_mut(&ticket).map(|holder| &mut holder.standing);
        let standing = holder.or_else(|| Some(&mut self.waiting.get_mut(&ticket)?.standing));
        if let Some(standing) = standing.filter(|standing| **standing == Standing::Silent) {
            *standing = Standing::Fresh;
        }
    }

    /// Releases a connection's slot, or its place in the queue.
    pub(in crate::server) fn leave(&mut self, ticket: Ticket) {
        self.waiting.remove(&ticket);
        self.remove_holder(ticket);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GRACE: Duration = Duration::from_millis(250);
    const WAIT_TIMEOUT: Duration = Duration::from_millis(1500);

    /// A pool with a manual clock.
    struct Bench {
        pool: Pool,
        now: Instant,
        next: Ticket,
        tokens: Vec<CancellationToken>,
    }

    impl Bench {
        fn new(size: usize) -> Self {
            let pool = Pool::new(size, GRACE, WAIT_TIMEOUT);
            Self { pool, now: Instant::now(), next: 0, tokens: Vec::new() }
        }

        /// Queues a connection that has sent something.
        fn queue(&mut self, address: &str) -> Ticket {
            let ticket = self.queue_silent(address);
            self.pool.note_activity(ticket);
            ticket
        }

        fn queue_silent(&mut self, address: &str) -> Ticket {
            let (ticket, token) = (self.next, CancellationToken::new());
            self.next += 1;
            self.pool.queue(ticket, Network::of(address.parse().unwrap()), self.now, &token);
            self.tokens.push(token);
            ticket
        }

        /// The same, and grants slots to the connections whose turn it is. Returns when to try
        /// again.
        fn connect(&mut self, address: &str) -> (Ticket, Option<Instant>) {
            let ticket = self.queue(address);
            (ticket, self.pool.grant(self.now))
        }

        fn pass(&mut self, time: Duration) {
            self.now += time;
            self.pool.grant(self.now);
        }

        fn has(&self, ticket: Ticket) -> bool {
            let displaced = self.tokens[usize::try_from(ticket).unwrap()].is_cancelled();
            assert!(!(displaced && self.pool.holds(ticket)), "a displaced connection is notified");
            self.pool.holds(ticket)
        }

        fn was_displaced(&self, ticket: Ticket) -> bool {
            self.tokens[usize::try_from(ticket).unwrap()].is_cancelled()
        }
    }

    #[test]
    fn a_new_connection_displaces_the_oldest_one_after_its_grace_period() {
        let mut bench = Bench::new(2);
        let (first, _) = bench.connect("10.0.0.1");
        bench.now += GRACE / 2;
        let (second, _) = bench.connect("10.0.0.1");
        let ripe = bench.now + GRACE / 2;
        let (third, again) = bench.connect("10.0.0.1");
        assert_eq!((again, bench.has(third)), (Some(ripe), false));
        bench.pass(GRACE / 2);
        assert!(bench.was_displaced(first) && bench.has(second) && bench.has(third));
    }

    #[test]
    fn a_connection_that_has_sent_nothing_makes_room_sooner_and_before_one_that_has() {
        let mut bench = Bench::new(2);
        let (active, _) = bench.connect("10.0.0.1");
        let silent = bench.queue_silent("10.0.0.1");
        let (next, again) = bench.connect("10.0.0.1");
        assert_eq!(again, Some(bench.now + GRACE / SILENT_GRACE_DIVISOR));
        bench.pass(GRACE / SILENT_GRACE_DIVISOR);
        assert!(bench.was_displaced(silent) && bench.has(active) && bench.has(next));

        let mut bench = Bench::new(2);
        let (active, _) = bench.connect("10.0.0.1");
        let silent = bench.queue_silent("10.0.0.1");
        bench.pass(Duration::ZERO);
        bench.pass(GRACE * 2);
        bench.connect("10.0.0.1");
        assert!(bench.was_displaced(silent) && bench.has(active), "even if the other one is older");
    }

    #[test]
    fn a_connection_that_was_answered_is_displaced_first_and_at_once() {
        let mut bench = Bench::new(2);
        let (first, _) = bench.connect("10.0.0.1");
        let (second, _) = bench.connect("10.0.0.1");
        bench.pool.note(second, Standing::Answered, bench.now);
        let (third, _) = bench.connect("10.0.0.1");
        assert!(bench.has(first) && bench.was_displaced(second) && bench.has(third));
    }

    #[test]
    fn a_connection_that_becomes_a_websocket_has_a_new_grace_period() {
        let mut bench = Bench::new(1);
        let (socket, _) = bench.connect("10.0.0.1");
        bench.now += GRACE;
        bench.pool.note(socket, Standing::Fresh, bench.now);
        let (next, again) = bench.connect("10.0.0.1");
        assert_eq!((again, bench.has(next)), (Some(bench.now + GRACE), false));
        bench.pass(GRACE);
        assert!(bench.was_displaced(socket) && bench.has(next));
    }

    #[test]
    fn a_request_that_has_shown_the_key_is_not_displaced() {
        let mut bench = Bench::new(1);
        let (keyed, _) = bench.connect("10.0.0.1");
        bench.pool.note(keyed, Standing::Keyed, bench.now);
        bench.now += GRACE * 10;
        let (next, again) = bench.connect("10.0.0.1");
        assert_eq!((again, bench.has(next)), (None, false));
        bench.pool.note(keyed, Standing::Answered, bench.now);
        bench.pass(Duration::ZERO);
        assert!(bench.has(next));
    }

    #[test]
    fn a_network_that_takes_all_slots_makes_room_for_another_and_not_the_other_way_round() {
        let mut bench = Bench::new(4);
        for _ in 0..4 {
            let (one, _) = bench.connect("2001:db8::1");
            assert!(bench.has(one));
        }
        bench.now += GRACE;
        let (owner, _) = bench.connect("10.0.0.2");
        bench.now += GRACE;
        for host in 10..100 {
            let (one, _) = bench.connect(&format!("2001:db8::{host}"));
            assert!(bench.has(one));
            bench.now += GRACE;
            assert!(bench.has(owner), "{host}");
        }
    }

    #[test]
    fn a_crowd_in_its_grace_period_does_not_displace_a_client_past_its_own() {
        let mut bench = Bench::new(4);
        let (owner, _) = bench.connect("10.0.0.2");
        bench.now += GRACE;
        for _ in 0..3 {
            bench.connect("10.0.0.1");
        }
        assert_eq!(bench.connect("10.0.0.1").1, Some(bench.now + GRACE));
        assert!(bench.has(owner));
    }

    #[test]
    fn a_network_that_holds_less_goes_before_those_that_came_earlier() {
        let mut bench = Bench::new(2);
        bench.connect("10.0.0.1");
        bench.connect("10.0.0.1");
        let (crowd, owner) = (bench.queue("10.0.0.1"), bench.queue("10.0.0.2"));
        bench.pass(GRACE / 2);
        assert!(!bench.has(owner), "the holders have their grace period");
        bench.pool.note(0, Standing::Answered, bench.now);
        bench.pass(Duration::ZERO);
        assert!(bench.has(owner) && !bench.has(crowd));
        bench.pass(GRACE / 2);
        assert!(bench.has(owner) && bench.has(crowd));
    }

    #[test]
    fn each_of_a_hundred_networks_has_its_turn_and_so_has_the_newest() {
        let mut bench = Bench::new(16);
        let crowd: Vec<_> =
            (0..100).map(|host| bench.connect(&format!("2001:db8:0:{host:x}::1")).0).collect();
        let (owner, _) = bench.connect("10.0.0.2");
        let mut rounds = 0;
        while !bench.has(owner) {
            bench.pass(GRACE);
            rounds += 1;
            assert!(rounds <= 100 / 16 + 1, "those before it take no longer than their grace");
        }
        assert!(
            crowd.iter().all(|one| bench.has(*one) || bench.was_displaced(*one)),
            "no connection was skipped"
        );
    }

    #[test]
    fn an_endless_stream_of_new_networks_does_not_starve_one_that_holds_a_slot() {
        let mut bench = Bench::new(4);
        let mut waiting = None;
        for host in 0..1000 {
            if host == 10 {
                bench.connect("10.0.0.2");
                waiting = Some(bench.connect("10.0.0.2").0);
            }
            bench.connect(&format!("2001:db8:0:{host:x}::1"));
            bench.pass(GRACE / 8);
        }
        let waiting = waiting.unwrap();
        assert!(bench.has(waiting) || bench.was_displaced(waiting), "it had its turn");
    }
}
