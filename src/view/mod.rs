//! Explaining: what a run's events mean to a person, told once for everybody.
//!
//! A [`Timeline`] takes in a run's events and keeps a [`RunView`]: its visits of steps, how it stands, how it ended, and
//! the up to three [`NextAction`]s. Terminal, console and every other client render that, and decide nothing of it themselves.
//! A [`Handoff`] is what a run that has ended leaves for programs and people, and [`Snapshots`] are what its diffs are made of.
//! It does no I/O and reads no clock: times are milliseconds since 1970 that came with the events, and what passes (the
//! time of the current visit) is computed by the renderer. Start with [`Timeline`], then [`RunView`] and [`next_actions`].

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
mod timeline;
mod visit;
mod words;
mod workplace;

pub use commands::{CommandContext, short_id};
pub use detail::Detail;
pub use end_card::EndCard;
pub use facts::RunFacts;
pub use handoff::{
    HANDOFF_VERSION, Handoff, HandoffChanges, HandoffCheck, HandoffCommand, HandoffFile, HandoffFinding,
    HandoffPlace, HandoffRefusal, HandoffReview, HandoffVerdict, HandoffViolation, HandoffWorktree,
};
pub use next_action::{Action, MAX_ACTIONS, NextAction};
pub use proof::{Proof, RestsOn, ShownCheck, ShownRefusal};
pub use raise::RaisedLimits;
pub use review::ShownReview;
pub use run_view::{RunView, Transition};
pub use shell_quote::shell_quoted;
#[cfg(feature = "cli")]
pub(crate) use shell_quote::turns;
pub use snapshots::{Snapshots, TurnSnapshots};
pub use status::Status;
pub use timeline::{Timeline, next_actions};
pub use visit::Visit;
pub use words::{count, dollars, took};
pub use workplace::{ShownWorktree, Workplace};
