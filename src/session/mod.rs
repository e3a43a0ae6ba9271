//! Deciding: one session as a state machine.
mod commit;
mod event;

pub use commit::{Change, Commit, Entry, NewMessage, NewSession, Process, Role};
pub use event::SessionEvent;
