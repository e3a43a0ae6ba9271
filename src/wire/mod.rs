//! Speaking: the messages that clients and the server exchange, and how they are written in JSON.
//!
//! This room knows no sockets, keeps no state about clients and does no I/O: a frame's text becomes
//! a [`ClientMessage`] or a [`DecodeError`], an event of a run becomes [`ServerMessage`]s.
//! `STANDARDS.md` documents the messages for people, with an example of each. Start with
//! [`ClientMessage`] and [`ServerMessage`], then `run_broadcast.rs` for what clients get about a
//! run.

mod decode_error;
mod fence_outcome;
mod fields;
mod forms;
mod history_page;
mod http;
mod incoming;
mod outgoing;
mod request_id;
mod run_broadcast;
mod shrink_to_fit;
mod stamp;
mod version;

pub use decode_error::{DecodeError, Rejected};
pub use fence_outcome::fence_outcome;
pub use history_page::{HistoryPart, history_page};
pub use http::{
    DiffTurn, FirstPrompt, Journal, JournalEvent, LastReply, ListedRun, RunDetails,
    RunDiffResponse, RunLine, ServedRecipe, SetAsideEntry, StoreState, Work, WorkLine, WorkingChat,
    WorkingRun,
};
pub use incoming::*;
pub use outgoing::*;
pub use request_id::RequestId;
pub use run_broadcast::RunBroadcast;
#[cfg(feature = "server")]
pub(crate) use shrink_to_fit::cut;
pub use shrink_to_fit::shrink_to_fit;
pub use stamp::Stamp;
pub use version::ProtocolVersion;
