//! The limits of one step, and where a run goes when it has visited the step as often as it may.

use std::fmt;

use super::registry::AnyReason;

/// The limits that a step has of its own.
///
/// ```
/// # use surefire::WhenFull;
/// surefire::recipe! {
///     recipe Careful {
///         initial: Fix,
///         step Fix {
///             prompt: "Fix it.",
///             max_visits: 3 => Escalate,
///             outcomes: [Done, Again],
///             Done => exit TaskCommitted,
///             Again => Fix,
///         }
///         step Escalate {
///             prompt: "Write down what is known.",
///             outcomes: [Written],
///             Written => exit ClarificationNeeded,
///         }
///     }
/// }
///
/// let limits = Careful::OUTLINE.steps[0].limits;
/// assert_eq!(limits.max_visits, Some(3));
/// assert!(matches!(limits.when_full, Some(WhenFull::Step(1))));
/// ```
#[derive(Debug, Clone, Copy, Default)]
#[non_exhaustive]
pub struct StepLimits {
    /// How often a run may visit it, instead of the recipe's `max_step_visits`.
    pub max_visits: Option<u32>,
    /// Where a run goes instead of visiting it once more; without it, the run ends with
    /// [`MaxStepVisits`](crate::Guardrail::MaxStepVisits).
    pub when_full: Option<WhenFull>,
}

impl StepLimits {
    /// No limits.
    pub const NONE: Self = Self { max_visits: None, when_full: None };

    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        let Self { max_visits, when_full } = self;
        max_visits.is_none() && when_full.is_none()
    }
}

/// Where a run goes that was to enter a step which it has visited as often as it may.
#[derive(Clone, Copy)]
pub enum WhenFull {
    /// A step, as an index into the recipe's steps. That may be full as well.
    Step(usize),
    /// The end of the run.
    Exit(AnyReason),
}

impl fmt::Debug for WhenFull {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Step(index) => f.debug_tuple("Step").field(index).finish(),
            Self::Exit(reason) => f.debug_tuple("Exit").field(&reason.definition().code).finish(),
        }
    }
}
