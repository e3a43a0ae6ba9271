//! Who resumed a run.

use serde::{Deserialize, Serialize};

/// Who resumed a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, strum::Display)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
#[non_exhaustive]
pub enum ResumedBy {
    /// A person.
    User,
    /// The engine, after a reason for which a retry can help.
    Auto,
}

/// How often a run resumed by itself, and after which reason it last did.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Resumes {
    /// How often it resumed by itself.
    pub(super) auto: u32,
    /// The reason after which it last resumed by itself; cleared once it makes progress.
    pub(super) stuck_on: Option<String>,
}
