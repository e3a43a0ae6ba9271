//! The name that a client gives a request.

use serde::{Deserialize, Serialize};

/// The name that a client gives a request, to know its answer by. Any text of at most [`RequestId::MAX_BYTES`] bytes.
///
/// ```
/// use surefire::wire::RequestId;
///
/// assert_eq!(RequestId::new("start 1").unwrap().as_str(), "start 1");
/// assert!(RequestId::new("x".repeat(RequestId::MAX_BYTES + 1)).is_none());
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RequestId(String);

impl RequestId {
    /// How long it may be: the server repeats it, and keeps it until it has answered.
    pub const MAX_BYTES: usize = 128;

    /// This text as an id, if it is not too long.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Option<Self> {
        Some(text.into()).filter(|text| text.len() <= Self::MAX_BYTES).map(Self)
    }

    /// An id for the request of this number.
    #[must_use]
    pub fn numbered(number: u64) -> Self {
        Self(number.to_string())
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}
