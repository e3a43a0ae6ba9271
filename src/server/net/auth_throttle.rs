//! Wrong keys, counted by network, so that one that tries many is answered late.
//!
//! Only the answer to a wrong key waits. The right key has 128 bits: no number of guesses comes near it, and an attacker who could have it
//! refused would keep the owner out.

use std::collections::{HashMap, VecDeque};
use std::net::IpAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use super::network::Network;
use crate::server::limits::ServerLimits;

/// How long a wrong key counts.
const MEMORY: Duration = Duration::from_mins(1);

/// How many networks are remembered at most; those that failed longest ago are forgotten first.
const MAX_NETWORKS: usize = 4096;

/// The networks that have tried wrong keys lately.
#[derive(Debug)]
pub(in crate::server) struct AuthThrottle {
    /// How many wrong keys in a minute are answered at once.
    free: usize,
    delay: Duration,
    failed: Mutex<HashMap<Network, VecDeque<Instant>>>,
}

impl AuthThrottle {
    pub(in crate::server) fn new(limits: &ServerLimits) -> Self {
        Self {
            free: limits.wrong_keys.max(1) as usize,
            delay: limits.wrong_key_delay,
            failed: Mutex::default(),
        }
    }

    /// Counts a wrong key from this address, and says how long its answer has to wait.
    pub(in crate::server) fn failed(&self, address: IpAddr, now: Instant) -> Duration {
        let network = Network::of(address);
        let mut failed = self.lock();
        forget_some(&mut failed, network, now);
        let times = failed.entry(network).or_default();
        times.retain(|time| now - *time < MEMORY);
        let late = times.len() >= self.free;
        if late {
            times.pop_front();
        }
        times.push_back(now);
        if late { self.delay } else { Duration::ZERO }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Network, VecDeque<Instant>>> {
        self.failed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Makes room for one more network, where there is none.
fn forget_some(failed: &mut HashMap<Network, VecDeque<Instant>>, next: Network, now: Instant) {
    if failed.len() < MAX_NETWORKS || failed.contains_key(&next) {
        return;
    }
    failed.retain(|_, times| times.back().is_some_and(|time| now - *time < MEMORY));
    let oldest = failed.iter().min_by_key(|(_, times)| times.back().copied()).map(|(network, _)| *network);
    if let Some(oldest) = oldest
        && failed.len() >= MAX_NETWORKS
    {
        failed.remove(&oldest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn throttle(wrong_keys: u32) -> AuthThrottle {
        AuthThrottle::new(&ServerLimits { wrong_keys, ..ServerLimits::default() })
    }

    #[test]
    fn after_ten_wrong_keys_in_a_minute_the_next_ones_are_answered_late() {
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
        assert_eq!(throttle.failed(other, at(11)), Duration::ZERO, "other networks are not to blame");
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
