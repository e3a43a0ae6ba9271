//! The task that owns one session: its mailbox, its loop, and how it is loaded.

mod caught;
pub(super) mod check;
pub(super) mod command;
pub(super) mod driver;
mod last_look;
pub(super) mod load;
pub(super) mod obey;
mod preflight;
pub(super) mod registry;
pub(super) mod watch;
