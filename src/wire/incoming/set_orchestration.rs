//! `set_orchestration`: switches recipes on or off.

use serde::{Deserialize, Serialize};

use crate::run::SessionId;

/// Switches recipes on or off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct SetOrchestration {
    /// On or off.
    pub enabled: bool,
    /// The only session to switch; all of them if it is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
}
