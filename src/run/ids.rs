//! The ids of runs, sessions, attempts and queued prompts.

use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, de};
use uuid::Uuid;

/// A text that is not an id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{}` is not a {kind} id: expected a UUID such as 3f2a8c1e-5b7d-4e90-a1c6-9d8e7f6a5b4c",
    .found.escape_debug().take(80).collect::<String>()
)]
#[non_exhaustive]
pub struct NotAnId {
    /// The kind of id that was expected.
    pub kind: &'static str,
    /// What was found.
    pub found: String,
}

/// One type per kind of id, so that a session id cannot be used as a run id.
macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident = $kind:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
        #[serde(transparent)]
        pub struct $name(Uuid);

        impl $name {
            /// The same id as a plain UUID.
            #[must_use]
            pub const fn uuid(self) -> Uuid {
                self.0
            }
        }

        impl From<Uuid> for $name {
            fn from(id: Uuid) -> Self {
                Self(id)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.hyphenated().fmt(f)
            }
        }

        impl FromStr for $name {
            type Err = NotAnId;

            /// Parses the usual form: 36 characters with hyphens, in either case.
            fn from_str(text: &str) -> Result<Self, NotAnId> {
                let usual = text.len() == uuid::fmt::Hyphenated::LENGTH;
                let id = if usual { Uuid::try_parse(text).ok() } else { None };
                id.map(Self).ok_or_else(|| NotAnId { kind: $kind, found: text.to_owned() })
            }
        }

        /// Accepts the same form as `FromStr`, so that an id has one spelling everywhere.
        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserializer.deserialize_str(ReadId(PhantomData))
            }
        }
    )*};
}

/// Parses an id from a text.
struct ReadId<T>(PhantomData<T>);

impl<T: FromStr<Err = NotAnId>> de::Visitor<'_> for ReadId<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an id")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<T, E> {
        text.parse().map_err(E::custom)
    }
}

ids! {
    /// The id of a run.
    ///
    /// ```
    /// use surefire::run::RunId;
    ///
    /// let error = "7".parse::<RunId>().unwrap_err();
    /// assert!(error.to_string().starts_with("`7` is not a run id: expected a UUID such as"));
    /// ```
    RunId = "run";
    /// The id of a session: the agent's conversation, which outlives runs.
    SessionId = "session";
    /// The id of one attempt at a turn; it distinguishes a late reply from a current one.
    AttemptId = "attempt";
    /// The id of a queued prompt.
    PromptId = "prompt";
}

/// Unused ids for what the next decision creates.
///
/// A decision uses at most one of each; the others are discarded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewIds {
    /// For the next turn.
    pub attempt: AttemptId,
    /// For the run that a restart begins.
    pub run: RunId,
    /// For that run's session.
    pub session: SessionId,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_usual_form_is_an_id() {
        let usual = "3F2A8C1E-5b7d-4e90-a1c6-9d8e7f6a5b4c";
        assert_eq!(usual.parse::<SessionId>().unwrap().to_string(), usual.to_lowercase());
        let others = [
            "",
            "--version",
            "3f2a8c1e5b7d4e90a1c69d8e7f6a5b4c",
            "{3f2a8c1e-5b7d-4e90-a1c6-9d8e7f6a5b4c}",
            "urn:uuid:3f2a8c1e-5b7d-4e90-a1c6-9d8e7f6a5b4c",
            "3f2a8c1e-5b7d-4e90-a1c6-9d8e7f6a5b4c\n",
            "../../../../../../../../etc/passwd--",
        ];
        for text in others {
            assert!(text.parse::<SessionId>().is_err(), "{text:?}");
        }
    }

    #[test]
    fn a_hostile_id_is_quoted_short_and_escaped() {
        let error =
            format!("\u{1b}[31m{}", "x".repeat(10_000)).parse::<RunId>().unwrap_err().to_string();
        assert!(error.len() < 250 && !error.contains('\u{1b}'), "{error}");
    }
}
