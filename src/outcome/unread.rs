//! Why a reply reports no outcome.

use crate::recipe::advice;
use crate::{Advise, Remedy};

/// Why a reply reports no outcome.
///
/// ```
/// use surefire::outcome::{Unread, read_among};
///
/// let problem = read_among("All done!", &["complete", "other"]).unwrap_err();
/// assert_eq!(problem, Unread::NoJson);
/// assert_eq!(problem.kind(), "no-json");
///
/// let problem = read_among(r#"{"outcome": "Complete"}"#, &["complete", "other"]).unwrap_err();
/// assert_eq!(
///     problem.to_string(),
///     "`Complete` is not an outcome of this step; \
///      use one of these, letter for letter: `complete`, `other`"
/// );
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, strum::IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
#[non_exhaustive]
pub enum Unread {
    /// The reply has no JSON object.
    #[error("there is no JSON object in the reply{}", advice(self))]
    NoJson,
    /// The reply's last attempt at an outcome is not a complete JSON object.
    #[error("the reply's last JSON object cannot be read: {flaw}{}", advice(self))]
    NotJson {
        /// What is wrong with it.
        flaw: Flaw,
    },
    /// No JSON object has an `outcome` of its own, or its value is not a string.
    #[error(
        "no JSON object in the reply has an `outcome` of its own that is a string{}",
        advice(self)
    )]
    NoOutcome,
    /// The outcome is not one of the step's.
    #[error("`{}` is not an outcome of this step{}", visible(found), advice(self))]
    UnknownOutcome {
        /// What the agent wrote instead: at most 200 characters, unescaped. The message escapes
        /// control characters.
        found: String,
        /// The step's outcomes.
        expected: Vec<String>,
    },
    /// The outcome is `other`, without a description.
    #[error("the outcome `other` says nothing by itself{}", advice(self))]
    OtherWithoutDescription,
}

/// The most characters that are kept of an unknown outcome.
const MAX_FOUND_CHARS: usize = 200;

impl Advise for Unread {
    /// What the agent should do so that its next reply can be read.
    fn remedy(&self) -> Option<Remedy> {
        Some(match self {
            Self::NoJson => Remedy::EndWithOutcome,
            Self::NotJson { .. } => Remedy::WriteOnOneLine,
            Self::NoOutcome => Remedy::WriteOutcome,
            Self::UnknownOutcome { expected, .. } => Remedy::UseOutcome { names: expected.clone() },
            Self::OtherWithoutDescription => Remedy::AddDescription,
        })
    }
}

impl Unread {
    /// The name of the problem, for logs and programs.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        self.into()
    }

    pub(super) fn unknown(found: &str, expected: &[&str]) -> Self {
        Self::UnknownOutcome {
            found: found.chars().take(MAX_FOUND_CHARS).collect(),
            expected: expected.iter().map(|&name| name.to_owned()).collect(),
        }
    }
}

/// What is wrong with something that should be a JSON object.
///
/// ```
/// use surefire::outcome::{Flaw, Unread, read_among};
///
/// let cut_off = r#"{"outcome": "compl"#;
/// assert_eq!(read_among(cut_off, &["complete"]), Err(Unread::NotJson { flaw: Flaw::Unfinished }));
/// ```
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, strum::Display, strum::IntoStaticStr, strum::EnumIter,
)]
#[non_exhaustive]
pub enum Flaw {
    /// The reply ends inside it.
    #[strum(serialize = "the reply ends before it is complete")]
    Unfinished,
    /// It is not JSON.
    #[strum(serialize = "it is not valid JSON")]
    Malformed,
    /// One of its keys occurs twice, so it is ambiguous.
    #[strum(serialize = "one of its keys occurs twice")]
    DuplicateKey,
    /// Its values are nested too deeply.
    #[strum(serialize = "its values are nested more than 128 deep")]
    TooDeep,
    /// Searching it would take disproportionately long: the reply consists of fragments of objects
    /// that obscure each other.
    #[strum(serialize = "the reply has too many fragments of objects")]
    Tangled,
}

/// The text with escapes for characters that could move the cursor or hide something.
fn visible(text: &str) -> String {
    let escape = |c: char| (!matches!(c, '"' | '\'')).then(|| c.escape_debug());
    text.chars()
        .map(|c| escape(c).map_or_else(|| c.to_string(), |escaped| escaped.to_string()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_stable_names() {
        let cases = [
            (Unread::NoJson, "no-json"),
            (Unread::NotJson { flaw: Flaw::Malformed }, "not-json"),
            (Unread::NoOutcome, "no-outcome"),
            (Unread::unknown("x", &[]), "unknown-outcome"),
            (Unread::OtherWithoutDescription, "other-without-description"),
        ];
        for (unread, kind) in cases {
            assert_eq!(unread.kind(), kind);
        }
    }

    #[test]
    fn the_agents_text_is_truncated_and_escaped() {
        let found = format!("a\u{1b}[2J\n\u{202e}\"it's\" {}", "é".repeat(1000));
        let unread = Unread::unknown(&found, &["complete"]);
        let Unread::UnknownOutcome { found, .. } = &unread else { panic!("{unread:?}") };
        assert_eq!(found.chars().count(), 200);
        let message = unread.to_string();
        assert!(message.starts_with("`a\\u{1b}[2J\\n\\u{202e}\"it's\" éé"), "{message}");
        assert!(!message.chars().any(char::is_control));
    }
}
