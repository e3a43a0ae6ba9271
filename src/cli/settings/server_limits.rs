//! The server's limits that an operator can set.

use std::str::FromStr;
use std::time::Duration;

use clap::Args;

use crate::cli::usage::bad_value::BadValue;
use crate::cli::usage::options::duration;
use crate::server::ServerLimits;

/// Their heading in `--help`. The short help omits them, because few operators need them.
const SERVER: &str = "Server limits";

/// The smallest useful limit: a `connect` message with a key has to fit.
const MIN_MESSAGE_BYTES: usize = 1024;

/// The limits for clients.
#[derive(Debug, Clone, PartialEq, Eq, Args)]
pub(in crate::cli) struct ServerLimitOptions {
    /// Maximum number of authenticated clients at once
    #[arg(long, value_name = "N", default_value = "64", value_parser = at_least_one::<usize>)]
    #[arg(help_heading = SERVER, hide_short_help = true, allow_negative_numbers = true)]
    max_connections: usize,
    /// Maximum number of unauthenticated connections at once, in addition; this machine's own
    /// connections are counted separately, up to the same number
    #[arg(long, value_name = "N", default_value = "64", value_parser = at_least_one::<usize>)]
    #[arg(help_heading = SERVER, hide_short_help = true, allow_negative_numbers = true)]
    max_unauthenticated: usize,
    /// Time after which an unauthenticated connection may be closed in favour of a new one
    #[arg(long, value_name = "DURATION", default_value = "250ms", value_parser = duration)]
    #[arg(help_heading = SERVER, hide_short_help = true)]
    unauthenticated_grace: Duration,
    /// Time for a request to arrive, and for a connection to wait for a free slot
    #[arg(long, value_name = "DURATION", default_value = "3s", value_parser = duration)]
    #[arg(help_heading = SERVER, hide_short_help = true)]
    request_timeout: Duration,
    /// Time for a client to authenticate
    #[arg(long, value_name = "DURATION", default_value = "10s", value_parser = duration)]
    #[arg(help_heading = SERVER, hide_short_help = true)]
    auth_timeout: Duration,
    /// Number of wrong keys per minute from one address before answers are delayed
    #[arg(long, value_name = "N", default_value = "10", value_parser = at_least_one::<u32>)]
    #[arg(help_heading = SERVER, hide_short_help = true, allow_negative_numbers = true)]
    max_wrong_keys: u32,
    /// Delay of the answer to each further wrong key; the right key is never delayed
    #[arg(long, value_name = "DURATION", default_value = "1s", value_parser = duration)]
    #[arg(help_heading = SERVER, hide_short_help = true)]
    wrong_key_delay: Duration,
    /// Maximum size of a message from a client
    #[arg(long, value_name = "SIZE", default_value = "256KiB", value_parser = message_size)]
    #[arg(help_heading = SERVER, hide_short_help = true, allow_negative_numbers = true)]
    max_message_size: usize,
    /// Maximum size of a message to a client that did not ask for another maximum
    #[arg(long, value_name = "SIZE", default_value = "1MiB", value_parser = message_size)]
    #[arg(help_heading = SERVER, hide_short_help = true, allow_negative_numbers = true)]
    max_reply_size: usize,
    /// Sustained rate limit: messages per second from one client
    #[arg(long, value_name = "N", default_value = "20", value_parser = at_least_one::<u32>)]
    #[arg(help_heading = SERVER, hide_short_help = true, allow_negative_numbers = true)]
    messages_per_second: u32,
    /// Number of messages that a client may send at once, above the sustained rate
    #[arg(long, value_name = "N", default_value = "200", value_parser = at_least_one::<u32>)]
    #[arg(help_heading = SERVER, hide_short_help = true, allow_negative_numbers = true)]
    message_burst: u32,
    /// Time for which a client may exceed the rate limit before it is disconnected
    #[arg(long, value_name = "DURATION", default_value = "10s", value_parser = duration)]
    #[arg(help_heading = SERVER, hide_short_help = true)]
    flood_timeout: Duration,
    /// Number of messages queued for a slow client before it is disconnected
    #[arg(long, value_name = "N", default_value = "512", value_parser = at_least_one::<usize>)]
    #[arg(help_heading = SERVER, hide_short_help = true, allow_negative_numbers = true)]
    max_queued_messages: usize,
    /// Total size of the messages queued for a slow client before it is disconnected
    #[arg(long, value_name = "SIZE", default_value = "4MiB", value_parser = message_size)]
    #[arg(help_heading = SERVER, hide_short_help = true, allow_negative_numbers = true)]
    max_queued_size: usize,
    /// Time for one write to a client
    #[arg(long, value_name = "DURATION", default_value = "20s", value_parser = duration)]
    #[arg(help_heading = SERVER, hide_short_help = true)]
    write_timeout: Duration,
    /// Time without traffic from a client before it is disconnected; the server pings it after
    /// half of that
    #[arg(long, value_name = "DURATION", default_value = "2m", value_parser = duration)]
    #[arg(help_heading = SERVER, hide_short_help = true)]
    client_timeout: Duration,
}

impl ServerLimitOptions {
    pub(in crate::cli) fn limits(&self) -> ServerLimits {
        ServerLimits {
            max_connections: self.max_connections,
            max_unauthenticated: self.max_unauthenticated,
            unauthenticated_grace: self.unauthenticated_grace,
            request_timeout: self.request_timeout,
            auth_timeout: self.auth_timeout,
            max_wrong_keys: self.max_wrong_keys,
            wrong_key_delay: self.wrong_key_delay,
            max_message_bytes: self.max_message_size,
            messages_per_second: self.messages_per_second,
            message_burst: self.message_burst,
            flood_timeout: self.flood_timeout,
            max_queued_messages: self.max_queued_messages,
            max_queued_bytes: self.max_queued_size,
            write_timeout: self.write_timeout,
            client_timeout: self.client_timeout,
            max_reply_bytes: self.max_reply_size,
        }
    }
}

/// A number above 0.
fn at_least_one<T: FromStr + PartialOrd + From<u8>>(text: &str) -> Result<T, String> {
    let number = text.parse().ok().filter(|number| *number >= T::from(1));
    number.ok_or_else(|| "expected a whole number of at least 1".to_owned())
}

/// A size in bytes, KiB or MiB.
fn message_size(text: &str) -> Result<usize, BadValue> {
    let units = [("KiB", 1 << 10), ("MiB", 1 << 20), ("", 1)];
    let parsed = units.into_iter().find_map(|(unit, bytes)| {
        let number: usize = text.strip_suffix(unit)?.trim_end().parse().ok()?;
        number.checked_mul(bytes)
    });
    match parsed {
        Some(bytes) if bytes >= MIN_MESSAGE_BYTES => Ok(bytes),
        Some(_) => Err(BadValue::new("expected at least 1KiB")),
        None => {
            Err(BadValue::new("expected a size")
                .fix("write it as 256KiB, 4MiB or a number of bytes"))
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Alone {
        #[command(flatten)]
        options: ServerLimitOptions,
    }

    fn limits(words: &[&str]) -> ServerLimits {
        let words = [&["surefire"], words].concat();
        Alone::try_parse_from(words).unwrap().options.limits()
    }

    #[test]
    fn the_default_in_the_help_is_the_default() {
        assert_eq!(limits(&[]), ServerLimits::default());
    }

    #[test]
    fn each_option_sets_its_own_limit() {
        type Row = (&'static str, &'static str, fn(&ServerLimits) -> String, &'static str);
        let table: [Row; 16] = [
            ("--max-connections", "3", |limits| limits.max_connections.to_string(), "3"),
            ("--max-unauthenticated", "4", |limits| limits.max_unauthenticated.to_string(), "4"),
            (
                "--unauthenticated-grace",
                "1s",
                |limits| limits.unauthenticated_grace.as_secs().to_string(),
                "1",
            ),
            ("--request-timeout", "2s", |limits| limits.request_timeout.as_secs().to_string(), "2"),
            ("--auth-timeout", "4s", |limits| limits.auth_timeout.as_secs().to_string(), "4"),
            ("--max-wrong-keys", "5", |limits| limits.max_wrong_keys.to_string(), "5"),
            ("--wrong-key-delay", "2s", |limits| limits.wrong_key_delay.as_secs().to_string(), "2"),
            ("--max-message-size", "2KiB", |limits| limits.max_message_bytes.to_string(), "2048"),
            ("--max-reply-size", "3MiB", |limits| limits.max_reply_bytes.to_string(), "3145728"),
            ("--messages-per-second", "6", |limits| limits.messages_per_second.to_string(), "6"),
            ("--message-burst", "7", |limits| limits.message_burst.to_string(), "7"),
            ("--flood-timeout", "8s", |limits| limits.flood_timeout.as_secs().to_string(), "8"),
            ("--max-queued-messages", "9", |limits| limits.max_queued_messages.to_string(), "9"),
            ("--max-queued-size", "5000", |limits| limits.max_queued_bytes.to_string(), "5000"),
            ("--write-timeout", "11s", |limits| limits.write_timeout.as_secs().to_string(), "11"),
            ("--client-timeout", "12s", |limits| limits.client_timeout.as_secs().to_string(), "12"),
        ];
        for (option, value, read, expected) in table {
            let limits = limits(&[option, value]);
            assert_eq!(read(&limits), expected, "{option}");
            assert_ne!(limits, ServerLimits::default(), "{option}");
        }
    }

    #[test]
    fn a_limit_that_lets_nothing_through_is_refused() {
        for text in ["0", "-1", "1.5", "many", "", "99999999999999999999999"] {
            assert!(
                at_least_one::<u32>(text).is_err() && at_least_one::<usize>(text).is_err(),
                "{text}"
            );
        }
        for (text, size) in [
            ("1024", Ok(1024)),
            ("1KiB", Ok(1024)),
            ("4 MiB", Ok(4 << 20)),
            ("1023", Err("expected at least 1KiB")),
            ("0KiB", Err("expected at least 1KiB")),
        ] {
            assert_eq!(message_size(text), size.map_err(BadValue::new), "{text}");
        }
        for text in ["", "KiB", "-1KiB", "1kb", "99999999999999999999MiB", "99999999999999MiB"] {
            let bad = message_size(text).unwrap_err().to_string();
            assert_eq!(
                bad, "expected a size; write it as 256KiB, 4MiB or a number of bytes",
                "{text}"
            );
        }
    }
}
