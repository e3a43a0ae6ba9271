//! What clients may ask of the server.

use std::time::Duration;

use tokio::sync::Semaphore;

/// The longest time that makes sense; clocks cannot be set to any time.
const LONGEST: Duration = Duration::from_hours(24 * 365);

/// The limits of a server. The usual ones are for one person with a few devices.
///
/// ```
/// use surefire::server::ServerLimits;
///
/// let limits = ServerLimits { connections: 1000, ..ServerLimits::default() };
/// assert_eq!(limits.message_size, 256 * 1024);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct ServerLimits {
    /// How many clients that have shown the key may be connected at once. Processes of the same user have 64 beside these.
    pub connections: usize,
    /// How many other connections may have a slot at once: not authenticated yet, or plain HTTP. The addresses of this machine have as
    /// many of their own, and more wait for a slot. There are fewer where the process may have few files open.
    pub unauthenticated: usize,
    /// How long one of those may stay at least, before it has to make room for another.
    pub unauthenticated_grace: Duration,
    /// How long a connection may take until its first byte, and until its request is complete; also how long one may wait for
    /// a slot.
    pub request_time: Duration,
    /// How long a client may take to authenticate.
    pub auth_time: Duration,
    /// How many wrong keys from one address in a minute are answered at once.
    pub wrong_keys: u32,
    /// How long the answer to each further one waits. The right key never waits.
    pub wrong_key_delay: Duration,
    /// How many bytes a client's message may have.
    pub message_size: usize,
    /// How many messages a second a client may send for long.
    pub messages_per_second: u32,
    /// How many it may send at once.
    pub burst: u32,
    /// How long a client may keep sending faster than it is heard, before its socket is closed.
    pub flood_patience: Duration,
    /// How many messages may wait for a client that reads slowly.
    pub queue: usize,
    /// How many bytes may wait for it.
    pub queue_bytes: usize,
    /// How long a client may take to read what it is sent together: one large message, or many small ones.
    pub write_patience: Duration,
    /// How long nothing at all may be heard of a client. It is pinged before that.
    pub silence: Duration,
    /// How many bytes a message to a client may have that has not named a limit of its own.
    pub reply_size: usize,
}

impl Default for ServerLimits {
    fn default() -> Self {
        Self {
            connections: 64,
            unauthenticated: 64,
            unauthenticated_grace: Duration::from_millis(250),
            request_time: Duration::from_secs(3),
            auth_time: Duration::from_secs(10),
            wrong_keys: 10,
            wrong_key_delay: Duration::from_secs(1),
            message_size: 256 * 1024,
            messages_per_second: 20,
            burst: 200,
            flood_patience: Duration::from_secs(10),
            queue: 512,
            // Four of the largest messages. With what is being sent besides, a client that never reads costs about twice this.
            queue_bytes: 4 << 20,
            write_patience: Duration::from_secs(20),
            silence: Duration::from_mins(2),
            // What the app's WebSocket takes without being asked for more.
            reply_size: 1 << 20,
        }
    }
}

impl ServerLimits {
    /// The same limits, none of them so large that it cannot be counted up to.
    pub(super) fn that_can_be_kept(self) -> Self {
        Self {
            connections: self.connections.min(Semaphore::MAX_PERMITS),
            unauthenticated_grace: self.unauthenticated_grace.min(LONGEST),
            wrong_key_delay: self.wrong_key_delay.min(LONGEST),
            queue: self.queue.min(Semaphore::MAX_PERMITS),
            request_time: self.request_time.min(LONGEST),
            auth_time: self.auth_time.min(LONGEST),
            flood_patience: self.flood_patience.min(LONGEST),
            write_patience: self.write_patience.min(LONGEST),
            silence: self.silence.min(LONGEST),
            ..self
        }
    }
}
