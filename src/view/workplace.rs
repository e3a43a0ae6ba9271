//! Where a run works, and the rules there.

use serde::{Deserialize, Serialize};

use super::detail::Detail;
use super::proof::short_commit;
use crate::run::{Permits, RunSpec, Trust, WorktreeEnd};

/// Where a run works, and the rules there in addition to its recipe's.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Workplace {
    /// Its own worktree, if it is isolated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worktree: Option<ShownWorktree>,
    /// Whether, and by whom, the repository is trusted.
    #[serde(default)]
    pub trust: Trust,
    /// Whether the repository has hooks or MCP servers that are left out because it is not trusted.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub left_out: bool,
    /// The commands of the repository's own file that are not run, because it is not trusted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skipped: Vec<String>,
    /// The steps whose prompts the operator changed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changed_prompts: Vec<String>,
    /// What the operator permits beyond the rules of every run.
    #[serde(default, skip_serializing_if = "Permits::is_empty")]
    pub permits: Permits,
}

/// The worktree of an isolated run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ShownWorktree {
    /// The top of the worktree.
    pub path: String,
    /// Its branch.
    pub branch: String,
    /// The top of the work tree that it was created from.
    pub repository: String,
    /// What became of it after the run; `None` while it exists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<WorktreeEnd>,
}

impl Workplace {
    pub(super) fn of(recipe: &str, spec: &RunSpec) -> Self {
        Self {
            worktree: spec.worktree.as_ref().map(|it| ShownWorktree {
                path: it.path.display().to_string(),
                branch: it.branch.clone(),
                repository: it.repository.display().to_string(),
                end: None,
            }),
            trust: spec.project.trust,
            left_out: spec.project.left_out,
            skipped: spec.project.skipped.iter().map(ToString::to_string).collect(),
            changed_prompts: spec.prompts.steps(recipe).map(str::to_owned).collect(),
            permits: spec.permits,
        }
    }

    /// Whether there is nothing to show about it.
    #[must_use]
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// Whether the run has a worktree that is neither merged nor discarded.
    #[must_use]
    pub fn has_worktree(&self) -> bool {
        self.worktree.as_ref().is_some_and(|worktree| worktree.end.is_none())
    }

    /// Records what became of the worktree.
    pub(super) fn end(&mut self, end: &WorktreeEnd) {
        if let Some(worktree) = &mut self.worktree {
            worktree.end = Some(end.clone());
        }
    }

    /// The lines that every client shows about it.
    pub(super) fn details(&self) -> Vec<Detail> {
        let line = |label: &str, text: String| Detail { label: label.to_owned(), text };
        let mut details = Vec::new();
        details
            .extend(self.worktree.as_ref().map(|worktree| line("worktree", worktree.in_words())));
        details.extend(self.repository().map(|words| line("repository", words.to_owned())));
        if !self.skipped.is_empty() {
            let commands: Vec<_> =
                self.skipped.iter().map(|command| format!("`{command}`")).collect();
            let words = format!("{} of the repository, which is not trusted", commands.join(", "));
            details.push(line("not verified", words));
        }
        if !self.changed_prompts.is_empty() {
            let words = format!("changed by the operator: {}", self.changed_prompts.join(", "));
            details.push(line("prompts", words));
        }
        let Permits { allow_dirty, allow_deps, force_parallel } = self.permits;
        let permitted = [
            (allow_dirty, "uncommitted changes at its start"),
            (allow_deps, "lockfile changes"),
            (force_parallel, "work in parallel with another run"),
        ];
        let permitted: Vec<_> =
            permitted.iter().filter(|(given, _)| *given).map(|(_, words)| *words).collect();
        if !permitted.is_empty() {
            details.push(line("permitted", permitted.join(", ")));
        }
        details
    }

    fn repository(&self) -> Option<&'static str> {
        match self.trust {
            Trust::Recorded => Some("trusted"),
            Trust::ThisRun => Some("trusted for this run only"),
            Trust::None if self.left_out => {
                Some("not trusted: its hooks, MCP servers and settings for the agent are left out")
            }
            Trust::None => None,
        }
    }
}

impl ShownWorktree {
    fn in_words(&self) -> String {
        let Self { path, branch, .. } = self;
        match &self.end {
            None => format!("branch `{branch}` in `{path}`"),
            Some(WorktreeEnd::Merged { into: Some(into), commit }) => {
                format!("branch `{branch}` was merged into `{into}` at {}", short_commit(commit))
            }
            Some(WorktreeEnd::Merged { into: None, commit }) => {
                format!("branch `{branch}` was merged at {}", short_commit(commit))
            }
            Some(WorktreeEnd::Discarded { commit }) if commit.is_empty() => {
                format!("branch `{branch}` was discarded; nothing was left of it")
            }
            Some(WorktreeEnd::Discarded { commit }) => {
                format!("branch `{branch}` was discarded at {}", short_commit(commit))
            }
        }
    }
}
