//! `prune_runs`, `prune_sessions`: delete old runs and sessions.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::wire::forms::seconds;

/// Deletes runs that ended long ago.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct PruneRuns {
    /// Those that ended longer ago than this.
    #[serde(rename = "older_than_s", with = "seconds")]
    pub older_than: Duration,
}

/// Deletes old sessions, with their runs and conversations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct PruneSessions {
    /// Those in which nothing has happened for longer than this.
    #[serde(rename = "older_than_s", with = "seconds")]
    pub older_than: Duration,
}
