//! `set_max_message_size`: limits the size of messages to the client.

use serde::{Deserialize, Serialize};

use crate::wire::forms::positive;

/// Limits the size of messages to the client.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct SetMaxMessageSize {
    /// The limit, in units of 1024 bytes.
    #[serde(deserialize_with = "positive")]
    pub size_kb: u32,
}
