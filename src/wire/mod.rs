//! Speaking: the messages that clients and the server exchange, and how they are written in JSON.
//!
//! This room knows no sockets, keeps no state about clients and does no I/O: a frame's text becomes a [`ClientMessage`] or a
//! [`Refusal`], an event of a run becomes [`ServerMessage`]s. `STANDARDS.md` is the same for people, with an example of each.
//! Start with [`ClientMessage`] and [`ServerMessage`], then `telling.rs` for what a run looks like from outside.

mod fields;
mod fit;
mod forms;
mod history;
mod http;
mod incoming;
mod outgoing;
mod refusal;
mod request_id;
mod shown;
mod stamp;
mod telling;
mod version;

#[cfg(feature = "server")]
pub(crate) use fit::cut;
pub use fit::fit;
pub use history::{Window, window};
pub use http::{
    DiffTurn, FirstPrompt, Journal, JournalEvent, LastReply, RunDetails, RunDiff, RunLine, SetAsideEntry,
    StoreState, Work, WorkLine, WorkingChat, WorkingRun,
};
pub use incoming::*;
pub use outgoing::*;
pub use refusal::{Refusal, Refused};
pub use request_id::RequestId;
pub use shown::shown;
pub use stamp::Stamp;
pub use telling::Telling;
pub use version::ProtocolVersion;
