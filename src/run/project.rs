//! What a repository's own file adds to a run.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::{CommandLine, FileScope};

/// What a repository's own file, `surefire.toml`, adds to a run. It is read from HEAD when the
/// first run of the chain begins.
///
/// It only holds what is in effect: the additions of an untrusted file are left out, and listed in
/// `skipped` if a person chose to run without them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Project {
    /// Whether, and by whom, the repository is trusted.
    #[serde(default, skip_serializing_if = "Trust::is_none")]
    pub trust: Trust,
    /// Whether the agent's own program trusts the repository: then its hooks and MCP servers run,
    /// and nothing else follows from it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub agent_trusts: bool,
    /// Whether the repository has settings for the agent (hooks, MCP servers) that are left out.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub left_out: bool,
    /// The commands that must succeed after a step.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub verify: Vec<CommandLine>,
    /// The commands that run once in a new worktree.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub setup: Vec<CommandLine>,
    /// Which files may be changed.
    #[serde(default, skip_serializing_if = "FileScope::is_everything")]
    pub scope: FileScope,
    /// Whether the lockfiles of package managers may be changed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub allow_lockfiles: bool,
    /// How long the verify commands of one visit of a step may take together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_verify_time: Option<Duration>,
    /// The commands of an untrusted file that a person chose to run without.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skipped: Vec<CommandLine>,
}

impl Project {
    /// Whether the repository's settings for the agent are used.
    #[must_use]
    pub const fn settings_are_used(&self) -> bool {
        self.trust.is_given() || self.agent_trusts
    }

    /// Whether it adds nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// Whether a repository is trusted: whether its commands, hooks and MCP servers may run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, strum::Display)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
#[non_exhaustive]
pub enum Trust {
    /// It is not trusted.
    #[default]
    None,
    /// For this run and the chain it begins, by an option at its start.
    ThisRun,
    /// By a record of the user, which is valid as long as the files do not change.
    Recorded,
}

impl Trust {
    /// Whether it is trusted.
    #[must_use]
    pub const fn is_given(self) -> bool {
        match self {
            Self::ThisRun | Self::Recorded => true,
            Self::None => false,
        }
    }

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
    const fn is_none(&self) -> bool {
        !self.is_given()
    }
}

/// What the operator permits a run beyond the rules of every run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Permits {
    /// Begin although tracked files have uncommitted changes.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub allow_dirty: bool,
    /// Change the lockfiles of package managers.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub allow_deps: bool,
    /// Work in a work tree that another run works in.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub force_parallel: bool,
}

impl Permits {
    /// Adds everything that the other permits.
    pub fn add(&mut self, other: Self) {
        self.allow_dirty |= other.allow_dirty;
        self.allow_deps |= other.allow_deps;
        self.force_parallel |= other.force_parallel;
    }

    /// Whether it permits nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
