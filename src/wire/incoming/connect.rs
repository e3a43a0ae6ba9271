//! `connect`: who a client is, and what it wants to be sent.

use serde::{Deserialize, Deserializer, Serialize};

use crate::wire::ProtocolVersion;
use crate::wire::forms::{lenient, maybe_positive};

/// How many recent sessions a client is told about that does not say.
const RECENT_SESSIONS: u32 = 5;

/// The most that it is told about.
const MAX_RECENT_SESSIONS: u32 = 50;

/// What a client says about itself. None of it is ever refused for its form: a key that is none is just a wrong one.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Connect {
    /// The key it knows.
    #[serde(default, deserialize_with = "lenient", skip_serializing_if = "Option::is_none")]
    pub api_key: Option<String>,
    /// The version that it announces, where that can be read, and as it was written.
    #[serde(default, with = "announced", skip_serializing_if = "Option::is_none")]
    pub protocol_version: Option<(ProtocolVersion, String)>,
    /// Some id of its own, which it wants to hear again.
    #[serde(default, deserialize_with = "lenient", skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// How many recent sessions it wants to be told about.
    #[serde(default = "recent_sessions", deserialize_with = "recent_sessions_limit")]
    pub recent_sessions_limit: u32,
    /// Whether it wants `work_changed`.
    #[serde(default, deserialize_with = "is_true", skip_serializing_if = "std::ops::Not::not")]
    pub work: bool,
    /// Whether it needs `recipe_started` and `recipe_exited` of a session to be apart in time, as the app does.
    #[serde(default = "yes", deserialize_with = "is_not_false", skip_serializing_if = "is_set")]
    pub spacing: bool,
    /// Whether it wants `run_view`. Announced as `1`, the version of the view.
    #[serde(default, with = "view", skip_serializing_if = "std::ops::Not::not")]
    pub view: bool,
}

impl Default for Connect {
    /// A client without a key that announces nothing.
    fn default() -> Self {
        Self {
            api_key: None,
            protocol_version: None,
            session_id: None,
            recent_sessions_limit: RECENT_SESSIONS,
            work: false,
            spacing: true,
            view: false,
        }
    }
}

/// The key is not for a log.
impl std::fmt::Debug for Connect {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Connect")
            .field("api_key", &self.api_key.as_ref().map(|_| "…"))
            .field("protocol_version", &self.protocol_version)
            .field("session_id", &self.session_id)
            .field("recent_sessions_limit", &self.recent_sessions_limit)
            .field("work", &self.work)
            .field("spacing", &self.spacing)
            .field("view", &self.view)
            .finish()
    }
}

const fn yes() -> bool {
    true
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands the field over like this")]
const fn is_set(flag: &bool) -> bool {
    *flag
}

pub(super) const fn recent_sessions() -> u32 {
    RECENT_SESSIONS
}

/// The limit that a client wants, or the usual one where it makes no sense.
#[expect(clippy::unnecessary_wraps, reason = "serde asks for a `Result`")]
pub(super) fn recent_sessions_limit<'de, D: Deserializer<'de>>(field: D) -> Result<u32, D::Error> {
    let wanted = maybe_positive(field).ok().flatten();
    Ok(wanted.unwrap_or(RECENT_SESSIONS).min(MAX_RECENT_SESSIONS))
}

fn is_true<'de, D: Deserializer<'de>>(field: D) -> Result<bool, D::Error> {
    Ok(lenient(field)? == Some(true))
}

fn is_not_false<'de, D: Deserializer<'de>>(field: D) -> Result<bool, D::Error> {
    Ok(lenient(field)? != Some(false))
}

/// The views of runs are announced by their version, of which there is one.
mod view {
    use serde::{Deserializer, Serializer};

    use crate::wire::forms::lenient;

    const VERSION: u64 = 1;

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands the field over like this")]
    pub(super) fn serialize<S: Serializer>(_: &bool, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(VERSION)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(field: D) -> Result<bool, D::Error> {
        Ok(lenient(field)?.is_some_and(|announced: u64| announced >= VERSION))
    }
}

/// A version is kept as it was written: a client that is too old is told what it sent.
mod announced {
    use serde::{Deserializer, Serializer};

    use crate::wire::ProtocolVersion;
    use crate::wire::forms::lenient;

    type Announced = Option<(ProtocolVersion, String)>;

    pub(super) fn serialize<S: Serializer>(version: &Announced, serializer: S) -> Result<S::Ok, S::Error> {
        match version {
            Some((_, text)) => serializer.serialize_str(text),
            None => serializer.serialize_none(),
        }
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(field: D) -> Result<Announced, D::Error> {
        Ok(lenient(field)?.and_then(|text: String| Some((ProtocolVersion::read(&text)?, text))))
    }
}
