//! The control of a command: its events, and how to stop or detach it.

use tokio::sync::{mpsc, oneshot};

use crate::process::{CancelToken, ProcessIdentity};

/// Connects a command to its caller.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct CommandControl {
    /// Receives its events. The channel is bounded: while it is full, lines are skipped, and
    /// nothing waits.
    pub events: mpsc::Sender<CommandEvent>,
    /// Cancelled to stop the command and everything it started.
    pub stop: CancelToken,
    /// Cancelled with `stop`, or later, when there is little time: grace periods are then short.
    pub fast_stop: CancelToken,
    /// Cancelled to let the command run on without an engine. `stop` takes precedence.
    pub detach: CancelToken,
}

/// An event of a command.
#[derive(Debug)]
#[non_exhaustive]
pub enum CommandEvent {
    /// The process was started and waits for `go`. If `go` is dropped instead, it is ended, and the
    /// command never began.
    Spawned {
        /// The identity of the process.
        process: ProcessIdentity,
        /// Answered once the process is recorded.
        go: oneshot::Sender<()>,
    },
    /// The last line of its output, as printable text. Lines are skipped if there are many.
    Line(String),
}

impl CommandControl {
    /// A control with a channel for this many events, and its receiver.
    #[must_use]
    pub fn new(capacity: usize) -> (Self, mpsc::Receiver<CommandEvent>) {
        let (events, arriving) = mpsc::channel(capacity);
        let token = CancelToken::new;
        (Self { events, stop: token(), fast_stop: token(), detach: token() }, arriving)
    }
}
