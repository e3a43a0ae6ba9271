//! Why a client's message cannot be decoded.

use super::request_id::RequestId;
use crate::run::SessionId;

/// Why a client's message cannot be decoded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DecodeError {
    /// It is not JSON.
    #[error("message is not valid JSON: {0}")]
    NotJson(String),
    /// It is JSON, but not an object.
    #[error("message must be a JSON object")]
    NotAnObject,
    /// It has no `type`.
    #[error("type required in message")]
    NoType,
    /// The protocol does not have its type.
    #[error("Unknown message type: {}", short(.0))]
    UnknownType(String),
    /// A field is missing.
    #[error("{field} required in {kind} message")]
    Missing {
        /// The field.
        field: String,
        /// The type of the message.
        kind: &'static str,
    },
    /// A field holds a value of the wrong type.
    #[error("{field} must be {expected} in {kind} message")]
    WrongType {
        /// The field.
        field: &'static str,
        /// What it should be, in words.
        expected: String,
        /// The type of the message.
        kind: &'static str,
    },
    /// A field holds an invalid value, such as a malformed id.
    #[error("{field} in {kind} message: {why}")]
    Meaningless {
        /// The field.
        field: &'static str,
        /// The type of the message.
        kind: &'static str,
        /// What is wrong with it.
        why: String,
    },
}

/// A message that was rejected: why, and what it was about as far as it says.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Rejected {
    /// Why.
    pub why: DecodeError,
    /// The session that it names.
    pub session: Option<SessionId>,
    /// The id that the client gave its request.
    pub request_id: Option<RequestId>,
}

/// A client's text, shortened and without control characters.
fn short(text: &str) -> String {
    text.escape_debug().take(80).collect()
}
