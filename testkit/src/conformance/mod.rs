//! The rules for every store and every agent, as tests that authors of their own ones can call.
//!
//! ```
//! // In `tests/conformance.rs` of a crate with its own store; `Memory` stands in for it here.
//! mod my_store {
//!     surefire_testkit::store_conformance!(|test| test(&surefire::store::Memory::default()));
//! }
//!
//! // And with its own agent; `Rehearsal` stands in for it.
//! mod my_agent {
//!     use surefire::agent::{Rehearsal, Script};
//!     use surefire_testkit::conformance::agent::Candidate;
//!
//!     surefire_testkit::agent_conformance!(|| {
//!         Candidate::new(Rehearsal::new(Script::Happy), Rehearsal::new(Script::Slow))
//!     });
//! }
//! ```

pub mod agent;
pub mod store;
