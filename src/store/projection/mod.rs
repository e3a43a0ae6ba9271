//! What a commit means for the rows of a store: the one place that decides it, for every store.
//!
//! [`project`] reads the rows that a commit is about through [`ReadRows`], and answers with the rows to write, or with
//! the reason why the commit is refused. It does no I/O of its own and keeps nothing. A store brings three things:
//! a lock or a transaction around both, reading a row by its id, and writing what [`Projected`] lists. Start with
//! `apply.rs`, then `run.rs` and `session.rs` for what each event does.

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
