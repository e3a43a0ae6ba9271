//! The limits of one step, and where a run goes when it reaches one.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::registry::AnyReason;

/// The limits that a step has of its own: how often a run may visit it, and what one visit may use
/// up.
///
/// ```
/// # use std::time::Duration;
/// # use surefire::AfterLimit;
/// surefire::recipe! {
///     recipe Careful {
///         initial: Fix,
///         step Fix {
///             prompt: "Fix it.",
///             max_visits: 3 => Escalate,
///             time: 30m => Escalate,
///             retries: 2,
///             budget_usd: 1.50,
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
/// assert!(matches!(limits.when_full, Some(AfterLimit::Step(1))));
/// assert_eq!(limits.time, Some(Duration::from_secs(1_800)));
/// assert!(matches!(limits.after_time, Some(AfterLimit::Step(1))));
/// assert_eq!((limits.retries, limits.budget_usd), (Some(2), Some(1.5)));
/// ```
#[derive(Debug, Clone, Copy, Default)]
#[non_exhaustive]
pub struct StepLimits {
    /// How often a run may visit it, instead of the recipe's `max_step_visits`.
    pub max_visits: Option<u32>,
    /// Where a run goes instead of visiting it once more; without it, the run ends with
    /// [`MaxStepVisits`](crate::Guardrail::MaxStepVisits).
    pub when_full: Option<AfterLimit>,
    /// How long a visit may last: the time of its turns, and of the checks after them. A command
    /// has its time in [`CommandStep`](crate::CommandStep) instead.
    pub time: Option<Duration>,
    /// Where a run goes when the time is up; without it, the run ends with
    /// [`WorkerTimeout`](crate::ExitReason::WorkerTimeout), or
    /// [`VerificationTimeout`](crate::ExitReason::VerificationTimeout) after a command.
    pub after_time: Option<AfterLimit>,
    /// How often the agent may be asked again in a visit, for whatever reason, instead of the
    /// operator's limit.
    pub retries: Option<u32>,
    /// Where a run goes instead of asking once more; without it, the run ends as it would after
    /// the operator's limit.
    pub after_retries: Option<AfterLimit>,
    /// What a visit may cost in US dollars, as far as the agent reports it.
    pub budget_usd: Option<f64>,
    /// Where a run goes when the budget is spent; without it, the run ends with
    /// [`CostBudget`](crate::ExitReason::CostBudget).
    pub after_budget: Option<AfterLimit>,
}

impl StepLimits {
    /// No limits.
    pub const NONE: Self = Self {
        max_visits: None,
        when_full: None,
        time: None,
        after_time: None,
        retries: None,
        after_retries: None,
        budget_usd: None,
        after_budget: None,
    };

    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        let Self {
            max_visits,
            when_full,
            time,
            after_time,
            retries,
            after_retries,
            budget_usd,
            after_budget,
        } = self;
        let has_values =
            max_visits.is_some() || time.is_some() || retries.is_some() || budget_usd.is_some();
        let leads_on = when_full.is_some()
            || after_time.is_some()
            || after_retries.is_some()
            || after_budget.is_some();
        !has_values && !leads_on
    }

    /// Where a run goes when a visit has used up this limit; `None` if the run ends, or the step
    /// has no such limit.
    #[must_use]
    pub const fn after(&self, limit: VisitLimit) -> Option<AfterLimit> {
        match limit {
            VisitLimit::Time => self.after_time,
            VisitLimit::Retries => self.after_retries,
            VisitLimit::Budget => self.after_budget,
        }
    }

    /// The limits of a visit that lead somewhere.
    pub(crate) fn after_visit(&self) -> impl Iterator<Item = (VisitLimit, AfterLimit)> {
        let limits = *self;
        VisitLimit::ALL.into_iter().filter_map(move |limit| Some((limit, limits.after(limit)?)))
    }
}

/// What one visit of a step may use up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum VisitLimit {
    /// `time: 30m`
    Time,
    /// `retries: 2`
    Retries,
    /// `budget_usd: 1.50`
    Budget,
}

impl VisitLimit {
    pub(crate) const ALL: [Self; 3] = [Self::Time, Self::Retries, Self::Budget];

    /// What stands in the place of an outcome where a run left a step because of it. No outcome has
    /// a space in its name.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::Time => "time limit",
            Self::Retries => "retry limit",
            Self::Budget => "budget limit",
        }
    }

    /// The field of a step that sets it.
    pub(crate) const fn field(self) -> &'static str {
        match self {
            Self::Time => "time",
            Self::Retries => "retries",
            Self::Budget => "budget_usd",
        }
    }

    /// The limit that stands in the place of an outcome.
    pub(crate) fn in_place_of(outcome: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|limit| limit.words() == outcome)
    }
}

impl fmt::Display for VisitLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.words())
    }
}

/// Where a run goes that has reached a limit of a step.
#[derive(Clone, Copy)]
pub enum AfterLimit {
    /// A step, as an index into the recipe's steps. A run may have visited it as often as it may:
    /// it then goes where that step's own limit leads.
    Step(usize),
    /// The end of the run.
    Exit(AnyReason),
}

impl fmt::Debug for AfterLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Step(index) => f.debug_tuple("Step").field(index).finish(),
            Self::Exit(reason) => f.debug_tuple("Exit").field(&reason.definition().code).finish(),
        }
    }
}
