//! The slots of connections that have not shown the key, shared fairly between networks.
//!
//! A new connection never finds all of them taken for good: where there is no free slot it displaces another connection, of the network
//! that holds most. So one network cannot use up what others need, and within one network the newest connection has its turn. Each has
//! a short grace first, since a connection that could be displaced at once would have no time to show the key.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::time::Duration;

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::network::Network;

/// How many connections may wait for a slot of one pool.
const MAX_WAITING: usize = 64;

/// A connection, numbered in the order in which they came.
pub(in crate::server) type Ticket = u64;

/// How a connection that holds a slot stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::server) enum Standing {
    /// It may still show the key, and has a grace for that.
    Fresh,
    /// Its request has shown the key and is being answered: it is not displaced.
    Keyed,
    /// It was answered, and is kept in case the client has more to ask.
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

/// What a connection that wants a slot gets.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::server) enum Turn {
    Taken,
    /// Nothing yet. Without a change it is no use asking again before this time, if there is one.
    Wait(Option<Instant>),
    /// It was taken out of the queue, because its network fills that.
    Refused,
}

#[derive(Debug)]
pub(in crate::server) struct Pool {
    size: usize,
    grace: Duration,
    holders: BTreeMap<Ticket, Holder>,
    waiting: BTreeMap<Ticket, Network>,
}

impl Pool {
    pub(in crate::server) fn new(size: usize, grace: Duration) -> Self {
        Self { size: size.max(1), grace, holders: BTreeMap::new(), waiting: BTreeMap::new() }
    }

    /// Puts a connection into the queue. Where that is full, the network with most connections in it loses the newest of them. Says
    /// whether that was another one than this.
    pub(in crate::server) fn queue(&mut self, ticket: Ticket, network: Network) -> bool {
        self.waiting.insert(ticket, network);
        if self.waiting.len() <= MAX_WAITING {
            return false;
        }
        let queued = |network| self.waiting.values().filter(|other| **other == network).count();
        let newest = self.waiting.iter().max_by_key(|(ticket, network)| (queued(**network), **ticket));
        let newest = newest.map(|(ticket, _)| *ticket);
        newest.is_some_and(|newest| self.waiting.remove(&newest).is_some() && newest != ticket)
    }

    /// Takes a slot for a connection in the queue, if it is its turn and there is one or one can be made free.
    pub(in crate::server) fn take(&mut self, ticket: Ticket, now: Instant, over: &CancellationToken) -> Turn {
        let Some(network) = self.waiting.get(&ticket).copied() else { return Turn::Refused };
        // A network that holds little goes before one that holds much.
        let first = self.waiting.iter().min_by_key(|(ticket, network)| (self.held_by(**network), **ticket));
        if first.is_some_and(|(first, _)| *first != ticket) {
            return Turn::Wait(None);
        }
        if self.holders.len() >= self.size {
            match self.displaceable(network, now) {
                Ok(victim) => self.displace(victim),
                Err(earliest) => return Turn::Wait(earliest),
            }
        }
        self.waiting.remove(&ticket);
        let holder = Holder { network, since: now, standing: Standing::Fresh, over: over.clone() };
        self.holders.insert(ticket, holder);
        Turn::Taken
    }

    /// The connection that has to go for one of this network; otherwise when one can, as far as that is known.
    fn displaceable(&self, network: Network, now: Instant) -> Result<Ticket, Option<Instant>> {
        let held = self.held_by(network);
        let others = self.holders.iter().filter(|(_, holder)| {
            // Only from its own network, or from one that holds more: otherwise a crowd could displace a single client.
            holder.standing != Standing::Keyed
                && (holder.network == network || self.held_by(holder.network) > held)
        });
        let until = |holder: &Holder| match holder.standing {
            Standing::Answered => now,
            Standing::Fresh | Standing::Keyed => holder.since + self.grace,
        };
        let (ripe, green): (Vec<_>, Vec<_>) = others.partition(|(_, holder)| until(holder) <= now);
        let victim = ripe.into_iter().max_by_key(|(ticket, holder)| {
            (self.held_by(holder.network), holder.standing == Standing::Answered, Reverse(**ticket))
        });
        let earliest = green.into_iter().map(|(_, holder)| until(holder)).min();
        victim.map(|(ticket, _)| *ticket).ok_or(earliest)
    }

    fn displace(&mut self, victim: Ticket) {
        if let Some(holder) = self.holders.remove(&victim) {
            holder.over.cancel();
        }
    }

    fn held_by(&self, network: Network) -> usize {
        self.holders.values().filter(|holder| holder.network == network).count()
    }

    /// Whether a connection has a slot, and was not displaced from it.
    pub(in crate::server) fn holds(&self, ticket: Ticket) -> bool {
        self.holders.contains_key(&ticket)
    }

    /// Notes how a connection stands; one that was displaced stands nowhere.
    pub(in crate::server) fn note(&mut self, ticket: Ticket, standing: Standing) {
        if let Some(holder) = self.holders.get_mut(&ticket) {
            holder.standing = standing;
        }
    }

    /// Gives up a connection's slot, or its place in the queue. Says whether it had one and another waits.
    pub(in crate::server) fn leave(&mut self, ticket: Ticket) -> bool {
        let had = self.holders.remove(&ticket).is_some() || self.waiting.remove(&ticket).is_some();
        had && self.is_wanted()
    }

    /// Whether a connection waits for a slot.
    pub(in crate::server) fn is_wanted(&self) -> bool {
        !self.waiting.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GRACE: Duration = Duration::from_millis(250);

    /// A pool in which time passes by hand.
    struct Bench {
        pool: Pool,
        now: Instant,
        next: Ticket,
        tokens: Vec<CancellationToken>,
    }

    impl Bench {
        fn new(size: usize) -> Self {
            Self { pool: Pool::new(size, GRACE), now: Instant::now(), next: 0, tokens: Vec::new() }
        }

        fn queue(&mut self, address: &str) -> Ticket {
            let ticket = self.next;
            self.next += 1;
            self.tokens.push(CancellationToken::new());
            self.pool.queue(ticket, Network::of(address.parse().unwrap()));
            ticket
        }

        fn take(&mut self, ticket: Ticket) -> Turn {
            let token = &self.tokens[usize::try_from(ticket).unwrap()];
            self.pool.take(ticket, self.now, token)
        }

        fn come(&mut self, address: &str) -> (Ticket, Turn) {
            let ticket = self.queue(address);
            (ticket, self.take(ticket))
        }

        fn has(&self, ticket: Ticket) -> bool {
            let displaced = self.tokens[usize::try_from(ticket).unwrap()].is_cancelled();
            assert_ne!(displaced, self.pool.holders.contains_key(&ticket), "who is displaced is told");
            !displaced
        }
    }

    #[test]
    fn a_new_connection_displaces_the_oldest_one_once_that_had_its_grace() {
        let mut bench = Bench::new(2);
        let (first, _) = bench.come("10.0.0.1");
        bench.now += GRACE / 2;
        let (second, _) = bench.come("10.0.0.1");
        let ripe = bench.now + GRACE / 2;
        let (third, turn) = bench.come("10.0.0.1");
        assert_eq!(turn, Turn::Wait(Some(ripe)));
        bench.now = ripe;
        assert_eq!(bench.take(third), Turn::Taken);
        assert!(!bench.has(first) && bench.has(second) && bench.has(third));
    }

    #[test]
    fn a_connection_that_was_answered_goes_first_and_at_once() {
        let mut bench = Bench::new(2);
        let (first, _) = bench.come("10.0.0.1");
        let (second, _) = bench.come("10.0.0.1");
        bench.pool.note(second, Standing::Answered);
        assert_eq!(bench.come("10.0.0.1").1, Turn::Taken);
        assert!(bench.has(first) && !bench.has(second));
    }

    #[test]
    fn a_request_that_has_shown_the_key_is_not_displaced() {
        let mut bench = Bench::new(1);
        let (keyed, _) = bench.come("10.0.0.1");
        bench.pool.note(keyed, Standing::Keyed);
        bench.now += GRACE * 10;
        let (next, turn) = bench.come("10.0.0.1");
        assert_eq!(turn, Turn::Wait(None));
        bench.pool.note(keyed, Standing::Answered);
        assert_eq!(bench.take(next), Turn::Taken);
    }

    #[test]
    fn a_network_that_takes_all_slots_makes_room_for_another_and_not_the_other_way_round() {
        let mut bench = Bench::new(4);
        for _ in 0..4 {
            assert_eq!(bench.come("2001:db8::1").1, Turn::Taken);
        }
        bench.now += GRACE;
        let (owner, turn) = bench.come("10.0.0.2");
        assert_eq!(turn, Turn::Taken);
        bench.now += GRACE;
        for host in 10..100 {
            assert_eq!(bench.come(&format!("2001:db8::{host}")).1, Turn::Taken);
            bench.now += GRACE;
            assert!(bench.has(owner), "{host}");
        }
    }

    #[test]
    fn a_crowd_in_its_grace_does_not_displace_a_client_that_had_its_own() {
        let mut bench = Bench::new(4);
        let (owner, _) = bench.come("10.0.0.2");
        bench.now += GRACE;
        for _ in 0..3 {
            bench.come("10.0.0.1");
        }
        assert_eq!(bench.come("10.0.0.1").1, Turn::Wait(Some(bench.now + GRACE)));
        assert!(bench.has(owner));
    }

    #[test]
    fn a_network_that_holds_less_goes_before_those_that_came_earlier() {
        let mut bench = Bench::new(2);
        bench.come("10.0.0.1");
        bench.come("10.0.0.1");
        let (crowd, owner) = (bench.queue("10.0.0.1"), bench.queue("10.0.0.2"));
        bench.now += GRACE;
        assert_eq!(bench.take(crowd), Turn::Wait(None));
        assert_eq!(bench.take(owner), Turn::Taken);
        assert_eq!(bench.take(crowd), Turn::Taken);
        assert!(bench.has(owner));
    }

    #[test]
    fn the_queue_is_bounded_and_never_filled_for_other_networks() {
        let mut bench = Bench::new(1);
        bench.come("10.0.0.1");
        let queued: Vec<_> = (0..MAX_WAITING).map(|_| bench.queue("10.0.0.1")).collect();
        let one_more = bench.queue("10.0.0.1");
        assert_eq!(bench.take(one_more), Turn::Refused);
        let owner = bench.queue("10.0.0.2");
        assert_eq!(bench.take(queued[MAX_WAITING - 1]), Turn::Refused);
        bench.now += GRACE;
        assert_eq!(bench.take(owner), Turn::Taken);
        assert_eq!(bench.pool.waiting.len(), MAX_WAITING - 1);
    }
}
