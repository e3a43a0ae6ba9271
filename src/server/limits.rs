//! Limits on what clients may do.

use std::time::Duration;

use tokio::sync::Semaphore;

/// Durations are clamped to this, because a clock cannot represent any time in the future.
const MAX_DURATION: Duration = Duration::from_secs(24 * 365 * 60 * 60);

/// The limits of a server. The defaults suit one person with a few devices.
///
/// ```
/// use surefire::server::ServerLimits;
///
/// let limits = ServerLimits::default().max_connections(1000);
/// assert_eq!(limits.max_message_bytes, 256 * 1024);
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ServerLimits {
    /// How many authenticated clients may be connected at once. Processes of the same user have 64
    /// connections in addition to these.
    pub max_connections: usize,
    /// How many other connections may have a slot at once: not authenticated yet, or plain HTTP.
    /// Loopback addresses have as many slots of their own, and further connections wait for a slot.
    /// There are fewer slots if the process may have few files open.
    pub max_unauthenticated: usize,
    /// How long such a connection keeps its slot at least, before another one may displace it.
    pub unauthenticated_grace: Duration,
    /// How long a connection may take to send its first byte, and to complete its request; also how
    /// long it may wait for a slot.
    pub request_timeout: Duration,
    /// How long a client may take to authenticate.
    pub auth_timeout: Duration,
    /// How many wrong keys per minute from one address are answered without a delay.
    pub max_wrong_keys: u32,
    /// How long the reply to each further wrong key is delayed. The right key is never delayed.
    pub wrong_key_delay: Duration,
    /// How many bytes a client's message may have.
    pub max_message_bytes: usize,
    /// How many messages per second a client may send on average.
    pub messages_per_second: u32,
    /// How many messages it may send in one burst.
    pub message_burst: u32,
    /// How long a client may keep exceeding its rate limit before it is disconnected.
    pub flood_timeout: Duration,
    /// How many messages may be queued for a client that reads slowly.
    pub max_queued_messages: usize,
    /// How many bytes may be queued for it.
    pub max_queued_bytes: usize,
    /// How long a client may take to read one batch: one large message, or many small ones.
    pub write_timeout: Duration,
    /// A client that sends nothing for this long is disconnected. It is pinged before that.
    pub client_timeout: Duration,
    /// How many bytes a message to a client may have, unless the client sets its own limit.
    pub max_reply_bytes: usize,
}

setters!(ServerLimits {
    max_connections: usize,
    max_unauthenticated: usize,
    unauthenticated_grace: Duration,
    request_timeout: Duration,
    auth_timeout: Duration,
    max_wrong_keys: u32,
    wrong_key_delay: Duration,
    max_message_bytes: usize,
    messages_per_second: u32,
    message_burst: u32,
    flood_timeout: Duration,
    max_queued_messages: usize,
    max_queued_bytes: usize,
    write_timeout: Duration,
    client_timeout: Duration,
    max_reply_bytes: usize,
});

impl Default for ServerLimits {
    fn default() -> Self {
        Self {
            max_connections: 64,
            max_unauthenticated: 64,
            unauthenticated_grace: Duration::from_millis(250),
            request_timeout: Duration::from_secs(3),
            auth_timeout: Duration::from_secs(10),
            max_wrong_keys: 10,
            wrong_key_delay: Duration::from_secs(1),
            max_message_bytes: 256 * 1024,
            messages_per_second: 20,
            message_burst: 200,
            flood_timeout: Duration::from_secs(10),
            max_queued_messages: 512,
            // Four of the largest messages. With the batch that is being written, a client that
            // never reads costs about twice this.
            max_queued_bytes: 4 << 20,
            write_timeout: Duration::from_secs(20),
            client_timeout: Duration::from_secs(2 * 60),
            // The default limit of the app's WebSocket.
            max_reply_bytes: 1 << 20,
        }
    }
}

impl ServerLimits {
    /// Clamps limits that are too large for semaphores and clocks.
    pub(super) fn clamped(self) -> Self {
        Self {
            max_connections: self.max_connections.min(Semaphore::MAX_PERMITS),
            unauthenticated_grace: self.unauthenticated_grace.min(MAX_DURATION),
            wrong_key_delay: self.wrong_key_delay.min(MAX_DURATION),
            max_queued_messages: self.max_queued_messages.min(Semaphore::MAX_PERMITS),
            request_timeout: self.request_timeout.min(MAX_DURATION),
            auth_timeout: self.auth_timeout.min(MAX_DURATION),
            flood_timeout: self.flood_timeout.min(MAX_DURATION),
            write_timeout: self.write_timeout.min(MAX_DURATION),
            client_timeout: self.client_timeout.min(MAX_DURATION),
            ..self
        }
    }
}
