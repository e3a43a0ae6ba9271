//! The vocabulary: what a recipe, a step, an outcome, a guardrail and an exit are, typed and erased.
//!
//! It does no I/O, reads no clock and logs nothing; it knows neither agents nor servers.
//! Start with [`Recipe`], then [`Position`] and [`Exit`].

mod advise;
mod catalog;
mod classify;
mod definition;
mod erased;
mod exit;
mod exit_reason;
mod guardrail;
mod ledger;
mod names;
mod registry;
mod remedy;
mod restart;
mod run_remedy;
mod scope;
mod snapshot;
mod typed;
mod verdict;

pub use advise::Advise;
pub(crate) use advise::advice;
pub use catalog::{Catalog, UnknownRecipe};
pub use classify::Classified;
pub use definition::{Category, Definition, Family};
pub use erased::{
    AnyPosition, AnyRecipe, AnyRestart, Fingerprint, Next, NextOutline, OutcomeOutline, Outline, PathPart,
    StepOutline,
};
pub use exit::Exit;
pub use exit_reason::ExitReason;
pub use guardrail::{Guardrail, Guardrails, Tripped};
pub use names::{Names, UnknownName};
pub use registry::{AnyReason, Registry};
pub use remedy::Remedy;
pub use restart::Restart;
pub use run_remedy::{RunLimit, RunRemedy};
pub use snapshot::{Snapshot, SnapshotError};
pub use typed::{Position, Recipe};
pub use verdict::Verdict;

#[cfg(feature = "cli")]
pub(crate) use catalog::closest;

#[doc(hidden)]
pub use ledger::{Ledger, Visits};
#[doc(hidden)]
pub use names::deserialize;
#[doc(hidden)]
pub use scope::{Place, RestartTarget, Scope, blank, offers_restarts, same, standard};
