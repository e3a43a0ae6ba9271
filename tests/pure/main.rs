//! The rooms without I/O: recipes and their registry, reading outcomes, one run and one session as
//! state machines.
//!
//! These tests also run without the default features, as far as the tested modules exist then.

// First, since the modules below use its macro.
#[cfg(feature = "recipes")]
#[macro_use]
mod typed_walk;

mod bundled_properties;
mod bundled_recipes;
mod outcome_reading;
mod outlines;
mod paths;
mod recipes_lock;
mod registry;
mod run;
mod session;
mod slow_reader;
mod snapshots;
