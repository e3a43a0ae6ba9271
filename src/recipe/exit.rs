//! How one run ended: its reason, and what only that run knows about it.

use std::borrow::Cow;
use std::fmt;

use super::definition::{Category, Definition};
use super::guardrail::Tripped;
use super::registry::Registry;

/// Why a run ended.
///
/// It is made by taking an outcome that exits, by a tripped guardrail, or [from a reason](Self::because), so it
/// always has one. It is also an error, so that `?` carries a tripped guardrail out of typed code.
///
/// ```
/// use surefire::recipes::ImplementAndReview;
/// use surefire::{Category, ExitReason};
///
/// let exit = ImplementAndReview::begin().no_tasks();
/// assert_eq!(exit.code(), "no-tasks-available");
/// assert_eq!(exit.category(), Category::Completed);
/// assert_eq!(exit.message(), "No tasks available to implement");
/// assert_eq!(exit.reason(), Some(ExitReason::NoTasksAvailable));
///
/// let exit = ImplementAndReview::begin().other("waiting for an API key");
/// assert_eq!(exit.description(), Some("waiting for an API key"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use = "an exit says why the run ended"]
pub struct Exit {
    definition: &'static Definition,
    detail: Detail,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Detail {
    None,
    Described(String),
    Tripped(Tripped),
}

impl Exit {
    /// An exit for this reason.
    pub fn because(reason: impl Registry) -> Self {
        Self::defined(reason.definition())
    }

    /// An exit for the reason that has this definition.
    #[inline]
    pub(crate) const fn defined(definition: &'static Definition) -> Self {
        Self {
            definition,
            detail: Detail::None,
        }
    }

    /// Adds what the agent said about it, as it must for `other`.
    #[inline]
    pub fn describe(mut self, description: impl Into<String>) -> Self {
        self.detail = Detail::Described(description.into());
        self
    }

    /// All columns of the reason.
    #[must_use]
    pub const fn definition(&self) -> &'static Definition {
        self.definition
    }

    /// The reason as a variant of the registry it came from: the standard one, or your own.
    ///
    /// It is `None` in the other registries, e.g. in yours when a guardrail tripped.
    #[must_use]
    pub fn reason<R: Registry>(&self) -> Option<R> {
        R::from_code(self.definition.code)
    }

    /// The machine-readable reason, with the step where it is about one.
    #[must_use]
    pub fn code(&self) -> Cow<'static, str> {
        match self.detail {
            Detail::Tripped(tripped) if self.definition.message.contains("{step}") => {
                Cow::Owned(format!("{}:{}", self.definition.code, tripped.step))
            }
            Detail::Tripped(_) | Detail::Described(_) | Detail::None => Cow::Borrowed(self.definition.code),
        }
    }

    /// The category, for colours and icons.
    #[must_use]
    pub const fn category(&self) -> Category {
        self.definition.category
    }

    /// What a person reads, with the limit where one was hit.
    #[must_use]
    pub fn message(&self) -> Cow<'static, str> {
        match self.detail {
            Detail::Tripped(Tripped { step, limit, .. }) => {
                self.definition.message_with(step, Some(&limit.to_string()))
            }
            Detail::Described(_) | Detail::None => self.definition.message_with("STEP", None),
        }
    }

    /// What the agent said about it.
    #[must_use]
    pub fn description(&self) -> Option<&str> {
        match &self.detail {
            Detail::Described(description) => Some(description),
            Detail::Tripped(_) | Detail::None => None,
        }
    }

    /// The guardrail that was hit, its limit and the observed value.
    #[must_use]
    pub const fn tripped(&self) -> Option<&Tripped> {
        match &self.detail {
            Detail::Tripped(tripped) => Some(tripped),
            Detail::Described(_) | Detail::None => None,
        }
    }
}

impl From<Tripped> for Exit {
    #[cold]
    fn from(tripped: Tripped) -> Self {
        let definition = tripped.guardrail.exit_reason().definition();
        Self {
            definition,
            detail: Detail::Tripped(tripped),
        }
    }
}

impl fmt::Display for Exit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message())?;
        match self.description() {
            Some(description) => write!(f, ": {description}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Exit {}
