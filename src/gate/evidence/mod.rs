//! Evidence for an outcome, checked in the working directory.
//!
//! Start with `look.rs`; `exists.rs` is about paths, and `words.rs` formats findings for people and
//! agents.

mod exists;
mod look;
mod looked;
mod words;

pub use look::{GitContext, LookError, look};
pub use looked::Looked;
