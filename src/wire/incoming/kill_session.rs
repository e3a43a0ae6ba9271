//! `kill_session`: stops everything that is running in a session.

use serde::{Deserialize, Serialize};

use crate::run::SessionId;

/// Stops everything that is running in a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct KillSession {
    /// The session.
    pub session_id: SessionId,
}
