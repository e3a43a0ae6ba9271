//! Explaining: what a run's events mean to a person, in one place for all clients.
//!
//! A [`Timeline`] applies a run's events to a [`RunView`]: its visits of steps, its status, how it
//! ended, and up to three [`NextAction`]s. Terminal, console and every other client only render
//! that view. A [`Handoff`] is what an ended run leaves for programs and people, and [`Snapshots`]
//! are the source of its diffs. This room does no I/O and reads no clock: times are milliseconds
//! since 1970 that came with the events; the renderer computes the elapsed time of the current
//! visit.
//! Start with [`Timeline`], then [`RunView`] and [`next_actions`].

mod commands;
mod detail;
mod end_card;
mod facts;
mod handoff;
mod next_action;
#[cfg(test)]
mod one_run;
mod proof;
mod raise;
mod reading;
mod review;
mod run_view;
mod shell_quote;
mod snapshots;
mod status;
mod step_limit;
mod timeline;
mod visit;
mod words;
mod workplace;

pub use commands::{CommandContext, short_id};
pub use detail::Detail;
pub use end_card::EndCard;
pub use facts::RunFacts;
pub use handoff::{
    HANDOFF_VERSION, Handoff, HandoffChanges, HandoffCheck, HandoffCommand, HandoffFile,
    HandoffFinding, HandoffPlace, HandoffRefusal, HandoffReview, HandoffVerdict, HandoffViolation,
    HandoffWorktree,
};
pub use next_action::{ActionKind, MAX_ACTIONS, NextAction};
pub use proof::{Proof, RestsOn, ShownCheck, ShownRefusal};
pub use raise::RaisedLimits;
pub use review::ShownReview;
pub use run_view::{RunView, Transition};
pub use shell_quote::shell_quoted;
pub use snapshots::{Snapshots, TurnSnapshots};
pub use status::Status;
pub use timeline::{Timeline, next_actions};
pub use visit::Visit;
pub use words::{count, dollars, took};
pub use workplace::{ShownWorktree, Workplace};
