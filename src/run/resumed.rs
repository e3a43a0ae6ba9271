//! How a run came to be resumed.

use serde::{Deserialize, Serialize};

/// At whose wish a run goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, strum::Display)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum ResumedBy {
    /// A person's.
    User,
    /// Nobody's: its reason is one where trying again can help.
    Auto,
}

/// How often a run went on by itself, and why last.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Resumes {
    /// How often it went on by itself.
    pub(super) auto: u32,
    /// The reason it last went on after by itself, until it gets anywhere.
    pub(super) stuck_on: Option<String>,
}
