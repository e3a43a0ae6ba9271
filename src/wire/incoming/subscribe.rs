//! `subscribe`: subscribes to a session's conversation.

use serde::{Deserialize, Serialize};

use crate::run::SessionId;
use crate::wire::forms::lenient;

/// Subscribes to a session's conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "SubscribeFields", into = "SubscribeFields")]
pub struct Subscribe {
    /// The session.
    pub session_id: SessionId,
    /// The offset of the first message that the client lacks; `None` if it has no message yet.
    pub from: Option<u64>,
    /// The signature of the conversation that the offset belongs to.
    pub file_signature_seen: Option<String>,
}

/// The fields on the wire. Protocol 0.5 counts from 0 and names the first message that the client
/// lacks; 0.4 counts from 1 and names the last one that it has. Both are the same number.
#[derive(Serialize, Deserialize)]
struct SubscribeFields {
    session_id: SessionId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    from_offset: Option<u64>,
    #[serde(default, skip_serializing)]
    last_seq: Option<u64>,
    #[serde(default, deserialize_with = "lenient", skip_serializing_if = "Option::is_none")]
    file_signature_seen: Option<String>,
}

impl From<SubscribeFields> for Subscribe {
    fn from(fields: SubscribeFields) -> Self {
        let SubscribeFields { session_id, from_offset, last_seq, file_signature_seen } = fields;
        Self { session_id, from: from_offset.or(last_seq), file_signature_seen }
    }
}

impl From<Subscribe> for SubscribeFields {
    fn from(subscribe: Subscribe) -> Self {
        let Subscribe { session_id, from, file_signature_seen } = subscribe;
        Self { session_id, from_offset: from, last_seq: None, file_signature_seen }
    }
}
