//! Taking the fields out of a client's message, one by one, and saying what is wrong with them.
//!
//! A field that is `null` counts as left out, everywhere: the app's encoders write both. Fields that nobody asks for are
//! ignored.

use std::time::Duration;

use serde_json::{Map, Value};

use crate::run::{NotAnId, RunId, SessionId};

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
    /// It is of a type that nobody knows.
    #[error("Unknown message type: {}", short(.0))]
    UnknownType(String),
    /// A field is missing.
    #[error("{field} required in {kind} message")]
    Missing {
        /// The field.
        field: &'static str,
        /// The type of the message.
        kind: &'static str,
    },
    /// A field is of the wrong type.
    #[error("{field} must be {expected} in {kind} message")]
    WrongType {
        /// The field.
        field: &'static str,
        /// What it should be, in words.
        expected: &'static str,
        /// The type of the message.
        kind: &'static str,
    },
    /// A field should be an id.
    #[error("{field} in {kind} message: {not}")]
    NotAnId {
        /// The field.
        field: &'static str,
        /// The type of the message.
        kind: &'static str,
        /// What is wrong with it.
        not: NotAnId,
    },
}

/// A refusal, and the session that the message was about, where it named one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// Why.
    pub why: Refusal,
    /// The session.
    pub session: Option<SessionId>,
}

/// Somebody else's word, short and without control characters.
fn short(text: &str) -> String {
    text.escape_debug().take(80).collect()
}

/// The fields of one message.
pub(super) struct Fields {
    kind: &'static str,
    values: Map<String, Value>,
}

impl Fields {
    pub(super) fn new(kind: &'static str, values: Map<String, Value>) -> Self {
        Self { kind, values }
    }

    /// Whether the field is there at all, be it `null`.
    pub(super) fn has(&self, field: &str) -> bool {
        self.values.contains_key(field)
    }

    fn take(&mut self, field: &str) -> Option<Value> {
        self.values.remove(field).filter(|value| !value.is_null())
    }

    pub(super) fn missing(&self, field: &'static str) -> Refusal {
        Refusal::Missing { field, kind: self.kind }
    }

    pub(super) fn wrong(&self, field: &'static str, expected: &'static str) -> Refusal {
        Refusal::WrongType { field, expected, kind: self.kind }
    }

    pub(super) fn text(&mut self, field: &'static str) -> Result<Option<String>, Refusal> {
        match self.take(field) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(self.wrong(field, "a string")),
        }
    }

    /// A text that says something.
    pub(super) fn required_text(&mut self, field: &'static str) -> Result<String, Refusal> {
        let text = self.text(field)?.filter(|text| !text.trim().is_empty());
        text.ok_or_else(|| self.missing(field))
    }

    /// A text, or nothing where there is anything else: for fields that must not get in the way.
    pub(super) fn text_or_nothing(&mut self, field: &str) -> Option<String> {
        match self.take(field) {
            Some(Value::String(text)) => Some(text),
            Some(_) | None => None,
        }
    }

    pub(super) fn flag(&mut self, field: &'static str) -> Result<bool, Refusal> {
        match self.take(field) {
            Some(Value::Bool(flag)) => Ok(flag),
            Some(_) => Err(self.wrong(field, "true or false")),
            None => Err(self.missing(field)),
        }
    }

    /// Whether it says `true`: for fields that must not get in the way.
    pub(super) fn is_true(&mut self, field: &str) -> bool {
        self.take(field) == Some(Value::Bool(true))
    }

    /// A whole number from 0 on.
    pub(super) fn count(&mut self, field: &'static str) -> Result<Option<u64>, Refusal> {
        let Some(value) = self.take(field) else { return Ok(None) };
        value.as_u64().map(Some).ok_or_else(|| self.wrong(field, "a whole number"))
    }

    /// The same, where it is something that can be counted up to.
    pub(super) fn small_count(&mut self, field: &'static str) -> Result<Option<u32>, Refusal> {
        let number = self.count(field)?.map(u32::try_from).transpose();
        number.map_err(|_| self.wrong(field, "a whole number"))
    }

    /// A whole number from 1 on.
    pub(super) fn positive(&mut self, field: &'static str) -> Result<Option<u32>, Refusal> {
        let Some(value) = self.take(field) else { return Ok(None) };
        let number =
            value.as_u64().and_then(|number| u32::try_from(number).ok()).filter(|number| *number > 0);
        number.map(Some).ok_or_else(|| self.wrong(field, "a positive whole number"))
    }

    /// A number above 0.
    pub(super) fn amount(&mut self, field: &'static str) -> Result<Option<f64>, Refusal> {
        let Some(value) = self.take(field) else { return Ok(None) };
        let number = value.as_f64().filter(|number| number.is_finite() && *number > 0.0);
        number.map(Some).ok_or_else(|| self.wrong(field, "a positive number"))
    }

    /// A time in seconds.
    pub(super) fn seconds(&mut self, field: &'static str) -> Result<Option<Duration>, Refusal> {
        let Some(seconds) = self.amount(field)? else { return Ok(None) };
        // So little that it is nothing is no time.
        let time = Duration::try_from_secs_f64(seconds).ok().filter(|time| !time.is_zero());
        time.map(Some).ok_or_else(|| self.wrong(field, "a positive number"))
    }

    /// The fields of an object inside of the message.
    pub(super) fn inner(&mut self, field: &'static str) -> Result<Option<Self>, Refusal> {
        match self.take(field) {
            None => Ok(None),
            Some(Value::Object(values)) => Ok(Some(Self::new(self.kind, values))),
            Some(_) => Err(self.wrong(field, "an object")),
        }
    }

    pub(super) fn session(&mut self, field: &'static str) -> Result<Option<SessionId>, Refusal> {
        let kind = self.kind;
        let read = |text: String| text.parse().map_err(|not| Refusal::NotAnId { field, kind, not });
        self.text(field)?.map(read).transpose()
    }

    pub(super) fn required_session(&mut self) -> Result<SessionId, Refusal> {
        self.session("session_id")?.ok_or_else(|| self.missing("session_id"))
    }

    pub(super) fn required_run(&mut self, field: &'static str) -> Result<RunId, Refusal> {
        let kind = self.kind;
        let text = self.required_text(field)?;
        text.parse().map_err(|not| Refusal::NotAnId { field, kind, not })
    }
}
