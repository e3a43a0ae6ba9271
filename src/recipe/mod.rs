//! The vocabulary: what a recipe, a step, an outcome, a guardrail and an exit are, typed and
//! erased.
//!
//! It does no I/O, reads no clock and logs nothing; it knows neither agents nor servers.
//! Start with [`Recipe`], then [`Position`] and [`Exit`].

mod advise;
mod catalog;
mod change;
mod claim;
mod classify;
mod command_line;
pub mod editor;
mod erased;
mod evidence;
mod exit;
mod exit_reason;
pub(crate) mod file_pattern;
mod file_rules;
mod generated;
mod graph;
mod graph_change;
mod guardrail;
mod hidden_character;
mod leads_to;
mod ledger;
mod reason_info;
mod registry;
mod remedy;
mod restart;
mod run_remedy;
mod scope;
mod sealed;
mod snapshot;
mod step_limits;
mod tool;
mod tool_list;
mod tool_pattern;
mod tripped;
mod typed;
mod verdict;
mod walk;
mod wire_enum;

pub use advise::Advise;
pub(crate) use advise::advice;
pub use catalog::{Catalog, UnknownRecipe};
pub use change::{LockGrade, LockedChange, RecipesLock, RecipesLockError};
pub use claim::{Claim, ClaimBasis, ClaimGoal, ClaimedOutcome};
pub use classify::Classified;
pub use command_line::CommandLine;
pub use erased::{
    AnyPosition, AnyRecipe, AnyRestart, CommandStep, Fingerprint, Next, NextOutline,
    OutcomeOutline, Outline, PathPart, StepOutline,
};
pub use evidence::Evidence;
pub use exit::Exit;
pub use exit_reason::ExitReason;
pub use file_rules::{BrokenRule, FileRules, FileScope, Needs, Violation};
pub use graph::{GraphNext, RecipeGraph};
pub use graph_change::GraphChange;
pub use guardrail::{Guardrail, Guardrails};
pub use reason_info::{Category, Family, ReasonInfo};
pub use registry::{AnyReason, Registry};
pub use remedy::Remedy;
pub use restart::Restart;
pub use run_remedy::{RunLimit, RunPermit, RunRemedy};
pub use snapshot::{Snapshot, SnapshotError};
pub use step_limits::{AfterLimit, StepLimits, VisitLimit};
pub use tool::{InvalidTool, Tool};
pub use tripped::Tripped;
pub use typed::{Position, Recipe};
pub use verdict::Verdict;
pub use wire_enum::{UnknownName, WireEnum};

pub(crate) use catalog::closest;
#[cfg(feature = "session")]
pub(crate) use hidden_character::is_bidi_control;
pub(crate) use hidden_character::is_hidden;

#[doc(hidden)]
pub use generated::outcomes;
#[doc(hidden)]
pub use guardrail::within_step;
#[doc(hidden)]
pub use leads_to::LeadsTo;
#[doc(hidden)]
pub use ledger::{Ledger, Visits};
#[doc(hidden)]
pub use scope::{Place, RestartTarget, Scope, blank, offers_restarts, same, standard};
#[doc(hidden)]
pub use sealed::Sealed;
#[doc(hidden)]
pub use tool_list::{count_tools, join_tools, step_tools_flaw, tools_flaw};
#[doc(hidden)]
pub use wire_enum::deserialize;
