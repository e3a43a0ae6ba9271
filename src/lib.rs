#![doc = include_str!("lib.md")]

// Bundled recipes use the macro as everybody else does, with the same paths.
extern crate self as surefire;

mod macros;
mod recipe;

pub mod outcome;
pub mod run;

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
    Advise, AnyPosition, AnyReason, AnyRecipe, AnyRestart, BrokenRule, Catalog, Category, Classified,
    CommandLine, CommandStep, Definition, Evidence, Exit, ExitReason, Family, FileRules, FileScope,
    Fingerprint, Guardrail, Guardrails, InvalidTool, Names, Needs, Next, NextOutline, OutcomeOutline,
    Outline, PathPart, Position, Recipe, Registry, Remedy, Restart, RunLimit, RunPermit, RunRemedy, Snapshot,
    SnapshotError, StepOutline, Tool, Tripped, UnknownName, UnknownRecipe, Verdict, Violation,
};
pub use surefire_macros::Registry;

#[doc(hidden)]
pub mod __private;

/// The code of the page about outcomes compiles and runs.
#[cfg(doctest)]
#[doc = include_str!("../docs/OUTCOMES.md")]
struct Outcomes;

/// The README's code compiles and runs.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
