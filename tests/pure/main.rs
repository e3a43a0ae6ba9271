//! The rooms that only think: recipes and their registry, reading outcomes, one run and one session as state machines.
//!
//! All of it also holds without the default features, as far as it is there at all.

// First, since the modules below use its macro.
#[cfg(feature = "recipes")]
#[macro_use]
mod typed_walk;

mod bundled_properties;
mod bundled_recipes;
mod outcome_reading;
mod outlines;
mod registry;
mod run;
mod session;
mod slow_reader;
mod snapshots;
