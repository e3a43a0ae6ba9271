//! `start_recipe`: starts a run.

use std::path::PathBuf;

use serde::de::{Deserializer, Error, Unexpected};
use serde::{Deserialize, Serialize};

use super::limits::WantedLimits;
use crate::Tool;
use crate::run::SessionId;
use crate::wire::forms::{not_blank, or_default, words};

/// Starts a run.
///
/// Only the user of the server's machine may widen a run (`allow_tools`, `allow_dirty`,
/// `allow_deps`, `force_parallel`, `trust`, `untrusted`): the server accepts these fields from
/// processes of its own user, and from a console page on the same machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "each is a field of the message")]
#[non_exhaustive]
pub struct StartRecipe {
    /// The session to run in.
    #[serde(rename = "session_id", with = "session_or_null")]
    pub session: StartIn,
    /// The recipe's id.
    #[serde(deserialize_with = "words")]
    pub recipe_id: String,
    /// Where the agent works; an existing session already has its directory.
    #[serde(default, deserialize_with = "not_blank", skip_serializing_if = "Option::is_none")]
    pub working_directory: Option<PathBuf>,
    /// The agent, by the name that clients know.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// The agent, by its own name; overrides `provider`.
    #[serde(default, deserialize_with = "not_blank", skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The model to use; overrides the recipe's.
    #[serde(default, deserialize_with = "not_blank", skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The run's task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    /// Tools that the agent is allowed besides those that the recipe's steps declare.
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "Vec::is_empty")]
    pub allow_tools: Vec<Tool>,
    /// Whether a recipe that needs a clean work tree starts in a dirty one.
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "std::ops::Not::not")]
    pub allow_dirty: bool,
    /// Whether the run may change the lockfiles of package managers.
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "std::ops::Not::not")]
    pub allow_deps: bool,
    /// Whether the run may work in a work tree that another run works in.
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "std::ops::Not::not")]
    pub force_parallel: bool,
    /// Whether the repository is trusted for this run, in the state of its HEAD, without a record.
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "std::ops::Not::not")]
    pub trust: bool,
    /// What to do if the repository's own file has commands and is not trusted.
    #[serde(default, deserialize_with = "if_untrusted", skip_serializing_if = "Option::is_none")]
    pub untrusted: Option<IfUntrusted>,
    /// Whether the run works in a git worktree of its own.
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "std::ops::Not::not")]
    pub isolate: bool,
    /// What it may use up.
    #[serde(
        default,
        deserialize_with = "or_default",
        skip_serializing_if = "WantedLimits::is_empty"
    )]
    pub limits: WantedLimits,
}

setters!(StartRecipe {
    session: StartIn,
    working_directory: Option<PathBuf>,
    provider: Option<String>,
    agent: Option<String>,
    model: Option<String>,
    prompt: Option<String>,
    allow_tools: Vec<Tool>,
    allow_dirty: bool,
    allow_deps: bool,
    force_parallel: bool,
    trust: bool,
    untrusted: Option<IfUntrusted>,
    isolate: bool,
    limits: WantedLimits,
});

impl StartRecipe {
    /// Starts this recipe in a new session, with the server's defaults for everything else.
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
            allow_dirty: false,
            allow_deps: false,
            force_parallel: false,
            trust: false,
            untrusted: None,
            isolate: false,
            limits: WantedLimits::default(),
        }
    }
}

/// What to do if a repository's own file has commands and is not trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum IfUntrusted {
    /// Refuse to start: the default.
    Refuse,
    /// Run without the commands, and report that.
    Skip,
}

fn if_untrusted<'de, D: Deserializer<'de>>(field: D) -> Result<Option<IfUntrusted>, D::Error> {
    let wrong = || D::Error::invalid_value(Unexpected::Other("value"), &"`refuse` or `skip`");
    let Some(name) = Option::<String>::deserialize(field).map_err(|_| wrong())? else {
        return Ok(None);
    };
    match name.as_str() {
        "refuse" => Ok(Some(IfUntrusted::Refuse)),
        "skip" => Ok(Some(IfUntrusted::Skip)),
        _ => Err(wrong()),
    }
}

/// The session that a run is started in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
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

/// `null` asks for a new session; leaving the field out is an error.
mod session_or_null {
    use std::fmt;

    use serde::de::{Deserializer, Error, Visitor};
    use serde::ser::{Serialize, Serializer};

    use super::StartIn;

    pub(super) fn serialize<S: Serializer>(
        session: &StartIn,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
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
