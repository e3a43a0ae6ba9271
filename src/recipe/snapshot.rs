//! A serialized run: what is saved to resume it later, and when resuming is refused.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::advise::{Advise, advice};
use super::graph_change::{GraphChange, in_words};
use super::remedy::Remedy;
use super::wire_enum::UnknownName;

/// All that is needed to resume a run later, in another process.
///
/// ```
/// use surefire::recipes::ImplementAndReview;
/// use surefire::recipes::implement_and_review::AnyStep;
///
/// let review = ImplementAndReview::begin().complete()?;
/// let json = serde_json::to_string(&review.position().snapshot())?;
///
/// let snapshot = serde_json::from_str(&json)?;
/// let AnyStep::CodeReview(review) = ImplementAndReview::resume(&snapshot)? else {
///     unreachable!()
/// };
/// let fix = review.issues_found()?;
/// # let _ = fix;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Snapshot {
    /// The id of the recipe.
    pub recipe: String,
    /// The graph it was taken from; see [`Fingerprint`](crate::Fingerprint).
    pub fingerprint: String,
    /// The current step.
    pub step: String,
    /// How often each step has been entered; steps that never were are left out.
    pub visits: BTreeMap<String, u32>,
    /// How many steps the run has taken.
    pub steps: u32,
    /// How often the chain the run belongs to has restarted.
    pub restarts: u32,
}

/// Why a snapshot cannot be resumed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SnapshotError {
    /// It was taken from another recipe.
    #[error("this is a snapshot of recipe `{found}`, not of `{expected}`{}", advice(self))]
    OtherRecipe {
        /// The recipe that was asked to resume it.
        expected: &'static str,
        /// The recipe in the snapshot.
        found: String,
    },
    /// The steps, the outcomes or where they lead have changed since.
    #[error(
        "recipe `{recipe}` has changed since this snapshot was taken (fingerprint {found}, now {expected}){}",
        advice(self)
    )]
    OtherVersion {
        /// The recipe.
        recipe: &'static str,
        /// The fingerprint of the recipe as it is now.
        expected: String,
        /// The fingerprint in the snapshot.
        found: String,
    },
    /// Something that the run can still reach has changed since it began.
    #[error(
        "recipe `{recipe}` has changed since this run began, and the run cannot continue from step `{step}`: {}{}",
        in_words(changes),
        advice(self)
    )]
    Changed {
        /// The recipe.
        recipe: &'static str,
        /// The current step of the run.
        step: String,
        /// What changed, the nearest first.
        changes: Vec<GraphChange>,
    },
    /// It names a step that the recipe does not have.
    #[error("the snapshot is damaged: {0}")]
    UnknownStep(#[from] UnknownName),
    /// Its numbers contradict each other.
    #[error(
        "the snapshot is damaged: {steps} steps were taken, but the visits of all steps add up to {visits}"
    )]
    Miscounted {
        /// The number of steps.
        steps: u32,
        /// The sum of all visits.
        visits: u64,
    },
    /// Its current step, or its first step, was never entered.
    #[error(
        "the snapshot is damaged: the run was at step `{step}`, which it says was never entered"
    )]
    NeverEntered {
        /// That step.
        step: &'static str,
    },
    /// A step was entered to which no step that was entered leads.
    #[error(
        "the snapshot is damaged: step `{step}` was entered, but none of the steps before it leads there"
    )]
    NoWayTo {
        /// That step.
        step: &'static str,
    },
    /// A step was entered from which the run cannot have come to its current step.
    #[error(
        "the snapshot is damaged: step `{step}` was entered, but from there no step that was entered leads to `{current}`, where the run was"
    )]
    NoWayOn {
        /// That step.
        step: &'static str,
        /// The current step.
        current: &'static str,
    },
    /// Two steps were entered that exclude each other.
    #[error(
        "the snapshot is damaged: the steps `{one}` and `{other}` were both entered, but no path over the steps that were entered has both"
    )]
    NeverBoth {
        /// One of them.
        one: &'static str,
        /// The other one.
        other: &'static str,
    },
    /// A step was entered repeatedly to which no run returns.
    #[error(
        "the snapshot is damaged: step `{step}` was entered {}, but no step that was entered leads back to it", times(u64::from(*visits))
    )]
    NeverAgain {
        /// That step.
        step: &'static str,
        /// How often it was entered.
        visits: u32,
    },
    /// A step was entered more often than the steps before it were left.
    #[error(
        "the snapshot is damaged: step `{step}` was entered {}, but the steps before it allow only {most}", times(u64::from(*visits))
    )]
    EnteredTooOften {
        /// That step.
        step: &'static str,
        /// How often it was entered.
        visits: u32,
        /// How often it can have been entered at most.
        most: u64,
    },
    /// A step was left more often than the steps after it were entered.
    #[error(
        "the snapshot is damaged: step `{step}` was left {}, but the steps after it allow only {most}", times(*left)
    )]
    LeftTooOften {
        /// That step.
        step: &'static str,
        /// How often it was left.
        left: u64,
        /// How often it can have been left at most.
        most: u64,
    },
    /// A step was entered more often than a limit allows.
    #[error("step `{step}` was entered {}, and its limit is {limit}{}", times(u64::from(*visits)), advice(self))]
    TooManyVisits {
        /// That step.
        step: &'static str,
        /// How often it was entered.
        visits: u32,
        /// The limit.
        limit: u32,
    },
    /// More steps were taken than a limit allows.
    #[error("the run took {steps} steps, and its limit is {limit}{}", advice(self))]
    TooManySteps {
        /// The number of steps.
        steps: u32,
        /// The limit.
        limit: u32,
    },
}

fn times(count: u64) -> String {
    if count == 1 { "once".to_owned() } else { format!("{count} times") }
}

impl Advise for SnapshotError {
    fn remedy(&self) -> Option<Remedy> {
        match self {
            Self::OtherRecipe { .. } => Some(Remedy::ResumeWithItsRecipe),
            Self::Changed { .. } => Some(Remedy::StartAgainOrRunVersion),
            Self::OtherVersion { .. } => Some(Remedy::StartAgainOrOldVersion),
            Self::TooManyVisits { .. } | Self::TooManySteps { .. } => Some(Remedy::ResumeWithin),
            Self::UnknownStep(_)
            | Self::Miscounted { .. }
            | Self::NeverEntered { .. }
            | Self::NoWayTo { .. }
            | Self::NoWayOn { .. }
            | Self::NeverBoth { .. }
            | Self::NeverAgain { .. }
            | Self::EnteredTooOften { .. }
            | Self::LeftTooOften { .. } => None,
        }
    }
}
