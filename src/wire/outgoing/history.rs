//! A conversation, or a part of it.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::run::SessionId;
use crate::wire::Stamp;

/// Some messages of a conversation: the answer to `subscribe`, and what is pushed afterwards.
///
/// All versions of the protocol are served by one shape. Version 0.5 reads the first four fields, 0.4 the next five.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionHistory {
    /// The session.
    pub session_id: SessionId,
    /// The messages, in order and without gaps.
    pub messages: Vec<HistoryMessage>,
    /// The offset to ask for next. The app deletes what it has at and behind it.
    pub next_offset: u64,
    /// Whether there is nothing behind it.
    pub end_of_file: bool,
    /// Names the conversation; another signature means that all offsets are new.
    pub file_signature: String,
    /// Set where the client's offset belonged to another conversation of the same name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file_replaced: Option<bool>,
    /// The number of the first message here, from 1.
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
    /// Names the message, everywhere.
    pub uuid: Uuid,
    /// `user` or `assistant`.
    pub role: String,
    /// The same as `role`, for clients that look there.
    #[serde(rename = "type")]
    pub kind: String,
    /// The words.
    pub text: String,
    /// When; never before the message before it.
    pub timestamp: Stamp,
    /// Its place, from 0.
    pub offset: u64,
    /// Its number, from 1.
    pub seq: u64,
    /// The same as `uuid`, for clients that look there.
    pub id: Uuid,
    /// The session's agent, by a name that all clients know.
    pub provider: String,
    /// What it is, where it is not the words of a person, a recipe or an agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mark: Option<Mark>,
    /// Whether the agent got it, or may have: not so for a prompt that was withdrawn while it was queued. It is there only where it
    /// is `false`.
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
pub enum Mark {
    /// A prompt was still queued when the session or its run was stopped. The agent does not get it.
    NotDelivered,
    /// A prompt was being delivered when its run was stopped. Whether the agent got it is not known.
    NotAnswered,
}
