//! What a transition costs when it runs, and what a recipe costs when it compiles.
//!
//! Each contender is one small file that does the same work in its own idiom. No test asserts a
//! time: the tests only check that all contenders take the same path. Start reading at
//! `transitions/mod.rs` and `compile_time/mod.rs`, each of which opens with its list of contenders.

#![deny(unsafe_code)]

pub mod allocations;
pub mod compile_time;
pub mod transitions;
pub mod written;
