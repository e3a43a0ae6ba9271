//! A line about a run that every client shows.

use serde::{Deserialize, Serialize};

/// A line about a run: a label and a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Detail {
    /// The label, in lower case.
    pub label: String,
    /// The text.
    pub text: String,
}
