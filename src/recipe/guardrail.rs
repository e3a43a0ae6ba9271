//! The limits of a recipe.

use std::time::Duration;

use serde::{Serialize, Serializer};

use super::exit_reason::ExitReason;
use super::wire_enum::UnknownName;

/// The limits of one recipe, as its author wrote them.
///
/// ```
/// use surefire::recipes::RefineDesign;
///
/// let guardrails = RefineDesign::OUTLINE.guardrails;
/// assert_eq!(guardrails.max_step_visits, Some(5));
/// assert_eq!(guardrails.max_total_steps, Some(150));
/// assert_eq!(guardrails.max_restarts, None);
/// assert!(guardrails.exit_on_other);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[non_exhaustive]
pub struct Guardrails {
    /// How often one step may run.
    pub max_step_visits: Option<u32>,
    /// How many steps a run may take.
    pub max_total_steps: Option<u32>,
    /// How many restarts a chain of runs may have when this recipe restarts again.
    pub max_restarts: Option<u32>,
    /// How long all `verify` commands of one visit to a step may take together.
    #[serde(rename = "max_verify_time_per_milestone_s", serialize_with = "seconds")]
    pub max_verify_time_per_milestone: Option<Duration>,
    /// After how many review rounds without fewer findings a run ends, if an outcome carries
    /// findings; [`DEFAULT_REVIEW_ROUNDS`](Self::DEFAULT_REVIEW_ROUNDS) if the recipe does not set
    /// it.
    pub max_review_rounds: Option<u32>,
    /// Whether every step that asks an agent has the outcome `other`, which exits.
    pub exit_on_other: bool,
    /// How many visits are allowed on top of a step's own limit; 0 in a recipe, and more only in
    /// limits that were [raised](Self::raised_by).
    #[serde(skip)]
    pub raised_visits: u32,
}

#[expect(clippy::ref_option, reason = "serde passes the field by reference")]
fn seconds<S: Serializer>(time: &Option<Duration>, serializer: S) -> Result<S::Ok, S::Error> {
    time.map(|time| time.as_secs()).serialize(serializer)
}

impl Guardrails {
    /// After how many review rounds without fewer findings a run ends by default.
    pub const DEFAULT_REVIEW_ROUNDS: u32 = 3;

    /// The same limits, with more visits of each step and more steps in total. More visits also
    /// raise the limits that steps have of their own.
    ///
    /// The limits of a recipe are its author's; this is for a run that one of them stopped and
    /// that an operator decided to resume. A limit that is not set stays unset.
    ///
    /// ```
    /// use surefire::recipes::ImplementAndReview;
    ///
    /// let raised = ImplementAndReview::OUTLINE.guardrails.raised_by(2, 0);
    /// assert_eq!(raised.max_step_visits, Some(5));
    /// assert_eq!(raised.max_total_steps, Some(100));
    /// ```
    #[must_use]
    pub fn raised_by(self, visits: u32, steps: u32) -> Self {
        let raise = |limit: Option<u32>, by: u32| limit.map(|limit| limit.saturating_add(by));
        Self {
            max_step_visits: raise(self.max_step_visits, visits),
            max_total_steps: raise(self.max_total_steps, steps),
            raised_visits: self.raised_visits.saturating_add(visits),
            ..self
        }
    }

    /// The same without limits on visits, even by a step's own limit, and on steps.
    #[cfg(feature = "session")]
    pub(crate) const fn uncounted(self) -> Self {
        Self { max_step_visits: None, max_total_steps: None, raised_visits: u32::MAX, ..self }
    }
}

/// The limits for entering a step with a limit of its own.
#[must_use]
pub const fn within_step(limits: Guardrails, max_visits: u32) -> Guardrails {
    let max_step_visits = Some(max_visits.saturating_add(limits.raised_visits));
    Guardrails { max_step_visits, ..limits }
}

/// One of the limits.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Hash,
    strum::Display,
    strum::EnumString,
    strum::IntoStaticStr,
    strum::VariantArray,
    strum::VariantNames,
    Serialize,
)]
#[strum(serialize_all = "snake_case", parse_err_ty = UnknownName, parse_err_fn = unknown_guardrail)]
#[serde(rename_all = "snake_case")]
pub enum Guardrail {
    /// How often one step may run.
    MaxStepVisits,
    /// How many steps a run may take.
    MaxTotalSteps,
    /// How often a chain of runs may restart.
    MaxRestarts,
}

impl Guardrail {
    /// Every guardrail, in the order of declaration.
    pub const ALL: &'static [Self] = <Self as strum::VariantArray>::VARIANTS;

    /// The exit reason of a run that trips it.
    #[must_use]
    pub const fn exit_reason(self) -> ExitReason {
        match self {
            Self::MaxStepVisits => ExitReason::MaxStepVisitsExceeded,
            Self::MaxTotalSteps => ExitReason::MaxTotalSteps,
            Self::MaxRestarts => ExitReason::MaxRestarts,
        }
    }
}

fn unknown_guardrail(name: &str) -> UnknownName {
    UnknownName::among(<Guardrail as strum::VariantNames>::VARIANTS, "guardrail", name)
}
