//! A line about a run that every client shows.

use serde::{Deserialize, Serialize};

/// A line about a run: what it says something about, and what.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Detail {
    /// What it says something about, in lower case.
    pub label: String,
    /// The words.
    pub text: String,
}
