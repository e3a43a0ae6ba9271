//! How long a process may be silent, and how long it may work.

use std::time::Duration;

use tokio::time::Instant;

use super::watch::End;
use crate::agent::TurnLimits;

/// Says when a process has been silent or at work for too long. It counts the clock that never jumps.
#[derive(Debug)]
pub(super) struct Watchdog {
    began: Instant,
    heard: Instant,
    limits: TurnLimits,
    linger: Duration,
}

impl Watchdog {
    pub(super) fn new(now: Instant, limits: TurnLimits, linger: Duration) -> Self {
        Self { began: now, heard: now, limits, linger }
    }

    pub(super) fn heard(&mut self, now: Instant) {
        self.heard = now;
    }

    pub(super) fn bites(&self, now: Instant, answered: bool) -> Option<End> {
        let (silent, working) = (now.duration_since(self.heard), now.duration_since(self.began));
        if answered && (silent >= self.linger || working >= self.limits.duration) {
            Some(End::Answered)
        } else if working >= self.limits.duration {
            Some(End::TookTooLong)
        } else if silent >= self.limits.silence {
            Some(if answered { End::Answered } else { End::Silent })
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_watchdog_bites_for_the_first_reason() {
        let limits = TurnLimits {
            silence: Duration::from_secs(15),
            duration: Duration::from_secs(100),
            ..TurnLimits::default()
        };
        let began = Instant::now();
        let at = |seconds| began + Duration::from_secs(seconds);
        let table = [
            // heard, now, answered
            (0, 14, false, None),
            (0, 15, false, Some(End::Silent)),
            (10, 24, false, None),
            (99, 100, false, Some(End::TookTooLong)),
            (0, 100, false, Some(End::TookTooLong)),
            (0, 4, true, None),
            (0, 5, true, Some(End::Answered)),
            (99, 100, true, Some(End::Answered)),
        ];
        for (heard, now, answered, end) in table {
            let mut watchdog = Watchdog::new(began, limits, Duration::from_secs(5));
            watchdog.heard(at(heard));
            assert_eq!(watchdog.bites(at(now), answered), end, "heard at {heard}, now {now}");
        }
    }
}
