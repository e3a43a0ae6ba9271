//! `refresh_sessions`: which sessions there are.

use serde::{Deserialize, Serialize};

use super::connect::{recent_sessions, recent_sessions_limit};

/// To be sent the lists of sessions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefreshSessions {
    /// How many recent ones.
    #[serde(default = "recent_sessions", deserialize_with = "recent_sessions_limit")]
    pub recent_sessions_limit: u32,
}
