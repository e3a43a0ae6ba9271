//! Wrong keys, counted by address.

use std::collections::{HashMap, VecDeque};
use std::net::IpAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// For how long a wrong key is remembered.
const MEMORY: Duration = Duration::from_mins(1);

/// How many addresses are remembered at most; those that failed longest ago are forgotten first.
const ADDRESSES: usize = 4096;

/// Who has tried wrong keys lately.
#[derive(Debug)]
pub(super) struct Attempts {
    most: usize,
    failed: Mutex<HashMap<IpAddr, VecDeque<Instant>>>,
}

impl Attempts {
    pub(super) fn new(most: u32) -> Self {
        Self { most: most.max(1) as usize, failed: Mutex::default() }
    }

    /// How long this address is refused from now on, whatever key it has.
    pub(super) fn refused(&self, address: IpAddr, now: Instant) -> Option<Duration> {
        let mut failed = self.failed();
        let times = failed.get_mut(&network(address))?;
        times.retain(|time| now - *time < MEMORY);
        let first_that_counts = times.len().checked_sub(self.most)?;
        times.get(first_that_counts).map(|time| MEMORY.saturating_sub(now - *time))
    }

    /// Somebody at this address tried a wrong key.
    pub(super) fn failed_now(&self, address: IpAddr, now: Instant) {
        let mut failed = self.failed();
        if failed.len() >= ADDRESSES {
            failed.retain(|_, times| times.back().is_some_and(|time| now - *time < MEMORY));
        }
        if failed.len() >= ADDRESSES
            && let Some(oldest) =
                failed.iter().min_by_key(|(_, times)| times.back().copied()).map(|(address, _)| *address)
        {
            failed.remove(&oldest);
        }
        let times = failed.entry(network(address)).or_default();
        times.push_back(now);
        if times.len() > self.most {
            times.pop_front();
        }
    }

    fn failed(&self) -> MutexGuard<'_, HashMap<IpAddr, VecDeque<Instant>>> {
        self.failed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The address, or for IPv6 the network that one customer has to itself: they can choose among its addresses.
fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(address) => address.into(),
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            std::net::Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0).into()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tenth_wrong_key_in_a_minute_is_the_last() {
        let attempts = Attempts::new(10);
        let (one, other) = ("10.0.0.1".parse().unwrap(), "10.0.0.2".parse().unwrap());
        let start = Instant::now();
        for second in 0..10 {
            let now = start + Duration::from_secs(second);
            assert_eq!(attempts.refused(one, now), None, "{second}");
            attempts.failed_now(one, now);
        }
        let now = start + Duration::from_secs(10);
        assert_eq!(attempts.refused(one, now), Some(Duration::from_secs(50)));
        assert_eq!(attempts.refused(other, now), None, "others are not to blame");
        assert_eq!(attempts.refused(one, start + Duration::from_mins(1)), None, "a minute after the first");
    }

    #[test]
    fn one_network_of_ipv6_counts_as_one_and_memory_is_bounded() {
        let attempts = Attempts::new(2);
        let now = Instant::now();
        for host in 1..=2 {
            attempts.failed_now(format!("2001:db8:1:2::{host}").parse().unwrap(), now);
        }
        assert!(attempts.refused("2001:db8:1:2:ffff::9".parse().unwrap(), now).is_some());
        assert!(attempts.refused("2001:db8:1:3::1".parse().unwrap(), now).is_none());
        for host in 0..10_000_u32 {
            attempts.failed_now(IpAddr::V4(host.into()), now);
        }
        assert_eq!(attempts.failed().len(), ADDRESSES);
    }
}
