//! What comes of a job: a reply, what a check found, or why there is neither.

use super::directory::DirectoryError;
use super::job::Job;
use crate::Violation;
use crate::agent::{Failure, Reply};
use crate::engine::tree_lock::Collision;
use crate::run::{Changes, CheckResult, TreeState};

/// What came of a job.
pub(in crate::engine) enum JobEnd {
    Turn(TurnResult),
    Check(Result<Checks, NoReply>),
}

impl JobEnd {
    pub(super) fn failed(job: &Job, why: NoReply) -> Self {
        match job {
            Job::Turn(_) => Self::Turn(TurnResult { reply: Err(why), tree: None, violations: Vec::new() }),
            Job::Check(_) => Self::Check(Err(why)),
        }
    }
}

/// What came of a turn.
pub(in crate::engine) struct TurnResult {
    pub(in crate::engine) reply: Result<Reply, NoReply>,
    /// The work tree afterwards and what the run has changed so far, where the engine could look.
    pub(in crate::engine) tree: Option<Box<(TreeState, Changes)>>,
    /// The files that the run may not change and that are changed.
    pub(in crate::engine) violations: Vec<Violation>,
}

/// What came of a check.
pub(in crate::engine) struct Checks {
    /// What was looked at and run, in order.
    pub(in crate::engine) results: Vec<CheckResult>,
    /// The files that the run may not change and that are changed since commands ran.
    pub(in crate::engine) violations: Vec<Violation>,
}

/// Why there is no reply.
pub(in crate::engine) enum NoReply {
    Failure(Failure),
    /// It is not known how far the agent came before the last engine was killed.
    Unknown,
    /// Another process works in the session.
    Locked,
    /// The working directory cannot be worked in any more.
    Directory(DirectoryError),
    /// Another run works in the work tree.
    Collision(Collision),
    /// The agent's code panicked.
    Panicked(String),
}
