//! A conversation, or a part of it.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::run::SessionId;
use crate::wire::Stamp;

/// Some messages of a conversation: the answer to `subscribe`, and those pushed afterwards.
///
/// One struct serves all versions of the protocol. Version 0.5 reads the first four fields, 0.4 the
/// next five.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SessionHistory {
    /// The session.
    pub session_id: SessionId,
    /// The messages, in order and without gaps.
    pub messages: Vec<HistoryMessage>,
    /// The offset to ask for next. The app deletes the messages that it has from there on.
    pub next_offset: u64,
    /// Whether the conversation has no message from there on.
    pub end_of_file: bool,
    /// Identifies the conversation; if it changes, earlier offsets are invalid.
    pub file_signature: String,
    /// Set if the client's offset belongs to another conversation of this session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file_replaced: Option<bool>,
    /// The 1-based number of the first message here.
    pub first_seq: Option<u64>,
    /// The number of the last one.
    pub last_seq: Option<u64>,
    /// The number that the conversation's next message will have.
    pub next_seq: u64,
    /// The same as `end_of_file`.
    pub is_complete: bool,
    /// Always `null`: there are no gaps.
    pub gap: Option<()>,
    /// How many messages the conversation has.
    pub total_count: u64,
}

/// One message of a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HistoryMessage {
    /// The session.
    pub session_id: SessionId,
    /// Identifies the message in all messages about it.
    pub uuid: Uuid,
    /// `user` or `assistant`.
    pub role: String,
    /// The same as `role`, for clients that read this field.
    #[serde(rename = "type")]
    pub kind: String,
    /// Its text.
    pub text: String,
    /// When it was recorded; never earlier than the previous message.
    pub timestamp: Stamp,
    /// Its 0-based position.
    pub offset: u64,
    /// Its 1-based number.
    pub seq: u64,
    /// The same as `uuid`, for clients that read this field.
    pub id: Uuid,
    /// The session's agent, by a name that all clients know.
    pub provider: String,
    /// What it notes, if the server wrote it and not a user, a recipe or an agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mark: Option<DeliveryMark>,
    /// Whether the agent received it, or may have: `false` for a prompt that was withdrawn while it
    /// was queued, and left out otherwise.
    #[serde(default = "yes", skip_serializing_if = "is_set")]
    pub delivered: bool,
}

const fn yes() -> bool {
    true
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands the field over like this")]
const fn is_set(flag: &bool) -> bool {
    *flag
}

/// What the server itself notes in a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum DeliveryMark {
    /// A prompt was still queued when the session or its run was stopped. The agent does not
    /// receive it.
    NotDelivered,
    /// A prompt was being delivered when its run was stopped. Whether the agent received it is not
    /// known.
    NotAnswered,
}
