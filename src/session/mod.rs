//! Deciding: one session as a state machine, as [`run`](crate::run) is for one run.
//!
//! Each input (a start, a prompt, the end of a turn, a stop) leads to one [`Commit`] and the
//! [`SessionAction`]s to carry out once that is persisted. It does no I/O, never waits and reads no
//! clock: time and ids come in as arguments, so that any driver can own it. Start with [`Session`],
//! then [`SessionInput`] and [`SessionDecision`].

mod chat;
mod commit;
mod decision;
mod entries;
mod event;
mod handle;
mod input;
mod messages;
mod records;
mod runs;
mod state;
mod stop;

pub use commit::{Change, Commit, Entry};
pub use decision::{AgentTurn, CheckRequest, SessionAction, SessionDecision};
pub use event::SessionEvent;
pub use input::{SessionInput, SessionRefusal, TurnEnd};
pub use messages::{NOT_ANSWERED, NOT_DELIVERED, session_name};
pub use records::{NewMessage, NewSession, ProcessRecord, Role};
pub use state::{
    AtStake, ChatTurn, DrivenRun, Profile, QueuedPrompt, RunStatus, Session, Stored, StoredRun,
    TurnOrigin, Unreplayable,
};
