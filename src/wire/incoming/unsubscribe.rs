//! `unsubscribe`, `session_deleted`: unsubscribe from a session's conversation.

use serde::{Deserialize, Serialize};

use crate::run::SessionId;
use crate::wire::forms::lenient;

/// Unsubscribes from a session's conversation. The server accepts it even for a session that does
/// not exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unsubscribe {
    /// The session, if the message names a valid one.
    #[serde(default, deserialize_with = "lenient", skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
}
