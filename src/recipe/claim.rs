//! What `proves:` claims, which holds on every path through a recipe.

use std::fmt;

use serde::Serialize;

use super::registry::AnyReason;

/// Something that no run of a recipe reaches unless an outcome was reported before.
///
/// The compiler proved it for every path through the recipe's graph. What it is worth depends on
/// the outcome, see [`basis`](Self::basis).
///
/// ```
/// use surefire::{ClaimBasis, recipes::ImplementAndReview};
///
/// let outline = ImplementAndReview::OUTLINE;
/// let claim = &outline.claims[0];
/// assert_eq!(claim.in_words(outline), "commit needs code-review.no-issues since fix");
/// assert_eq!(claim.basis(outline), ClaimBasis::Report);
/// ```
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Claim {
    /// What is not reached otherwise.
    pub goal: ClaimGoal,
    /// The outcomes of which one was reported.
    pub needs: &'static [ClaimedOutcome],
    /// The step after whose latest visit it was reported, as an index into the recipe's steps. A
    /// run that never enters this step needs the outcome as well.
    pub since: Option<usize>,
}

/// What a [`Claim`] is about.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum ClaimGoal {
    /// Entering a step, as an index into the recipe's steps.
    Step(usize),
    /// Ending with a reason.
    Exit(AnyReason),
    /// Restarting the recipe with this id.
    Restart(&'static str),
}

/// An outcome of a step that a [`Claim`] needs, as indices.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ClaimedOutcome {
    /// The step, among the recipe's steps.
    pub step: usize,
    /// The outcome, among those of the step.
    pub outcome: usize,
}

/// What the outcome of a [`Claim`] rests on, the weakest first.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, strum::VariantArray, Serialize,
)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ClaimBasis {
    /// The agent's report alone.
    Report,
    /// The agent's report, and commands that succeeded after it.
    Verified,
    /// Evidence that the engine found.
    Evidence,
    /// The exit status of a command that the engine ran.
    Command,
}

impl ClaimBasis {
    /// Every basis, in the order of declaration.
    pub const ALL: &'static [Self] = <Self as strum::VariantArray>::VARIANTS;
}

/// In words, to stand after the claim.
impl fmt::Display for ClaimBasis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Report => "as the agent reports it",
            Self::Verified => "as the agent reports it, and the engine verifies it with commands",
            Self::Evidence => "as the engine finds it",
            Self::Command => "as the engine's command finds it",
        })
    }
}
