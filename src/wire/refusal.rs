//! Why a client's message cannot be taken as one.

use super::request_id::RequestId;
use crate::run::SessionId;

/// Why a client's message cannot be taken as one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// It is not JSON.
    #[error("message is not valid JSON: {0}")]
    NotJson(String),
    /// It is JSON, but not an object.
    #[error("message must be a JSON object")]
    NotAnObject,
    /// It does not say what it is.
    #[error("type required in message")]
    NoType,
    /// It is of a type that the protocol does not have.
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
    /// A field holds something else than it may hold.
    #[error("{field} must be {expected} in {kind} message")]
    WrongType {
        /// The field.
        field: &'static str,
        /// What it should be, in words.
        expected: String,
        /// The type of the message.
        kind: &'static str,
    },
    /// A field holds a text that does not mean anything there, such as an id that is none.
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

/// A refusal, and what the message was about, where it said so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// Why.
    pub why: Refusal,
    /// The session.
    pub session: Option<SessionId>,
    /// The id that the client gave its request.
    pub request_id: Option<RequestId>,
}

/// A client's word, short and without control characters.
fn short(text: &str) -> String {
    text.escape_debug().take(80).collect()
}
