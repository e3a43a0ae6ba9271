//! Counts wrong keys per network, and delays replies to a network that tries many.
//!
//! Only the reply to a wrong key is delayed. The key has 128 bits, so guessing it is hopeless; if
//! the right key could be refused as well, an attacker could lock the owner out.

use std::collections::{HashMap, VecDeque};
use std::net::IpAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use super::network::Network;
use crate::server::limits::ServerLimits;

/// How long a wrong key counts.
const FAILURE_WINDOW: Duration = Duration::from_secs(60);

/// How many networks are remembered at most; the one that failed longest ago is evicted first.
const MAX_NETWORKS: usize = 4096;

/// The networks that have recently sent wrong keys.
#[derive(Debug)]
pub(in crate::server) struct AuthThrottle {
    /// How many wrong keys per minute are answered without a delay.
    undelayed: usize,
    delay: Duration,
    failed: Mutex<HashMap<Network, VecDeque<Instant>>>,
}

impl AuthThrottle {
    pub(in crate::server) fn new(limits: &ServerLimits) -> Self {
        Self {
            undelayed: limits.max_wrong_keys.max(1) as usize,
            delay: limits.wrong_key_delay,
            failed: Mutex::default(),
        }
    }

    /// Counts a wrong key from this address, and returns how long to delay the reply.
    pub(in crate::server) fn failed(&self, address: IpAddr, now: Instant) -> Duration {
        let network = Network::of(address);
        let mut failed = self.lock();
        evict_one(&mut failed, network, now);
        let times = failed.entry(network).or_default();
        times.retain(|time| now - *time < FAILURE_WINDOW);
        let is_delayed = times.len() >= self.undelayed;
        if is_delayed {
            times.pop_front();
        }
        times.push_back(now);
        if is_delayed { self.delay } else { Duration::ZERO }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Network, VecDeque<Instant>>> {
        self.failed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Evicts an entry if the table of networks is full.
fn evict_one(failed: &mut HashMap<Network, VecDeque<Instant>>, next: Network, now: Instant) {
    if failed.len() < MAX_NETWORKS || failed.contains_key(&next) {
        return;
    }
    failed.retain(|_, times| times.back().is_some_and(|time| now - *time < FAILURE_WINDOW));
    let oldest =
        failed.iter().min_by_key(|(_, times)| times.back().copied()).map(|(network, _)| *network);
    if let Some(oldest) = oldest
        && failed.len() >= MAX_NETWORKS
    {
        failed.remove(&oldest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn throttle(max_wrong_keys: u32) -> AuthThrottle {
        AuthThrottle::new(&ServerLimits { max_wrong_keys, ..ServerLimits::default() })
    }

    #[test]
    fn after_ten_wrong_keys_in_a_minute_replies_are_delayed() {
        let throttle = throttle(10);
        let (one, other) = ("10.0.0.1".parse().unwrap(), "10.0.0.2".parse().unwrap());
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        for second in 0..10 {
            assert_eq!(throttle.failed(one, at(second)), Duration::ZERO, "{second}");
        }
        let delay = ServerLimits::default().wrong_key_delay;
        assert_eq!(throttle.failed(one, at(10)), delay);
        assert_eq!(throttle.failed(one, at(11)), delay, "the delay does not grow");
        assert_eq!(
            throttle.failed(other, at(11)),
            Duration::ZERO,
            "other networks are not delayed"
        );
        assert_eq!(throttle.failed(one, at(72)), Duration::ZERO, "a minute after the last one");
    }

    #[test]
    fn one_network_of_ipv6_counts_as_one_and_memory_is_bounded() {
        let throttle = throttle(2);
        let now = Instant::now();
        let failed = |address: &str| throttle.failed(address.parse().unwrap(), now);
        assert!(failed("2001:db8:1:2::1").is_zero() && failed("2001:db8:1:2::2").is_zero());
        assert!(!failed("2001:db8:1:2:ffff::9").is_zero());
        assert!(failed("2001:db8:1:3::1").is_zero());
        for host in 0..10_000_u32 {
            throttle.failed(IpAddr::V4(host.into()), now);
        }
        assert_eq!(throttle.lock().len(), MAX_NETWORKS);
        for _ in 0..100 {
            throttle.failed("10.0.0.1".parse().unwrap(), now);
        }
        assert!(throttle.lock().values().all(|times| times.len() <= 2));
    }
}
