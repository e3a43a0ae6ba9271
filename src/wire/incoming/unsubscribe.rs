//! `unsubscribe`, `session_deleted`: to hear of a session no longer.

use serde::{Deserialize, Serialize};

use crate::run::SessionId;
use crate::wire::forms::lenient;

/// To hear of a session no longer. It is taken silently, whatever it names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unsubscribe {
    /// The session, if it names one.
    #[serde(default, deserialize_with = "lenient", skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
}
