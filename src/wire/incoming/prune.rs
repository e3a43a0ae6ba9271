//! `prune_runs`, `prune_sessions`: to delete what is old.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::wire::forms::seconds;

/// To delete runs that are long over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct PruneRuns {
    /// Those that ended longer ago than this.
    #[serde(rename = "older_than_s", with = "seconds")]
    pub older_than: Duration,
}

/// To delete old sessions, with all that is in them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct PruneSessions {
    /// Those in which nothing has happened for longer than this.
    #[serde(rename = "older_than_s", with = "seconds")]
    pub older_than: Duration,
}
