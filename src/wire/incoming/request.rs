//! A client's message with its request id, as a frame holds it.

use serde::{Deserialize, Deserializer, Serialize, de};
use serde_json::{Map, Value};

use super::ClientMessage;
use crate::run::SessionId;
use crate::wire::decode_error::{DecodeError, Rejected};
use crate::wire::fields::Fields;
use crate::wire::request_id::RequestId;

/// A client's message, and the id that the client gave it.
///
/// ```
/// use surefire::wire::{ClientMessage, Request};
///
/// let request = Request::read(r#"{"type": "refresh_sessions", "request_id": "7"}"#).unwrap();
/// assert_eq!(request.request_id.as_ref().unwrap().as_str(), "7");
/// assert_eq!(Request::read(&request.to_json()).unwrap(), request);
/// ```
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Request {
    /// The message.
    #[serde(flatten)]
    pub message: ClientMessage,
    /// Its id: `ack` and `error` carry it back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_id: Option<RequestId>,
}

impl Request {
    /// Reads a frame's text.
    ///
    /// # Errors
    /// It is not a message, or one of its fields is missing or wrong.
    pub fn read(text: &str) -> Result<Self, Rejected> {
        if is_bare_ping(text) {
            return Ok(Self { message: ClientMessage::Ping, request_id: None });
        }
        let reject = |why| Rejected { why, session: None, request_id: None };
        // The parser limits how deep values nest; the protocol needs two levels.
        let value = serde_json::from_str(text)
            .map_err(|error| reject(DecodeError::NotJson(error.to_string())))?;
        let Value::Object(mut values) = value else { return Err(reject(DecodeError::NotAnObject)) };
        let request_id = match values.remove("request_id") {
            Some(Value::String(id)) => RequestId::new(id),
            Some(_) | None => None,
        };
        let session = session_of(&values);
        match message_of(values) {
            Ok(message) => Ok(Self { message, request_id }),
            Err(why) => Err(Rejected { why, session, request_id }),
        }
    }

    /// The text of its frame.
    #[must_use]
    pub fn to_json(&self) -> String {
        // Serialization fails only for maps with keys that are not strings and for a `Serialize`
        // that returns an error; a request has neither.
        serde_json::to_string(self).unwrap_or_default()
    }
}

impl ClientMessage {
    /// Reads a frame's text.
    ///
    /// # Errors
    /// It is not a message, or one of its fields is missing or wrong.
    pub fn read(text: &str) -> Result<Self, Rejected> {
        Request::read(text).map(|request| request.message)
    }
}

impl<'de> Deserialize<'de> for ClientMessage {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        message_of(Map::deserialize(deserializer)?).map_err(de::Error::custom)
    }
}

fn message_of(mut values: Map<String, Value>) -> Result<ClientMessage, DecodeError> {
    let Some(Value::String(name)) = values.remove("type") else { return Err(DecodeError::NoType) };
    let Some(kind) = ClientMessage::TYPES.iter().find(|kind| **kind == name) else {
        return Err(DecodeError::UnknownType(name));
    };
    ClientMessage::of_type(kind, Fields(values)).map_err(|error| error.in_message(kind))
}

/// The session that a message is about, so that the error can name it even if the rest is invalid.
fn session_of(values: &Map<String, Value>) -> Option<SessionId> {
    let names = ["session_id", "resume_session_id", "new_session_id"];
    names.iter().find_map(|name| values.get(*name)?.as_str()?.parse().ok())
}

/// The longest frame that is tried as a bare ping.
const MAX_PING_BYTES: usize = 64;

/// Whether it is a ping and nothing else. Pings are the most frequent messages, and decoding one
/// field by field would be wasted.
fn is_bare_ping(text: &str) -> bool {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Bare<'m> {
        #[serde(rename = "type")]
        name: &'m str,
    }
    text.len() <= MAX_PING_BYTES
        && serde_json::from_str::<Bare<'_>>(text).is_ok_and(|bare| bare.name == "ping")
}
