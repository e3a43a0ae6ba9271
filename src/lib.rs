#![doc = include_str!("lib.md")]
// On docs.rs each item says which feature it needs.
#![cfg_attr(docsrs, feature(doc_cfg))]

// Bundled recipes use the macro with the same paths as a user's crate.
extern crate self as surefire;

mod macros;
mod recipe;
#[cfg(feature = "session")]
#[macro_use]
mod setters;

pub mod outcome;
pub mod paths;

#[cfg(feature = "engine")]
pub mod agent;
#[cfg(feature = "cli")]
pub mod cli;
#[cfg(feature = "client")]
pub mod client;
#[cfg(feature = "engine")]
pub mod engine;
#[cfg(feature = "engine")]
pub mod gate;
#[cfg(any(feature = "client", feature = "engine"))]
mod local;
#[cfg(feature = "engine")]
pub mod process;
#[cfg(feature = "session")]
pub mod run;
#[cfg(feature = "server")]
pub mod server;
#[cfg(feature = "session")]
pub mod session;
#[cfg(feature = "engine")]
pub mod store;
#[cfg(feature = "session")]
pub mod view;
#[cfg(any(feature = "client", feature = "server"))]
pub mod wire;

#[cfg(feature = "recipes")]
pub mod recipes;

pub use recipe::{
    Advise, AfterLimit, AnyPosition, AnyReason, AnyRecipe, AnyRestart, BrokenRule, Catalog,
    Category, Claim, ClaimBasis, ClaimGoal, ClaimedOutcome, Classified, CommandLine, CommandStep,
    Evidence, Exit, ExitReason, Family, FileRules, FileScope, Fingerprint, GraphChange, GraphNext,
    Guardrail, Guardrails, InvalidTool, LockGrade, LockedChange, Needs, Next, NextOutline,
    OutcomeOutline, Outline, PathPart, Position, ReasonInfo, Recipe, RecipeGraph, RecipesLock,
    RecipesLockError, Registry, Remedy, Restart, RunLimit, RunPermit, RunRemedy, Snapshot,
    SnapshotError, StepLimits, StepOutline, Tool, Tripped, UnknownName, UnknownRecipe, Verdict,
    Violation, VisitLimit, WireEnum,
};
pub use surefire_macros::Registry;

#[doc(hidden)]
pub mod __private;

/// Compiles and runs the code of `docs/OUTCOMES.md`.
#[cfg(doctest)]
#[doc = include_str!("../docs/OUTCOMES.md")]
struct Outcomes;

/// Compiles and runs the code of `docs/proofs.md`.
#[cfg(doctest)]
#[doc = include_str!("../docs/proofs.md")]
struct Proofs;

/// Compiles and runs the README's code.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// Compiles and runs the guide's code.
#[cfg(doctest)]
#[doc = include_str!("../docs/guide/your-own-recipe.md")]
#[doc = include_str!("../docs/guide/changing-a-recipe.md")]
#[doc = include_str!("../docs/guide/proof-of-work.md")]
#[doc = include_str!("../docs/guide/embedding.md")]
struct Guide;
