//! A command's requests: to start a run, or to resume one.

use std::path::PathBuf;

use crate::Tool;
use crate::engine::Untrusted;
use crate::run::{Limits, Permits, ResumedBy, SessionId};
use crate::wire::WantedLimits;

/// A request to start a run.
pub(in crate::cli) struct StartRequest {
    pub(in crate::cli) recipe: String,
    pub(in crate::cli) session: Option<SessionId>,
    pub(in crate::cli) directory: PathBuf,
    /// The agent by name. No other agent is substituted for it.
    pub(in crate::cli) agent: Option<&'static str>,
    pub(in crate::cli) task: Option<String>,
    pub(in crate::cli) model: Option<String>,
    /// Tools that the agent may use in addition to those of the recipe's steps.
    pub(in crate::cli) allow_tools: Vec<Tool>,
    /// Checks that are lifted for this run.
    pub(in crate::cli) permits: Permits,
    /// Whether the repository is trusted for this run only.
    pub(in crate::cli) trust: bool,
    /// What to do if the repository's `surefire.toml` has commands and is not trusted.
    pub(in crate::cli) untrusted: Untrusted,
    /// Whether the run works in its own git worktree.
    pub(in crate::cli) isolate: bool,
    pub(in crate::cli) limits: Limits,
}

/// A request to resume a run.
pub(in crate::cli) struct ResumeRequest {
    pub(in crate::cli) by: ResumedBy,
    pub(in crate::cli) limits: WantedLimits,
    pub(in crate::cli) allow_visits: u32,
    pub(in crate::cli) allow_steps: u32,
    /// Additional tools for the agent.
    pub(in crate::cli) allow_tools: Vec<Tool>,
    /// Checks that are lifted from now on.
    pub(in crate::cli) permits: Permits,
}

impl ResumeRequest {
    /// Resumes with the same limits and tools.
    pub(in crate::cli) fn unchanged(by: ResumedBy) -> Self {
        Self {
            by,
            limits: WantedLimits::default(),
            allow_visits: 0,
            allow_steps: 0,
            allow_tools: Vec::new(),
            permits: Permits::default(),
        }
    }

    /// Whether limits and tools stay the same.
    pub(in crate::cli) fn changes_nothing(&self) -> bool {
        self.limits.is_empty()
            && self.allow_visits == 0
            && self.allow_steps == 0
            && self.allow_tools.is_empty()
            && self.permits.is_empty()
    }
}
