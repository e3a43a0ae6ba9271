//! How long a process may be silent, and how long it may work.

use tokio::time::Instant;

use super::end::End;
use super::limits::Limits;

/// Says when a process has been silent or at work for too long. It counts the clock that never jumps.
#[derive(Debug)]
pub(super) struct Watchdog {
    began: Instant,
    heard: Instant,
    limits: Limits,
}

impl Watchdog {
    pub(super) fn new(now: Instant, limits: Limits) -> Self {
        Self { began: now, heard: now, limits }
    }

    pub(super) fn heard(&mut self, now: Instant) {
        self.heard = now;
    }

    pub(super) fn bites(&self, now: Instant, has_answer: bool, is_busy: bool) -> Option<End> {
        let Limits { silence_timeout, total_timeout, linger_timeout, .. } = self.limits;
        let patience = if has_answer { linger_timeout.min(silence_timeout) } else { silence_timeout };
        let timed_out = now.duration_since(self.began) >= total_timeout;
        let silent = !is_busy && now.duration_since(self.heard) >= patience;
        match (timed_out, silent) {
            (false, false) => None,
            _ if has_answer => Some(End::Lingered),
            (true, _) => Some(End::TimedOut),
            (false, true) => Some(End::Silent),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn the_watchdog_bites_for_the_first_reason() {
        let limits = Limits {
            silence_timeout: Duration::from_secs(15),
            total_timeout: Duration::from_secs(100),
            linger_timeout: Duration::from_secs(5),
            ..Limits::default()
        };
        let began = Instant::now();
        let at = |seconds| began + Duration::from_secs(seconds);
        let table = [
            // heard, now, has answer, is busy
            (0, 14, false, false, None),
            (0, 15, false, false, Some(End::Silent)),
            (10, 24, false, false, None),
            (99, 100, false, false, Some(End::TimedOut)),
            (0, 100, false, false, Some(End::TimedOut)),
            (0, 4, true, false, None),
            (0, 5, true, false, Some(End::Lingered)),
            (99, 100, true, false, Some(End::Lingered)),
            (0, 99, false, true, None),
            (0, 100, false, true, Some(End::TimedOut)),
            (0, 99, true, true, None),
            (0, 100, true, true, Some(End::Lingered)),
        ];
        for (heard, now, has_answer, is_busy, end) in table {
            let mut watchdog = Watchdog::new(began, limits);
            watchdog.heard(at(heard));
            let bites = watchdog.bites(at(now), has_answer, is_busy);
            assert_eq!(bites, end, "heard at {heard}, now {now}, busy: {is_busy}");
        }
    }
}
