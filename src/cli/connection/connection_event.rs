//! What a connection reports to a command that follows a run.

use crate::run::{Ending, RunId};
use crate::wire::SessionHistory;

/// A reported change.
pub(in crate::cli) enum ConnectionEvent {
    /// This run's journal has new events.
    Run(RunId),
    /// This run ended. If the journal has no such event, the end could not be persisted.
    Ended(RunId, Box<Ending>),
    /// A command of this run printed a line.
    Printed(RunId, String),
    /// A session has new messages.
    Messages(SessionHistory),
    /// Any change; the command has to read the journal.
    Any,
}
