//! How fast a client may talk.

use std::time::Duration;

use tokio::time::Instant;

use crate::server::limits::ServerLimits;

/// A client's allowance: it fills up slowly, and each message takes one from it.
///
/// A client that has used it up is heard more slowly: its messages wait in its own socket, and none is lost. Only one that goes
/// on like that for long is told to leave.
#[derive(Debug)]
pub(in crate::server) struct Bucket {
    left: f64,
    per_second: f64,
    burst: f64,
    filled_at: Instant,
    patience: Duration,
    /// Since when it has been empty again and again.
    empty_since: Option<Instant>,
}

/// What to do with the next message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::server) enum Pace {
    /// To hear it now.
    Now,
    /// To hear it then.
    Later(Instant),
    /// To hear no more.
    TooMuch,
}

impl Bucket {
    pub(in crate::server) fn new(limits: &ServerLimits, now: Instant) -> Self {
        // With less than two at once, nobody could ever be seen to have paused.
        let (per_second, burst) =
            (f64::from(limits.messages_per_second.max(1)), f64::from(limits.burst.max(2)));
        Self {
            left: burst,
            per_second,
            burst,
            filled_at: now,
            patience: limits.flood_patience,
            empty_since: None,
        }
    }

    /// When the next message may be heard. This takes nothing.
    pub(in crate::server) fn pace(&mut self, now: Instant) -> Pace {
        let gained = (now - self.filled_at).as_secs_f64() * self.per_second;
        (self.left, self.filled_at) = ((self.left + gained).min(self.burst), now);
        if self.left >= 1.0 {
            return Pace::Now;
        }
        let since = *self.empty_since.get_or_insert(now);
        if now - since >= self.patience {
            return Pace::TooMuch;
        }
        // A little more than that, so that it is surely full enough then.
        let wait = Duration::from_secs_f64((1.0 - self.left) / self.per_second) + Duration::from_millis(1);
        Pace::Later(now + wait)
    }

    /// A message was heard.
    pub(in crate::server) fn take(&mut self) {
        self.left -= 1.0;
        // Whoever pauses long enough to have two in hand is no longer in a hurry.
        if self.left >= 1.0 {
            self.empty_since = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bucket(now: Instant) -> Bucket {
        bucket_for(5, now)
    }

    fn bucket_for(burst: u32, now: Instant) -> Bucket {
        let limits = ServerLimits { messages_per_second: 20, burst, ..ServerLimits::default() };
        Bucket::new(&limits, now)
    }

    #[test]
    fn a_burst_is_heard_at_once_and_the_rest_at_the_rate() {
        let mut now = Instant::now();
        let mut bucket = bucket(now);
        for _ in 0..5 {
            assert_eq!(bucket.pace(now), Pace::Now);
            bucket.take();
        }
        let mut heard = 0;
        let end = now + Duration::from_secs(5);
        while now < end {
            match bucket.pace(now) {
                Pace::Now => {
                    bucket.take();
                    heard += 1;
                }
                Pace::Later(then) => now = then,
                Pace::TooMuch => panic!("it has been patient for ten seconds"),
            }
        }
        assert!((95..=100).contains(&heard), "{heard}");
    }

    #[test]
    fn a_flood_that_does_not_end_is_too_much() {
        let start = Instant::now();
        let (mut now, mut bucket) = (start, bucket(start));
        loop {
            match bucket.pace(now) {
                Pace::Now => bucket.take(),
                Pace::Later(then) => now = then,
                Pace::TooMuch => break,
            }
        }
        assert_eq!((now - start).as_secs(), 10);
    }

    #[test]
    fn whoever_pauses_has_a_fresh_start() {
        for burst in [0, 1, 2, 5] {
            let mut now = Instant::now();
            let mut bucket = bucket_for(burst, now);
            for _ in 0..20 {
                while bucket.pace(now) == Pace::Now {
                    bucket.take();
                }
                assert_ne!(bucket.pace(now), Pace::TooMuch, "{burst}");
                now += Duration::from_secs(1);
            }
        }
    }
}
