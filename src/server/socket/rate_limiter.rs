//! How fast a client may send messages.

use std::time::Duration;

use tokio::time::Instant;

use crate::server::limits::ServerLimits;

/// A client's token bucket: it refills slowly, and each message takes one token.
///
/// Once it is empty, the client's messages are read more slowly: they wait in its socket
/// (backpressure), and none is lost. Only a client that keeps exceeding the rate is disconnected.
#[derive(Debug)]
pub(in crate::server) struct RateLimiter {
    tokens: f64,
    per_second: f64,
    burst: f64,
    filled_at: Instant,
    timeout: Duration,
    /// Since when it has been empty, without a pause in between.
    empty_since: Option<Instant>,
}

/// When to read the next message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::server) enum Pace {
    /// Now.
    Now,
    /// Not before then.
    Later(Instant),
    /// Never: the client is disconnected.
    TooMuch,
}

impl RateLimiter {
    pub(in crate::server) fn new(limits: &ServerLimits, now: Instant) -> Self {
        // With a burst below two, a pause could never be detected.
        let (per_second, burst) =
            (f64::from(limits.messages_per_second.max(1)), f64::from(limits.message_burst.max(2)));
        Self {
            tokens: burst,
            per_second,
            burst,
            filled_at: now,
            timeout: limits.flood_timeout,
            empty_since: None,
        }
    }

    /// When the next message may be read. This takes no token.
    pub(in crate::server) fn pace(&mut self, now: Instant) -> Pace {
        let gained = (now - self.filled_at).as_secs_f64() * self.per_second;
        (self.tokens, self.filled_at) = ((self.tokens + gained).min(self.burst), now);
        if self.tokens >= 1.0 {
            return Pace::Now;
        }
        let since = *self.empty_since.get_or_insert(now);
        if now - since >= self.timeout {
            return Pace::TooMuch;
        }
        // A little longer, so that there surely is a whole token then.
        let wait = Duration::from_secs_f64((1.0 - self.tokens) / self.per_second)
            + Duration::from_millis(1);
        Pace::Later(now + wait)
    }

    /// Takes a token for a message that was read.
    pub(in crate::server) fn take(&mut self) {
        self.tokens -= 1.0;
        // A pause long enough for two tokens ends the overrun.
        if self.tokens >= 1.0 {
            self.empty_since = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bucket(now: Instant) -> RateLimiter {
        bucket_for(5, now)
    }

    fn bucket_for(burst: u32, now: Instant) -> RateLimiter {
        let limits = ServerLimits {
            messages_per_second: 20,
            message_burst: burst,
            ..ServerLimits::default()
        };
        RateLimiter::new(&limits, now)
    }

    #[test]
    fn a_burst_is_read_at_once_and_the_rest_at_the_rate() {
        let mut now = Instant::now();
        let mut bucket = bucket(now);
        for _ in 0..5 {
            assert_eq!(bucket.pace(now), Pace::Now);
            bucket.take();
        }
        let mut read = 0;
        let end = now + Duration::from_secs(5);
        while now < end {
            match bucket.pace(now) {
                Pace::Now => {
                    bucket.take();
                    read += 1;
                }
                Pace::Later(then) => now = then,
                Pace::TooMuch => panic!("ten seconds have not passed"),
            }
        }
        assert!((95..=100).contains(&read), "{read}");
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
    fn a_client_that_pauses_has_a_fresh_start() {
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
