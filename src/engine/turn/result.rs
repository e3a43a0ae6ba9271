//! The result of a job: a reply, the results of a check, or why there is neither.

use super::directory::DirectoryError;
use super::job::Job;
use crate::Violation;
use crate::agent::{Failure, Reply};
use crate::engine::tree_lock::Collision;
use crate::run::{Changes, CheckResult, TreeState};

/// The result of a job.
pub(in crate::engine) enum JobEnd {
    Turn(TurnResult),
    Check(Result<Checks, NoReply>),
}

impl JobEnd {
    pub(super) fn failed(job: &Job, why: NoReply) -> Self {
        match job {
            Job::Turn(_) => {
                Self::Turn(TurnResult { reply: Err(why), tree: None, violations: Vec::new() })
            }
            Job::Check(_) => Self::Check(Err(why)),
        }
    }
}

/// The result of a turn.
pub(in crate::engine) struct TurnResult {
    pub(in crate::engine) reply: Result<Reply, NoReply>,
    /// The work tree after the turn and the run's changes so far; `None` if it could not be
    /// inspected.
    pub(in crate::engine) tree: Option<Box<(TreeState, Changes)>>,
    /// The files that changed although the run may not change them.
    pub(in crate::engine) violations: Vec<Violation>,
}

/// The result of a check.
pub(in crate::engine) struct Checks {
    /// The results of evidence and commands, in order.
    pub(in crate::engine) results: Vec<CheckResult>,
    /// The files that commands changed although the run may not change them.
    pub(in crate::engine) violations: Vec<Violation>,
}

/// Why there is no reply.
pub(in crate::engine) enum NoReply {
    Failure(Failure),
    /// It is unknown how far the agent got before the last engine was killed.
    Unknown,
    /// Another process works in the session.
    Locked,
    /// The agent may no longer work in its directory.
    Directory(DirectoryError),
    /// Another run holds the work tree.
    Collision(Collision),
    /// The agent's code panicked.
    Panicked(String),
}
