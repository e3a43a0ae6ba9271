//! The records of maintenance: quarantined runs, and pruned sessions.

use crate::run::{AttemptId, Ending, RunId, SessionId};
use crate::{Exit, ExitReason};

/// A quarantined run, or a row that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quarantined {
    /// The run it belongs to, if known.
    pub run: Option<RunId>,
    /// The row: its table and its key, such as `events 512`.
    pub row: String,
    /// Why it cannot be read.
    pub why: String,
}

/// What pruning sessions deleted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pruned {
    /// The number of runs.
    pub runs: u64,
    /// The sessions, with their conversations.
    pub sessions: Vec<SessionId>,
    /// The attempts. Their scratch directories may still exist, and can be removed.
    pub attempts: Vec<AttemptId>,
}

/// The ending of a quarantined run in lists: it counts as ended, since it does not hold its session
/// and never resumes.
pub(super) fn quarantined_ending(why: &str, step: &str, steps: u32, rehearsal: bool) -> Ending {
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
