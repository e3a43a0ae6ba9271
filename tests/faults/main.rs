//! Killing a server for real, and looking at what is left. The server is the example
//! `implement_and_review`, or the command `proof_of_work`, built with crash points; its agent is
//! the fake CLI, whose log of calls is the oracle for how often an agent really ran.
//!
//! A binary of its own: `scripts/faults` runs it alone and for hours, one test at a time, and its
//! timing would suffer from other tests beside it. It also starts itself as the server that is
//! killed, which is faster for a small binary.

#![cfg(all(feature = "engine", feature = "recipes", target_os = "linux"))]

mod agents;
mod campaign;
mod checks;
mod crash_points;
mod crowd;
mod findings;
mod locked;
mod server;
mod worktrees;
