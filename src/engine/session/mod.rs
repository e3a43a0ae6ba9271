//! The task that owns one session: its mailbox, its loop, and loading it.

mod catch_panic;
pub(super) mod check;
pub(super) mod command;
pub(super) mod driver;
pub(super) mod execute;
pub(super) mod load;
mod partial_turn;
mod preflight;
pub(super) mod registry;
mod task;
pub(super) mod turn_events;
