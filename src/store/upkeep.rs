//! What keeping a store for years needs: runs that are set aside, and what was deleted.

use crate::run::{AttemptId, Ending, RunId, SessionId};
use crate::{Exit, ExitReason};

/// A run that was set aside, or a row that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quarantined {
    /// The run it belongs to, where that is known.
    pub run: Option<RunId>,
    /// The row: its table and its key, such as `events 512`.
    pub row: String,
    /// Why it cannot be read.
    pub why: String,
}

/// What was deleted with old sessions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pruned {
    /// How many runs.
    pub runs: u64,
    /// The sessions, with all that was said in them.
    pub sessions: Vec<SessionId>,
    /// The attempts. What an agent may have left in their directories belongs to nothing any more.
    pub attempts: Vec<AttemptId>,
}

/// How a run that was set aside is listed: as one that ended, since it holds no session and does not resume.
pub(super) fn set_aside_ending(why: &str, step: &str, steps: u32, rehearsal: bool) -> Ending {
    let exit = Exit::because(ExitReason::StorageError).describe(why.to_owned());
    Ending {
        message: "Recipe failed: what is stored of it cannot be read".to_owned(),
        title: "Set aside".to_owned(),
        diagnosis:
            "Nothing of it was deleted. `surefire doctor` says which row it is; start the recipe again."
                .to_owned(),
        ..Ending::new(&exit, step, steps, rehearsal)
    }
}
