//! A serialized run: what is saved to resume it later, and when resuming is refused.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::advise::{Advise, advice};
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
/// let AnyStep::CodeReview(review) = ImplementAndReview::resume(&snapshot)? else { unreachable!() };
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
}

impl Advise for SnapshotError {
    fn remedy(&self) -> Option<Remedy> {
        match self {
            Self::OtherRecipe { .. } => Some(Remedy::ResumeWithItsRecipe),
            Self::OtherVersion { .. } => Some(Remedy::StartAgainOrOldVersion),
            Self::UnknownStep(_) | Self::Miscounted { .. } | Self::NeverEntered { .. } => None,
        }
    }
}
