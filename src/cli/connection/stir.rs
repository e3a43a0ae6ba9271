//! What a command that follows a run hears about.

use crate::run::{Ending, RunId};
use crate::wire::SessionHistory;

/// Something happened.
pub(in crate::cli) enum Stir {
    /// In this run: its journal has more.
    Run(RunId),
    /// This run is said to have ended so. Where the journal does not say it as well, it could not be written down.
    Ended(RunId, Box<Ending>),
    /// A command of this run printed a line.
    Printed(RunId, String),
    /// Somebody said something.
    Said(SessionHistory),
    /// Whatever.
    Any,
}
