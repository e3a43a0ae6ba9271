//! `start_recipe`: to start a run.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::limits::WantedLimits;
use crate::Tool;
use crate::run::SessionId;
use crate::wire::forms::{not_blank, or_default, words};

/// To start a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StartRecipe {
    /// Where it is to take place.
    #[serde(rename = "session_id", with = "session_or_null")]
    pub session: StartIn,
    /// The recipe's id.
    #[serde(deserialize_with = "words")]
    pub recipe_id: String,
    /// Where the agent is to work; a session that is there already knows.
    #[serde(default, deserialize_with = "not_blank", skip_serializing_if = "Option::is_none")]
    pub working_directory: Option<PathBuf>,
    /// The agent, by the name that clients know.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// The agent, by its own name; whatever `provider` says.
    #[serde(default, deserialize_with = "not_blank", skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The model to use, whatever the recipe says.
    #[serde(default, deserialize_with = "not_blank", skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// What the run is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    /// What the agent is allowed on top of what the recipe's steps declare. Only a process of the server's own user may
    /// say so.
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "Vec::is_empty")]
    pub allow_tools: Vec<Tool>,
    /// What it may use up.
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "WantedLimits::is_empty")]
    pub limits: WantedLimits,
}

impl StartRecipe {
    /// To start this recipe in a new session, with everything else left to the server.
    #[must_use]
    pub fn new(recipe_id: impl Into<String>) -> Self {
        Self {
            session: StartIn::NewSession,
            recipe_id: recipe_id.into(),
            working_directory: None,
            provider: None,
            agent: None,
            model: None,
            prompt: None,
            allow_tools: Vec::new(),
            limits: WantedLimits::default(),
        }
    }
}

/// Where a run is to take place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StartIn {
    /// In a session that the client names, new or not.
    Session(SessionId),
    /// In a new session, which the server names.
    NewSession,
}

impl From<Option<SessionId>> for StartIn {
    fn from(session: Option<SessionId>) -> Self {
        session.map_or(Self::NewSession, Self::Session)
    }
}

/// `null` asks for a new session, and leaving it out is a mistake.
mod session_or_null {
    use std::fmt;

    use serde::de::{Deserializer, Error, Visitor};
    use serde::ser::{Serialize, Serializer};

    use super::StartIn;

    pub(super) fn serialize<S: Serializer>(session: &StartIn, serializer: S) -> Result<S::Ok, S::Error> {
        match session {
            StartIn::Session(session) => session.serialize(serializer),
            StartIn::NewSession => serializer.serialize_none(),
        }
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(field: D) -> Result<StartIn, D::Error> {
        field.deserialize_any(SessionOrNull)
    }

    struct SessionOrNull;

    impl Visitor<'_> for SessionOrNull {
        type Value = StartIn;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a string")
        }

        fn visit_unit<E: Error>(self) -> Result<StartIn, E> {
            Ok(StartIn::NewSession)
        }

        fn visit_str<E: Error>(self, text: &str) -> Result<StartIn, E> {
            text.parse().map(StartIn::Session).map_err(E::custom)
        }
    }
}
