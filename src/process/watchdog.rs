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

    pub(super) fn bites(&self, now: Instant, has_answer: bool) -> Option<End> {
        let Limits { silence_timeout, total_timeout, linger_timeout, .. } = self.limits;
        let (silent, running) = (now.duration_since(self.heard), now.duration_since(self.began));
        if has_answer && (silent >= linger_timeout.min(silence_timeout) || running >= total_timeout) {
            Some(End::Lingered)
        } else if running >= total_timeout {
            Some(End::TimedOut)
        } else if silent >= silence_timeout {
            Some(End::Silent)
        } else {
            None
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
            // heard, now, has answer
            (0, 14, false, None),
            (0, 15, false, Some(End::Silent)),
            (10, 24, false, None),
            (99, 100, false, Some(End::TimedOut)),
            (0, 100, false, Some(End::TimedOut)),
            (0, 4, true, None),
            (0, 5, true, Some(End::Lingered)),
            (99, 100, true, Some(End::Lingered)),
        ];
        for (heard, now, has_answer, end) in table {
            let mut watchdog = Watchdog::new(began, limits);
            watchdog.heard(at(heard));
            assert_eq!(watchdog.bites(at(now), has_answer), end, "heard at {heard}, now {now}");
        }
    }
}
