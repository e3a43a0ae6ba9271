//! `set_orchestration`: the switch for recipes.

use crate::run::SessionId;
use crate::wire::fields::{Fields, Refusal};

/// The wish to switch recipes on or off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SetOrchestration {
    /// On or off.
    pub enabled: bool,
    /// Only in this session.
    pub session_id: Option<SessionId>,
}

impl SetOrchestration {
    pub(super) fn read(fields: &mut Fields) -> Result<Self, Refusal> {
        Ok(Self { enabled: fields.flag("enabled")?, session_id: fields.session("session_id")? })
    }
}
