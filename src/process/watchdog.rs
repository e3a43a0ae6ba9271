//! The time limits of a process.

use tokio::time::Instant;

use super::end::End;
use super::limits::ProcessLimits;

/// Detects that a process was silent or ran for too long, with the monotonic clock.
#[derive(Debug)]
pub(super) struct Watchdog {
    began: Instant,
    last_output: Instant,
    limits: ProcessLimits,
}

impl Watchdog {
    pub(super) fn new(now: Instant, limits: ProcessLimits) -> Self {
        Self { began: now, last_output: now, limits }
    }

    pub(super) fn record_output(&mut self, now: Instant) {
        self.last_output = now;
    }

    pub(super) fn expired(&self, now: Instant, has_answer: bool, is_busy: bool) -> Option<End> {
        let ProcessLimits { silence_timeout, total_timeout, linger_timeout, .. } = self.limits;
        let max_silence =
            if has_answer { linger_timeout.min(silence_timeout) } else { silence_timeout };
        let timed_out = now.duration_since(self.began) >= total_timeout;
        let silent = !is_busy && now.duration_since(self.last_output) >= max_silence;
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
    fn the_watchdog_expires_for_the_reason_that_comes_first() {
        let limits = ProcessLimits {
            silence_timeout: Duration::from_secs(15),
            total_timeout: Duration::from_secs(100),
            linger_timeout: Duration::from_secs(5),
            ..ProcessLimits::default()
        };
        let began = Instant::now();
        let at = |seconds| began + Duration::from_secs(seconds);
        let table = [
            // last output, now, has answer, is busy
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
        for (output, now, has_answer, is_busy, end) in table {
            let mut watchdog = Watchdog::new(began, limits);
            watchdog.record_output(at(output));
            let expired = watchdog.expired(at(now), has_answer, is_busy);
            assert_eq!(expired, end, "output at {output}, now {now}, busy: {is_busy}");
        }
    }
}
