//! Why outcomes are not a path.

use crate::recipe::{advice, closest};
use crate::{Advise, Remedy};

/// Why a run cannot take these outcomes in this order.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PathError {
    /// The step has no such outcome.
    #[error(
        "outcome {number} is `{outcome}`, but step `{step}` has only {}{}",
        possible.join(", "),
        advice(self)
    )]
    UnknownOutcome {
        /// Which of the outcomes it is, from 1.
        number: usize,
        /// The outcome.
        outcome: String,
        /// The step that the outcomes before it lead to.
        step: &'static str,
        /// The outcomes of that step.
        possible: Vec<&'static str>,
        /// The path up to that step.
        path: String,
    },
    /// The run has ended before this outcome.
    #[error(
        "outcome {number}, `{outcome}`, is one too many: the run has ended with {end}{}",
        advice(self)
    )]
    AfterTheEnd {
        /// Which of the outcomes it is, from 1.
        number: usize,
        /// The outcome.
        outcome: String,
        /// How the run has ended.
        end: String,
        /// The path up to that end.
        path: String,
    },
    /// The run continues after the last outcome: see
    /// [`RunPath::finished`](super::RunPath::finished).
    #[error(
        "after the last outcome, the run continues at step `{step}`, which has {}{}",
        possible.join(", "),
        advice(self)
    )]
    Unfinished {
        /// The step that the outcomes lead to.
        step: &'static str,
        /// The outcomes of that step.
        possible: Vec<&'static str>,
        /// Outcomes that lead from there to an exit by a short way; empty if only an `other` that
        /// the author did not write does.
        missing: Vec<&'static str>,
        /// The path up to that step.
        path: String,
    },
}

impl PathError {
    /// The path up to the outcome that is wrong.
    #[must_use]
    pub fn path(&self) -> &str {
        match self {
            Self::UnknownOutcome { path, .. }
            | Self::AfterTheEnd { path, .. }
            | Self::Unfinished { path, .. } => path,
        }
    }
}

impl Advise for PathError {
    fn remedy(&self) -> Option<Remedy> {
        match self {
            Self::UnknownOutcome { outcome, possible, .. } => {
                let name = closest(outcome, possible.iter().copied())?.to_owned();
                Some(Remedy::DidYouMean { name })
            }
            Self::AfterTheEnd { .. } => Some(Remedy::RemoveRest),
            Self::Unfinished { missing, .. } => {
                let outcomes = missing.iter().map(|&outcome| outcome.to_owned()).collect();
                Some(Remedy::AddOutcomes { outcomes }).filter(|_| !missing.is_empty())
            }
        }
    }
}
