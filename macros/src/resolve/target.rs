//! What follows an outcome, as far as it is known.

use proc_macro2::{Ident, Span};
use syn::Path;

use crate::syntax::Reason;

/// What follows an outcome.
pub(crate) enum Target {
    Step {
        index: usize,
        /// Where its name is written.
        at: Span,
    },
    Unknown {
        name: Ident,
        meant: Option<usize>,
    },
    Exit(Reason),
    /// The implied `Other`.
    StandardOther,
    Restart(Path),
    /// `restart` in front of a step's name.
    RestartedStep {
        index: usize,
        name: Ident,
    },
    /// Nothing was mapped to the outcome.
    Unmapped,
    /// What was mapped could not be read.
    Broken,
}

impl Target {
    /// The step it leads to, without a guess.
    pub(crate) fn certain_step(&self) -> Option<usize> {
        match self {
            Self::Step { index, .. } => Some(*index),
            Self::RestartedStep { .. }
            | Self::Unknown { .. }
            | Self::Exit(_)
            | Self::StandardOther
            | Self::Restart(_)
            | Self::Unmapped
            | Self::Broken => None,
        }
    }

    /// The step it leads to, even if its name is misspelt.
    pub(crate) fn step(&self) -> Option<usize> {
        match self {
            Self::Step { index, .. } | Self::RestartedStep { index, .. } => Some(*index),
            Self::Unknown { meant, .. } => *meant,
            Self::Exit(_)
            | Self::StandardOther
            | Self::Restart(_)
            | Self::Unmapped
            | Self::Broken => None,
        }
    }

    /// Where a step that exists is named.
    pub(crate) fn named_at(&self) -> Option<Span> {
        match self {
            Self::Step { at, .. } => Some(*at),
            Self::RestartedStep { .. }
            | Self::Unknown { .. }
            | Self::Exit(_)
            | Self::StandardOther
            | Self::Restart(_)
            | Self::Unmapped
            | Self::Broken => None,
        }
    }

    /// Whether it ends the run as the author specified.
    pub(crate) fn ends(&self) -> bool {
        matches!(self, Self::Exit(_) | Self::Restart(_))
    }

    /// Whether its target is unknown because of a mistake, so that it may lead to any step.
    pub(crate) fn is_open(&self) -> bool {
        matches!(
            self,
            Self::Unmapped | Self::Broken | Self::Unknown { .. } | Self::RestartedStep { .. }
        )
    }
}
