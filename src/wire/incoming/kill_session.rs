//! `kill_session`: to end everything that is running in a session.

use serde::{Deserialize, Serialize};

use crate::run::SessionId;

/// To end everything that is running in a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct KillSession {
    /// The session.
    pub session_id: SessionId,
}
