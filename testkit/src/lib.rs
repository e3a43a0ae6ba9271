//! What tests of an engine, a store, an agent or a server need: a [`FakeAgent`] that does what a
//! test scripts, a [`Harness`] with an engine around it, stores that fail on demand, sandboxes for
//! processes, a scripted service behind the real CLI, and a client like the app.
//!
//! It tests nothing by itself. Authors of other stores and agents start with [`conformance`]: the
//! rules for every store and agent, as tests to call.
#![cfg(feature = "engine")]

#[cfg(feature = "server")]
pub mod app;
pub mod conformance;
mod fake_agent;
pub mod fixtures;
#[cfg(feature = "recipes")]
mod harness;
mod held_store;
mod interleave;
mod log_buffer;
mod real_cli;
pub mod sandbox;
mod scripted_service;
#[cfg(feature = "recipes")]
mod tracker;
mod unproved;
mod wait;
mod watcher;
mod work_tree;

pub use fake_agent::{Act, Call, FakeAgent, Kind, json};
#[cfg(feature = "recipes")]
pub use harness::{Harness, NOON, SECOND, clock, options};
pub use held_store::HeldStore;
pub use interleave::{polled, polled_twice, settle};
pub use log_buffer::LogBuffer;
pub use real_cli::RealCli;
pub use scripted_service::{Move, ScriptedService};
#[cfg(feature = "recipes")]
pub use tracker::{make_tracker, path_with};
pub use unproved::unproved;
pub use wait::{eventually, eventually_async};
pub use watcher::{Watcher, link};
pub use work_tree::{commit, git, make_work_tree};
