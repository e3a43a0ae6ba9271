//! The id that a client gives a request.

use serde::{Deserialize, Serialize};

/// The id that a client gives a request, to match its answer. Any text of at most
/// [`RequestId::MAX_BYTES`] bytes.
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
    /// How long it may be: the server keeps it until it has answered, and echoes it.
    pub const MAX_BYTES: usize = 128;

    /// This text as an id, if it is not too long.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Option<Self> {
        Some(text.into()).filter(|text| text.len() <= Self::MAX_BYTES).map(Self)
    }

    /// An id for a client's request of this number.
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
