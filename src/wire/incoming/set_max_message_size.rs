//! `set_max_message_size`: how large a message to the client may be.

use serde::{Deserialize, Serialize};

use crate::wire::forms::positive;

/// How large a message to the client may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct SetMaxMessageSize {
    /// In units of 1024 bytes.
    #[serde(deserialize_with = "positive")]
    pub size_kb: u32,
}
