//! A unit of work: a turn of the agent, or a check of the outcome it reported.

use std::path::Path;

use crate::run::{AttemptId, RunId, TreeClaim};
use crate::session::{AgentTurn, CheckRequest, TurnOrigin};

/// One job. A session has at most one in flight.
#[derive(Debug, Clone)]
pub(in crate::engine) enum Job {
    /// The agent is given a prompt.
    Turn(Box<AgentTurn>),
    /// The engine looks for evidence or runs commands.
    Check(Box<CheckRequest>),
}

impl Job {
    /// The job's id. A check is an attempt too, with files and perhaps a process of its own.
    pub(in crate::engine) fn attempt(&self) -> AttemptId {
        match self {
            Self::Turn(request) => request.attempt,
            Self::Check(request) => request.check.check,
        }
    }

    /// The run it belongs to; `None` for chat.
    pub(in crate::engine) fn run(&self) -> Option<RunId> {
        match self {
            Self::Turn(request) => request.run,
            Self::Check(request) => Some(request.run),
        }
    }

    /// The step the run is at.
    pub(in crate::engine) fn step(&self) -> Option<&'static str> {
        match self {
            Self::Turn(request) => request.step,
            Self::Check(request) => Some(request.check.step),
        }
    }

    pub(in crate::engine) fn agent(&self) -> &str {
        match self {
            Self::Turn(request) => &request.agent,
            Self::Check(request) => &request.agent,
        }
    }

    pub(in crate::engine) fn directory(&self) -> &Path {
        match self {
            Self::Turn(request) => &request.directory,
            Self::Check(request) => &request.directory,
        }
    }

    /// The repository from which the job creates a worktree, if it creates one. The job's directory
    /// does not exist yet then.
    pub(in crate::engine) fn created_from(&self) -> Option<&Path> {
        match self {
            Self::Turn(_) => None,
            Self::Check(request) => request.check.worktree.as_ref().map(|it| &*it.repository),
        }
    }

    /// The claim of its run on a work tree.
    pub(in crate::engine) fn claim(&self) -> Option<TreeClaim> {
        match self {
            Self::Turn(request) => request.claim,
            // A worktree that does not exist yet is claimed by the first job that works in it.
            Self::Check(request) => request.claim.filter(|_| request.check.worktree.is_none()),
        }
    }

    pub(in crate::engine) fn origin(&self) -> &TurnOrigin {
        match self {
            Self::Turn(request) => &request.origin,
            Self::Check(request) => &request.origin,
        }
    }
}
