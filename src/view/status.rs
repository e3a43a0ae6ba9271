//! The status of a run at a glance.

use serde::ser::SerializeStruct;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::reading::Reading;
use crate::run::Ending;
use crate::{Outline, Verdict};

/// The status of a run at a glance.
///
/// On the wire it is its name, for icons and colours, and its text:
///
/// ```
/// use surefire::Verdict;
/// use surefire::view::Status;
///
/// let json = serde_json::json!(Status::Ended(Verdict::Limited));
/// assert_eq!(json, serde_json::json!({ "name": "limited", "words": "Stopped by a limit" }));
/// assert_eq!(serde_json::from_value::<Status>(json).unwrap(), Status::Ended(Verdict::Limited));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Status {
    /// It has not ended.
    Running,
    /// It has stopped, and the server resumes it at a known time.
    Paused,
    /// It has ended.
    Ended(Verdict),
}

impl Status {
    /// The status of a run with this ending. The outline of its recipe is needed for reasons that
    /// the author defined.
    #[must_use]
    pub fn of(ending: Option<&Ending>, outline: Option<&Outline>) -> Self {
        match ending {
            None => Self::Running,
            Some(ending) if ending.resume_at.is_some() => Self::Paused,
            Some(ending) => Self::Ended(Reading::of(ending, outline).verdict),
        }
    }

    /// Its name, for icons and colours.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Paused => "paused",
            Self::Ended(verdict) => verdict.into(),
        }
    }

    /// The text that clients show.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::Running => "Running",
            Self::Paused => "Paused; resumes automatically",
            Self::Ended(verdict) => verdict.words(),
        }
    }
}

impl Serialize for Status {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut json = serializer.serialize_struct("Status", 2)?;
        json.serialize_field("name", self.name())?;
        json.serialize_field("words", self.words())?;
        json.end()
    }
}

impl<'de> Deserialize<'de> for Status {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Named {
            name: String,
        }
        let Named { name } = Named::deserialize(deserializer)?;
        let known = [Self::Running, Self::Paused].into_iter().find(|status| status.name() == name);
        let ended = || name.parse().map(Self::Ended).map_err(|_| unknown(&name));
        known.map_or_else(ended, Ok)
    }
}

fn unknown<E: de::Error>(name: &str) -> E {
    E::custom(format!("unknown status `{name}`"))
}
