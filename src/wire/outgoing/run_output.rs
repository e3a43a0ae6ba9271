//! What a command of a run prints.

use serde::{Deserialize, Serialize};

use crate::run::{RunId, SessionId};

/// The last line that a command of a run printed, while it runs: for clients that announced `view`. Some lines are left out
/// where there are many; the end of the output is in the run's view once the command has ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunOutput {
    /// The run's session.
    pub session_id: SessionId,
    /// The run.
    pub run_id: RunId,
    /// The line, without anything that would direct a terminal.
    pub line: String,
}
