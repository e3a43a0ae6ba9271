//! What a command of a run prints.

use serde::{Deserialize, Serialize};

use crate::run::{RunId, SessionId};

/// The last line that a running command of a run printed, for clients that announced `view`. Lines
/// are dropped if the command prints many; once it has ended, the run's view has the end of the
/// output.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunOutput {
    /// The run's session.
    pub session_id: SessionId,
    /// The run.
    pub run_id: RunId,
    /// The line, without terminal control sequences.
    pub line: String,
}
