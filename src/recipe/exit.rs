//! How one run ended: its reason, and the details of that run.

use std::borrow::Cow;
use std::fmt;

use super::exit_reason::ExitReason;
use super::reason_info::{Category, ReasonInfo};
use super::registry::{AnyReason, Registry};
use super::tripped::Tripped;

/// Why a run ended.
///
/// It comes from an outcome that exits, from a [tripped guardrail](Tripped), or [from a
/// reason](Self::because), so it always has a reason.
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
#[derive(Clone, PartialEq, Eq)]
#[must_use = "an exit says why the run ended"]
pub struct Exit(Why);

/// Small on purpose: every transition of the erased form returns it, so each moves its size.
#[derive(Clone, PartialEq, Eq)]
enum Why {
    Reason(AnyReason),
    Detailed(Box<Detailed>),
    Tripped(Tripped),
}

/// An exit with further details.
#[derive(Clone, PartialEq, Eq)]
struct Detailed {
    reason: AnyReason,
    tripped: Option<Tripped>,
    description: Option<String>,
    limit: Option<String>,
}

impl Exit {
    /// An exit for this reason.
    #[inline]
    pub fn because(reason: impl Into<AnyReason>) -> Self {
        Self(Why::Reason(reason.into()))
    }

    #[inline]
    pub(crate) const fn at(reason: AnyReason) -> Self {
        Self(Why::Reason(reason))
    }

    /// Adds the agent's description, which `other` requires.
    pub fn describe(self, description: impl Into<String>) -> Self {
        self.detailed(|detailed| detailed.description = Some(description.into()))
    }

    /// Adds the limit that was hit, as text. The recipe's own guardrails add theirs themselves.
    ///
    /// ```
    /// use surefire::{Exit, ExitReason};
    ///
    /// let exit = Exit::because(ExitReason::Timeout).with_limit("2 h");
    /// assert_eq!(exit.message(), "Recipe stopped: used up its time (limit 2 h)");
    /// ```
    pub fn with_limit(self, limit: impl Into<String>) -> Self {
        self.detailed(|detailed| detailed.limit = Some(limit.into()))
    }

    fn detailed(self, add: impl FnOnce(&mut Detailed)) -> Self {
        let (reason, tripped) = (self.any_reason(), self.tripped());
        let mut detailed = match self.0 {
            Why::Detailed(detailed) => detailed,
            Why::Reason(_) | Why::Tripped(_) => {
                Box::new(Detailed { reason, tripped, description: None, limit: None })
            }
        };
        add(&mut detailed);
        Self(Why::Detailed(detailed))
    }

    /// The reason, from any registry.
    #[must_use]
    #[inline]
    pub fn any_reason(&self) -> AnyReason {
        match &self.0 {
            Why::Reason(reason) => *reason,
            Why::Tripped(tripped) => tripped.guardrail.exit_reason().into(),
            Why::Detailed(detailed) => detailed.reason,
        }
    }

    /// All columns of the reason.
    #[must_use]
    pub fn definition(&self) -> &'static ReasonInfo {
        self.any_reason().definition()
    }

    /// The reason as a variant of the registry it came from: the standard one, or your own.
    ///
    /// `None` if the reason belongs to another registry, e.g. yours when a guardrail tripped.
    #[must_use]
    #[inline]
    pub fn reason<R: Registry>(&self) -> Option<R> {
        self.any_reason().downcast()
    }

    /// The machine-readable reason, with the step if it is about one.
    #[must_use]
    pub fn code(&self) -> Cow<'static, str> {
        let definition = self.definition();
        match self.tripped() {
            Some(tripped) if definition.names_a_step() => {
                Cow::Owned(format!("{}:{}", definition.code, tripped.step()))
            }
            Some(_) | None => Cow::Borrowed(definition.code),
        }
    }

    /// The category, for colours and icons.
    #[must_use]
    pub fn category(&self) -> Category {
        self.definition().category
    }

    /// The message for people, with the limit if one was hit. [`ExitReason::Error`] covers many
    /// causes, so its message is the cause if that is known.
    ///
    /// ```
    /// use surefire::{Exit, ExitReason};
    ///
    /// let exit = Exit::because(ExitReason::Error).describe("there is no directory `/shop`");
    /// assert_eq!(exit.message(), "Recipe failed: there is no directory `/shop`");
    /// ```
    #[must_use]
    pub fn message(&self) -> Cow<'static, str> {
        let definition = self.definition();
        if let (Some(ExitReason::Error), Some(cause)) = (self.reason(), self.cause()) {
            return Cow::Owned(format!("Recipe failed: {cause}"));
        }
        match (self.tripped(), &self.0) {
            (Some(tripped), _) => Cow::Owned(tripped.to_string()),
            (None, Why::Detailed(detailed)) => {
                definition.message_with(None, detailed.limit.as_deref())
            }
            (None, Why::Reason(_) | Why::Tripped(_)) => definition.message_with(None, None),
        }
    }

    /// The first line of the description that is not blank.
    fn cause(&self) -> Option<&str> {
        self.description()?.lines().map(str::trim).find(|line| !line.is_empty())
    }

    /// The agent's description.
    #[must_use]
    pub fn description(&self) -> Option<&str> {
        match &self.0 {
            Why::Detailed(detailed) => detailed.description.as_deref(),
            Why::Reason(_) | Why::Tripped(_) => None,
        }
    }

    /// The guardrail that was hit, its limit and the observed value.
    #[must_use]
    #[inline]
    pub fn tripped(&self) -> Option<Tripped> {
        match &self.0 {
            Why::Reason(_) => None,
            Why::Tripped(tripped) => Some(*tripped),
            Why::Detailed(detailed) => detailed.tripped,
        }
    }
}

impl From<Tripped> for Exit {
    #[inline]
    fn from(tripped: Tripped) -> Self {
        Self(Why::Tripped(tripped))
    }
}

impl fmt::Debug for Exit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut exit = f.debug_struct("Exit");
        exit.field("code", &self.definition().code);
        if let Some(description) = self.description() {
            exit.field("description", &description);
        }
        if let Some(tripped) = self.tripped() {
            exit.field("tripped", &tripped);
        }
        exit.finish()
    }
}

impl fmt::Display for Exit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let message = self.message();
        f.write_str(&message)?;
        match self.description() {
            Some(description) if !message.ends_with(description) => write!(f, ": {description}"),
            Some(_) | None => Ok(()),
        }
    }
}

impl std::error::Error for Exit {}
