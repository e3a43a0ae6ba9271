//! Deciding: one session as a state machine, as [`run`](crate::run) is for one run.
//!
//! It is told what happens (a start, a prompt, the end of a turn, a stop) and answers with one [`Commit`] and the
//! [`Action`]s to do once that is persisted. It does no I/O, never waits and reads no clock: time and ids come in as
//! arguments, so that any driver can own it. Start with [`Session`], then [`Input`] and [`Decision`].

mod chat;
mod commit;
mod decision;
mod entries;
mod event;
mod handle;
mod input;
mod records;
mod runs;
mod state;
mod stop;
mod words;

pub use commit::{Change, Commit, Entry};
pub use decision::{Action, CheckRequest, Decision, TurnRequest};
pub use event::SessionEvent;
pub use input::{Input, Refusal, TurnEnd};
pub use records::{NewMessage, NewSession, Process, Role};
pub use state::{
    AtStake, ChatTurn, Driven, Profile, QueuedPrompt, RunStatus, Session, Stored, StoredRun, TurnOrigin,
    Unreplayable,
};
pub use words::{NOT_ANSWERED, NOT_DELIVERED, session_name};
