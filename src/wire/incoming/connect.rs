//! `connect`: who a client is, and what it wants to be sent.

use serde::{Deserialize, Deserializer, Serialize};

use crate::wire::ProtocolVersion;
use crate::wire::forms::{lenient, maybe_positive};

/// How many recent sessions a client gets by default.
const RECENT_SESSIONS: u32 = 5;

/// How many recent sessions a client gets at most.
const MAX_RECENT_SESSIONS: u32 = 50;

/// What a client announces about itself. No field is ever rejected for its type: an invalid key
/// counts as a wrong one.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Connect {
    /// The key that it authenticates with.
    #[serde(default, deserialize_with = "lenient", skip_serializing_if = "Option::is_none")]
    pub api_key: Option<String>,
    /// The version that it announces, if that can be read, and its original spelling.
    #[serde(default, with = "announced", skip_serializing_if = "Option::is_none")]
    pub protocol_version: Option<(ProtocolVersion, String)>,
    /// An id of the client's own, which `connected` echoes.
    #[serde(default, deserialize_with = "lenient", skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// How many recent sessions it asks for.
    #[serde(default = "recent_sessions", deserialize_with = "recent_sessions_limit")]
    pub recent_sessions_limit: u32,
    /// Whether it wants `work_changed`.
    #[serde(default, deserialize_with = "is_true", skip_serializing_if = "std::ops::Not::not")]
    pub work: bool,
    /// Whether it needs `recipe_started` and `recipe_exited` of a session to be spaced in time, as
    /// the app does.
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

/// Leaves the key out, so that it never gets into a log.
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

/// The limit that a client asks for, or the default if that is invalid.
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

/// A client announces the version of run views that it reads; there is one version so far.
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

/// A version keeps its original spelling: the error for a client that is too old quotes it.
mod announced {
    use serde::{Deserializer, Serializer};

    use crate::wire::ProtocolVersion;
    use crate::wire::forms::lenient;

    type Announced = Option<(ProtocolVersion, String)>;

    pub(super) fn serialize<S: Serializer>(
        version: &Announced,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        match version {
            Some((_, text)) => serializer.serialize_str(text),
            None => serializer.serialize_none(),
        }
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(field: D) -> Result<Announced, D::Error> {
        Ok(lenient(field)?.and_then(|text: String| Some((ProtocolVersion::read(&text)?, text))))
    }
}
