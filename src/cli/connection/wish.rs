//! What a command wants done: a new run, or more of one.

use std::path::PathBuf;

use crate::Tool;
use crate::engine::Untrusted;
use crate::run::{Limits, Permits, ResumedBy, SessionId};
use crate::wire::WantedLimits;

/// A wish for a run.
pub(in crate::cli) struct Wish {
    pub(in crate::cli) recipe: String,
    pub(in crate::cli) session: Option<SessionId>,
    pub(in crate::cli) directory: PathBuf,
    /// The agent, by its own name: nobody steps in for it.
    pub(in crate::cli) agent: Option<&'static str>,
    pub(in crate::cli) about: Option<String>,
    pub(in crate::cli) model: Option<String>,
    /// What the agent is allowed on top of what the recipe's steps declare.
    pub(in crate::cli) allow_tools: Vec<Tool>,
    /// What it may do beyond what holds for every run.
    pub(in crate::cli) permits: Permits,
    /// Whether the repository is trusted for this run alone.
    pub(in crate::cli) trust: bool,
    /// What to do where the repository's own file has commands and is not trusted.
    pub(in crate::cli) untrusted: Untrusted,
    /// Whether it works in a git worktree of its own.
    pub(in crate::cli) isolate: bool,
    pub(in crate::cli) limits: Limits,
}

/// A wish to go on with a run.
pub(in crate::cli) struct GoOn {
    pub(in crate::cli) by: ResumedBy,
    pub(in crate::cli) limits: WantedLimits,
    pub(in crate::cli) allow_visits: u32,
    pub(in crate::cli) allow_steps: u32,
    /// What the agent is allowed in addition.
    pub(in crate::cli) allow_tools: Vec<Tool>,
    /// What it may do from now on, in addition.
    pub(in crate::cli) permits: Permits,
}

impl GoOn {
    /// Going on just as it was.
    pub(in crate::cli) fn as_it_was(by: ResumedBy) -> Self {
        Self {
            by,
            limits: WantedLimits::default(),
            allow_visits: 0,
            allow_steps: 0,
            allow_tools: Vec::new(),
            permits: Permits::default(),
        }
    }

    /// Whether the run shall have no other limits and tools than before.
    pub(in crate::cli) fn names_nothing(&self) -> bool {
        self.limits.is_empty()
            && self.allow_visits == 0
            && self.allow_steps == 0
            && self.allow_tools.is_empty()
            && self.permits.is_empty()
    }
}
