//! What follows an outcome, as far as it is known.

use proc_macro2::Ident;
use syn::Path;

/// What follows an outcome.
pub(crate) enum Target {
    Step {
        index: usize,
    },
    Unknown {
        name: Ident,
        meant: Option<usize>,
    },
    Exit(Ident),
    /// The implied `Other`.
    StandardOther,
    Restart(Path),
    /// Nothing was mapped to the outcome.
    Unmapped,
    /// What was mapped could not be read.
    Broken,
}

impl Target {
    /// The step it leads to, and no guess.
    pub(crate) fn certain_step(&self) -> Option<usize> {
        match self {
            Self::Step { index } => Some(*index),
            Self::Unknown { .. }
            | Self::Exit(_)
            | Self::StandardOther
            | Self::Restart(_)
            | Self::Unmapped
            | Self::Broken => None,
        }
    }

    /// The step it leads to, even where its name was misspelt.
    pub(crate) fn step(&self) -> Option<usize> {
        match self {
            Self::Step { index } => Some(*index),
            Self::Unknown { meant, .. } => *meant,
            Self::Exit(_) | Self::StandardOther | Self::Restart(_) | Self::Unmapped | Self::Broken => None,
        }
    }

    /// Whether it ends the run by the author's will.
    pub(crate) fn ends(&self) -> bool {
        matches!(self, Self::Exit(_) | Self::Restart(_))
    }

    /// Whether it may lead anywhere, since a mistake keeps it from being known.
    pub(crate) fn is_open(&self) -> bool {
        matches!(self, Self::Unmapped | Self::Broken | Self::Unknown { .. })
    }
}
