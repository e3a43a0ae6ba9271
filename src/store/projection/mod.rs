//! The projection of commits to rows, the same for every store.
//!
//! [`project`] reads the affected rows through [`ReadRows`], and returns the rows to write, or why
//! the commit is refused. It does no I/O of its own and has no state. A store provides three
//! things: a lock or a transaction around both, reading a row by its id, and writing the rows of
//! [`Projected`]. Start with `apply.rs`, then `run.rs` and `session.rs` for the effect of each
//! event.

mod apply;
mod conversation;
mod draft;
mod projected;
mod read;
mod rows;
mod rules;
mod run;
mod session;
mod table;
mod turns;

pub use apply::project;
pub use projected::{Projected, Upsert};
pub use read::ReadRows;
pub use rows::{AttemptRow, PromptRow, RunRow, SessionRow};

pub(super) use rules::{missing, text_of};
