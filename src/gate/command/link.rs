//! The line between a command and its caller.

use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use crate::process::Process;

/// How the caller of a command hears of it and directs it.
#[derive(Debug, Clone)]
pub struct CommandLink {
    /// Where its events go. It is bounded: while it is full, lines are left out, and nothing waits.
    pub events: mpsc::Sender<CommandEvent>,
    /// Set to stop the command and everything it started.
    pub stop: CancellationToken,
    /// Set beside `stop`, or later, when there is little time: graces are then the short ones.
    pub fast_stop: CancellationToken,
    /// Set to let the command run on without an engine. Where `stop` is set as well, `stop` counts.
    pub detach: CancellationToken,
}

/// What the caller of a command hears.
#[derive(Debug)]
pub enum CommandEvent {
    /// The process is there, and waits for `go`; if `go` is dropped instead, it is ended, and the command never began.
    Spawned {
        /// What is needed to find the process again.
        process: Process,
        /// Answered once the process is recorded.
        go: oneshot::Sender<()>,
    },
    /// The last line that it wrote, fit to be shown. Some lines are left out where there are many.
    Line(String),
}

impl CommandLink {
    /// A link with room for this many events, and the end of it where they arrive.
    #[must_use]
    pub fn new(capacity: usize) -> (Self, mpsc::Receiver<CommandEvent>) {
        let (events, arriving) = mpsc::channel(capacity);
        let token = CancellationToken::new;
        (Self { events, stop: token(), fast_stop: token(), detach: token() }, arriving)
    }
}
