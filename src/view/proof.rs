//! What the engine saw a run do, independent of the agent's reports.

use serde::{Deserialize, Serialize};

use super::commands::allow_options;
use super::detail::Detail;
use super::review::{self, ShownReview};
use super::visit::Visit;
use super::words::{brief, count, end_of, took};
use crate::Violation;
use crate::run::{Changes, CheckKind, CheckResult, CheckVerdict, CommitSeen, ToolRefusal};

/// How many commits and refused tools a line names; it only counts the others.
const MAX_NAMED: usize = 3;

/// How many checks, refused tools, files and commits a view has. The events have all of them.
const MAX_CHECKS: usize = 30;
const MAX_REFUSED: usize = 20;
const MAX_VIOLATIONS: usize = 20;
const MAX_FILES: usize = 100;
const MAX_COMMITS: usize = 20;

/// How much of a command's output a view has, counted from its end, and how much of a refused
/// tool's input, in characters.
const MAX_FOUND_CHARS: usize = 1500;
const MAX_INPUT_CHARS: usize = 200;

/// How much of a check's result a remark quotes, in characters.
pub(super) const MAX_REMARK_CHARS: usize = 300;

/// How many characters of a commit's id are shown.
const SHORT_COMMIT_CHARS: usize = 7;

/// What the engine saw a run do. All of it was checked by the engine, or is marked as rehearsed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Proof {
    /// The checks, in order; only the last ones if there were many.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub checks: Vec<ShownCheck>,
    /// How many checks passed in total.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub passed: u32,
    /// How many checks did not pass.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub failed: u32,
    /// The tools that the agent was refused, without duplicates; only the first ones if there were
    /// many.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refused: Vec<ShownRefusal>,
    /// How many more refused tools there were.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub more_refused: u32,
    /// The files that were changed when the run ended although it may not change them; a long list
    /// is truncated.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub violations: Vec<Violation>,
    /// What the run has changed, as seen after the last turn; `None` if the engine could not look.
    /// Long lists are truncated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changes: Option<Changes>,
    /// How many more commits there are than those in `changes`.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub more_commits: u32,
    /// What reviews found, a row for each round, the latest at the end; only the last ones if there
    /// were many.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reviews: Vec<ShownReview>,
    /// What the end is based on; `None` if it follows from no report: a limit, a stop, a failure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rests_on: Option<RestsOn>,
}

/// One check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ShownCheck {
    /// The visit of a step it belongs to, by its number.
    pub visit: u32,
    /// That step.
    pub step: String,
    /// Its result in one line.
    pub words: String,
    /// Its result. Long output is truncated to its end.
    #[serde(flatten)]
    pub result: CheckResult,
}

/// A tool that the agent was refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ShownRefusal {
    /// The visit of a step in which that happened first, by its number.
    pub visit: u32,
    /// That step.
    pub step: String,
    /// How often it was refused.
    pub times: u32,
    /// The options of `surefire run` that allow it, if they are known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub options: Option<String>,
    /// The tool and its input.
    #[serde(flatten)]
    pub refused: ToolRefusal,
}

/// What the end of a run is based on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RestsOn {
    /// What the engine found in the working directory.
    Evidence,
    /// The exit status of a command that the engine ran.
    Command,
    /// Only the agent's report.
    Agent,
    /// A rehearsal's script; nothing was checked.
    Rehearsal,
}

impl RestsOn {
    /// The text that clients show.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::Evidence => "what the engine found in the working directory",
            Self::Command => "the exit status of a command that the engine ran",
            Self::Agent => "the agent's word alone",
            Self::Rehearsal => "a rehearsal's script; nothing was checked",
        }
    }
}

impl Proof {
    /// Records a check in a visit.
    pub(super) fn record_check(&mut self, visit: &Visit, result: &CheckResult) {
        let counted = if result.passed() { &mut self.passed } else { &mut self.failed };
        *counted = counted.saturating_add(1);
        let words = remark(result);
        let (name, found) =
            (brief(&result.name, MAX_INPUT_CHARS), end_of(&result.found, MAX_FOUND_CHARS));
        let result = CheckResult { name, found, ..result.clone() };
        self.checks.push(ShownCheck {
            visit: visit.number,
            step: visit.step.clone(),
            words,
            result,
        });
        let more = self.checks.len().saturating_sub(MAX_CHECKS);
        self.checks.drain(..more);
    }

    /// Records a tool that was refused in a visit.
    pub(super) fn record_refusal(&mut self, visit: &Visit, refused: &ToolRefusal) {
        let refused = short(refused);
        if let Some(known) = self.refused.iter_mut().find(|known| known.refused == refused) {
            known.times = known.times.saturating_add(1);
        } else if self.refused.len() == MAX_REFUSED {
            self.more_refused = self.more_refused.saturating_add(1);
        } else {
            let options = (!refused.allow.is_empty()).then(|| allow_options(&refused.allow));
            let (visit, step) = (visit.number, visit.step.clone());
            self.refused.push(ShownRefusal { visit, step, times: 1, options, refused });
        }
    }

    /// Records files that were changed although the run may not change them.
    pub(super) fn record_violations(&mut self, violations: &[Violation]) {
        self.violations = violations.iter().take(MAX_VIOLATIONS).cloned().collect();
    }

    /// Records what the run has changed so far.
    pub(super) fn record_changes(&mut self, changes: &Changes) {
        let more_commits = changes.commits.len().saturating_sub(MAX_COMMITS);
        self.more_commits = u32::try_from(more_commits).unwrap_or(u32::MAX);
        let mut changes = changes.clone();
        changes.files.truncate(MAX_FILES);
        changes.commits.truncate(MAX_COMMITS);
        self.changes = Some(changes);
    }

    /// The tools that must be allowed so that no use is refused again, as far as they are known,
    /// without duplicates.
    pub(super) fn missing_permissions(&self) -> Vec<String> {
        let mut tools: Vec<String> = Vec::new();
        for tool in self.refused.iter().flat_map(|it| &it.refused.allow) {
            if !tools.contains(tool) {
                tools.push(tool.clone());
            }
        }
        tools
    }

    /// The lines that every client shows about it.
    pub(super) fn details(&self) -> Vec<Detail> {
        let line = |label: &str, text: String| Detail { label: label.to_owned(), text };
        let mut details = Vec::new();
        if let Some(changes) =
            self.changes.as_ref().filter(|changes| **changes != Changes::default())
        {
            // A run may commit what was changed before it began, and change nothing itself.
            if changes.total_files > 0 {
                details.push(line("changed", changed(changes)));
            }
            if !changes.commits.is_empty() {
                details.push(line("committed", self.committed(&changes.commits)));
            }
        }
        details.extend(self.checked().map(|text| line("checked", text)));
        if !self.violations.is_empty() {
            let files = self.violations.iter().map(ToString::to_string).collect();
            details.push(line("not allowed", listed(files, 0)));
        }
        if !self.refused.is_empty() {
            details.push(line("refused", self.refusals()));
        }
        details.extend(review::words(&self.reviews).map(|text| line("findings", text)));
        details.extend(self.rests_on.map(|it| line("rests on", it.words().to_owned())));
        details
    }

    fn committed(&self, commits: &[CommitSeen]) -> String {
        let named =
            commits.iter().map(|commit| format!("{} {}", short_commit(&commit.id), commit.subject));
        listed(named.collect(), self.more_commits)
    }

    fn refusals(&self) -> String {
        listed(self.refused.iter().map(|it| it.refused.to_string()).collect(), self.more_refused)
    }

    fn checked(&self) -> Option<String> {
        let all = self.passed.saturating_add(self.failed);
        if all == 0 {
            return None;
        }
        // Either all checks of a run are real, or none are.
        if self.checks.iter().any(|check| check.result.rehearsed) {
            return Some(format!("nothing; {} rehearsed", count(all as usize, "check")));
        }
        let failed =
            if self.failed > 0 { format!(", {} did not pass", self.failed) } else { String::new() };
        Some(format!("{} of {} passed{failed}", self.passed, count(all as usize, "check")))
    }
}

/// How many files and lines were changed.
pub(super) fn changed(changes: &Changes) -> String {
    let Changes { total_files, added, removed, .. } = changes;
    format!("{}, +{added} −{removed} lines", count(*total_files as usize, "file"))
}

/// The beginning of a commit's id.
pub(super) fn short_commit(id: &str) -> String {
    id.chars().take(SHORT_COMMIT_CHARS).collect()
}

/// A refused tool with truncated input: a command may be a whole script.
pub(super) fn short(refused: &ToolRefusal) -> ToolRefusal {
    let input = refused.input.as_deref().map(|input| brief(input, MAX_INPUT_CHARS));
    ToolRefusal { input, ..refused.clone() }
}

/// The first few, and how many more there are.
fn listed(all: Vec<String>, more: u32) -> String {
    let more = all.len().saturating_sub(MAX_NAMED) + more as usize;
    let named: Vec<_> = all.into_iter().take(MAX_NAMED).collect();
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{more}", named.join(", "))
}

/// The result of a check in one line.
pub(super) fn remark(result: &CheckResult) -> String {
    let rehearsed = if result.rehearsed { "rehearsed: " } else { "" };
    let CheckResult { kind, name, verdict, found, .. } = result;
    let (name, found) = (brief(name, MAX_INPUT_CHARS), brief(found, MAX_REMARK_CHARS));
    let after = took(result.took);
    let words = match (verdict, kind) {
        (CheckVerdict::Passed, CheckKind::Evidence) if found.is_empty() => {
            format!("looked up `{name}`: found")
        }
        (CheckVerdict::Passed, CheckKind::Evidence) => format!("looked up `{name}`: {found}"),
        (CheckVerdict::Failed { .. }, CheckKind::Evidence) if found.is_empty() => {
            format!("looked up `{name}`: not found")
        }
        (CheckVerdict::Failed { .. }, CheckKind::Evidence) => {
            format!("looked up `{name}`, not found: {found}")
        }
        (CheckVerdict::Passed, CheckKind::Worktree) => format!("created {name}"),
        (CheckVerdict::Failed { .. }, CheckKind::Worktree) => {
            format!("failed to create {name}: {found}")
        }
        (CheckVerdict::Passed, CheckKind::Verify | CheckKind::Run | CheckKind::Setup) => {
            format!("`{name}` passed after {after}")
        }
        (
            CheckVerdict::Failed { status: Some(status) },
            CheckKind::Verify | CheckKind::Run | CheckKind::Setup,
        ) => {
            format!("`{name}` failed with exit status {status} after {after}")
        }
        (
            CheckVerdict::Failed { status: None },
            CheckKind::Verify | CheckKind::Run | CheckKind::Setup,
        ) => {
            format!("`{name}` failed after {after}")
        }
        (CheckVerdict::TimedOut { limit }, _) => {
            format!("`{name}` took longer than {}", took(*limit))
        }
        (CheckVerdict::Impossible | CheckVerdict::Unknown, _) => {
            brief(&result.problem(), MAX_REMARK_CHARS)
        }
    };
    format!("{rehearsed}{words}")
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a field by reference")]
const fn is_zero(number: &u32) -> bool {
    *number == 0
}

#[cfg(test)]
mod tests;
