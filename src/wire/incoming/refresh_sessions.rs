//! `refresh_sessions`: asks for the lists of sessions.

use serde::{Deserialize, Serialize};

use super::connect::{recent_sessions, recent_sessions_limit};

/// Asks for the lists of sessions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefreshSessions {
    /// How many recent sessions to list.
    #[serde(default = "recent_sessions", deserialize_with = "recent_sessions_limit")]
    pub recent_sessions_limit: u32,
}
