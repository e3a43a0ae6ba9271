//! `connect`: who a client is.

use crate::wire::ProtocolVersion;
use crate::wire::fields::Fields;

/// How many recent sessions a client is told about that does not say.
const RECENT_SESSIONS: u32 = 5;

/// The most that it is told about.
const MOST_RECENT_SESSIONS: u32 = 50;

/// What a client says about itself. None of it is ever refused for its form: a key that is none is just a wrong one.
#[derive(Clone, PartialEq, Eq)]
pub struct Connect {
    /// The key it knows.
    pub api_key: Option<String>,
    /// The version that it announces, where that can be read, and as it was written.
    pub protocol_version: Option<(ProtocolVersion, String)>,
    /// Some id of its own, which it wants to hear again.
    pub session_id: Option<String>,
    /// How many recent sessions it wants to be told about.
    pub recent_sessions_limit: u32,
    /// Whether it wants `work_changed`.
    pub work: bool,
}

impl Connect {
    pub(super) fn read(fields: &mut Fields) -> Self {
        let announced = fields.text_or_nothing("protocol_version");
        Self {
            api_key: fields.text_or_nothing("api_key"),
            protocol_version: announced.and_then(|text| Some((ProtocolVersion::read(&text)?, text))),
            session_id: fields.text_or_nothing("session_id"),
            recent_sessions_limit: recent_sessions_limit(fields),
            work: fields.is_true("work"),
        }
    }
}

/// The limit that a client wants, or the usual one where it makes no sense.
pub(super) fn recent_sessions_limit(fields: &mut Fields) -> u32 {
    let wanted = fields.positive("recent_sessions_limit").ok().flatten();
    wanted.unwrap_or(RECENT_SESSIONS).min(MOST_RECENT_SESSIONS)
}

/// The key is not for anybody's log.
impl std::fmt::Debug for Connect {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Connect")
            .field("api_key", &self.api_key.as_ref().map(|_| "…"))
            .field("protocol_version", &self.protocol_version)
            .field("session_id", &self.session_id)
            .field("recent_sessions_limit", &self.recent_sessions_limit)
            .field("work", &self.work)
            .finish()
    }
}
