//! Where a run works, and what holds there.

use serde::{Deserialize, Serialize};

use super::detail::Detail;
use super::proof::short_commit;
use crate::run::{Order, Permits, Trust, WorktreeEnd};

/// Where a run works, and what holds there beside its recipe.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Workplace {
    /// The worktree that it works in, where it works apart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worktree: Option<ShownWorktree>,
    /// Whether, and by whom, the repository is trusted.
    #[serde(default)]
    pub trust: Trust,
    /// Whether the repository brings hooks or MCP servers along that are left out, because it is not trusted.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub left_out: bool,
    /// The commands of the repository's own file that are not run, because it is not trusted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skipped: Vec<String>,
    /// What the machine's user lets the run do beyond what holds for every run.
    #[serde(default, skip_serializing_if = "Permits::is_empty")]
    pub permits: Permits,
}

/// The worktree of a run that works apart.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShownWorktree {
    /// The top of the worktree.
    pub path: String,
    /// Its branch.
    pub branch: String,
    /// The top of the work tree that it was made from.
    pub repository: String,
    /// What became of it after the run; `None` while it is there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<WorktreeEnd>,
}

impl Workplace {
    pub(super) fn of(order: &Order) -> Self {
        Self {
            worktree: order.worktree.as_ref().map(|it| ShownWorktree {
                path: it.path.display().to_string(),
                branch: it.branch.clone(),
                repository: it.repository.display().to_string(),
                end: None,
            }),
            trust: order.project.trust,
            left_out: order.project.left_out,
            skipped: order.project.skipped.iter().map(ToString::to_string).collect(),
            permits: order.permits,
        }
    }

    /// Whether there is nothing to say about it.
    #[must_use]
    pub fn is_usual(&self) -> bool {
        *self == Self::default()
    }

    /// Whether the run has a worktree that is neither merged nor thrown away.
    #[must_use]
    pub fn has_worktree(&self) -> bool {
        self.worktree.as_ref().is_some_and(|worktree| worktree.end.is_none())
    }

    /// Takes in what became of the worktree.
    pub(super) fn end(&mut self, end: &WorktreeEnd) {
        if let Some(worktree) = &mut self.worktree {
            worktree.end = Some(end.clone());
        }
    }

    /// The lines about it, for every client.
    pub(super) fn details(&self) -> Vec<Detail> {
        let line = |label: &str, text: String| Detail { label: label.to_owned(), text };
        let mut details = Vec::new();
        details.extend(self.worktree.as_ref().map(|worktree| line("worktree", worktree.in_words())));
        details.extend(self.repository().map(|words| line("repository", words.to_owned())));
        if !self.skipped.is_empty() {
            let commands: Vec<_> = self.skipped.iter().map(|command| format!("`{command}`")).collect();
            let words = format!("{} of the repository, which is not trusted", commands.join(", "));
            details.push(line("not verified", words));
        }
        let Permits { allow_dirty, allow_deps, force_parallel } = self.permits;
        let permitted = [
            (allow_dirty, "uncommitted changes at its start"),
            (allow_deps, "changes of lockfiles"),
            (force_parallel, "work beside another run"),
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
            Trust::ThisRun => Some("trusted for this run alone"),
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
