//! One run as a pure state machine: what it decides, and what always holds.

#![cfg(all(feature = "recipes", feature = "session"))]

mod changed_recipe;
mod decisions;
mod one_run;
mod prompts;
mod properties;
mod proving;
mod review;
mod step_limits;
mod visit_limits;
