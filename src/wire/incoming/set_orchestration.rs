//! `set_orchestration`: the switch for recipes.

use serde::{Deserialize, Serialize};

use crate::run::SessionId;

/// To switch recipes on or off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct SetOrchestration {
    /// On or off.
    pub enabled: bool,
    /// Only in this session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
}
