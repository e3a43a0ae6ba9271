//! What a run was seen to do, beside what its agent reported.

use serde::{Deserialize, Serialize};

use super::commands::allow_options;
use super::detail::Detail;
use super::review::{self, ShownReview};
use super::visit::Visit;
use super::words::{brief, count, end_of, took};
use crate::Violation;
use crate::run::{Changes, CheckKind, CheckResult, CheckVerdict, CommitSeen, ToolRefusal};

/// How many commits and refused tools a line names before it only counts.
const MAX_NAMED: usize = 3;

/// How many checks, refused tools, files and commits a view has. The events have all of them.
const MAX_CHECKS: usize = 30;
const MAX_REFUSED: usize = 20;
const MAX_VIOLATIONS: usize = 20;
const MAX_FILES: usize = 100;
const MAX_COMMITS: usize = 20;

/// How much of a command's output a view has, counted from its end, and how much of what a tool was to be used on.
const MAX_FOUND_CHARS: usize = 1500;
const MAX_INPUT_CHARS: usize = 200;

/// How much of what was found stands in a remark.
pub(super) const MAX_REMARK_CHARS: usize = 300;

/// How many characters of a commit's id are shown.
const SHORT_COMMIT_CHARS: usize = 7;

/// What a run was seen to do. All of it was looked at by the engine, or says that it was rehearsed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Proof {
    /// What was looked up and run, in order; the last ones, where there were many.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub checks: Vec<ShownCheck>,
    /// How many checks passed in all.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub passed: u32,
    /// How many did not.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub failed: u32,
    /// The tools that the agent was refused, each use of one once; the first ones, where there were many.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refused: Vec<ShownRefusal>,
    /// How many more there were.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub more_refused: u32,
    /// The files that the run may not change and that were found changed when it ended; a long list is cut.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub violations: Vec<Violation>,
    /// What the run has changed, as it was seen after the last turn; `None` where the engine could not look. Long lists
    /// are cut.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changes: Option<Changes>,
    /// How many more commits there are than those in `changes`.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub more_commits: u32,
    /// What reviews found, a row for each round, the latest at the end; the last ones, where there were many.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reviews: Vec<ShownReview>,
    /// Whose word the end rests on; `None` where it follows from no report: a limit, a stop, a failure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rests_on: Option<RestsOn>,
}

/// One thing that was looked up or run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShownCheck {
    /// The visit of a step it belongs to, by its number.
    pub visit: u32,
    /// That step.
    pub step: String,
    /// What came of it, in one line.
    pub words: String,
    /// What came of it. Long output is cut to its end.
    #[serde(flatten)]
    pub result: CheckResult,
}

/// A tool that the agent was refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShownRefusal {
    /// The visit of a step in which that happened first, by its number.
    pub visit: u32,
    /// That step.
    pub step: String,
    /// How often it was refused.
    pub times: u32,
    /// The options of `surefire run` that allow it, where they are known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub options: Option<String>,
    /// The tool, and what it was to be used on.
    #[serde(flatten)]
    pub refused: ToolRefusal,
}

/// Whose word an end rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RestsOn {
    /// The engine looked at the working directory.
    Evidence,
    /// The exit status of a command that the engine ran.
    Command,
    /// Only the agent said so.
    Agent,
    /// A rehearsal's script said so.
    Rehearsal,
}

impl RestsOn {
    /// What is shown for it.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::Evidence => "what the engine found in the working directory",
            Self::Command => "the exit status of a command that the engine ran",
            Self::Agent => "the agent's word alone",
            Self::Rehearsal => "a rehearsal's script; nothing was looked at",
        }
    }
}

impl Proof {
    /// Takes in what was checked in a visit.
    pub(super) fn check(&mut self, visit: &Visit, result: &CheckResult) {
        let counted = if result.passed() { &mut self.passed } else { &mut self.failed };
        *counted = counted.saturating_add(1);
        let words = remark(result);
        let (name, found) = (brief(&result.name, MAX_INPUT_CHARS), end_of(&result.found, MAX_FOUND_CHARS));
        let result = CheckResult { name, found, ..result.clone() };
        self.checks.push(ShownCheck { visit: visit.number, step: visit.step.clone(), words, result });
        let more = self.checks.len().saturating_sub(MAX_CHECKS);
        self.checks.drain(..more);
    }

    /// Takes in a tool that was refused in a visit.
    pub(super) fn refuse(&mut self, visit: &Visit, refused: &ToolRefusal) {
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

    /// Takes in files that the run may not change.
    pub(super) fn violate(&mut self, violations: &[Violation]) {
        self.violations = violations.iter().take(MAX_VIOLATIONS).cloned().collect();
    }

    /// Takes in what the run has changed so far.
    pub(super) fn see(&mut self, changes: &Changes) {
        let more_commits = changes.commits.len().saturating_sub(MAX_COMMITS);
        self.more_commits = u32::try_from(more_commits).unwrap_or(u32::MAX);
        let mut changes = changes.clone();
        changes.files.truncate(MAX_FILES);
        changes.commits.truncate(MAX_COMMITS);
        self.changes = Some(changes);
    }

    /// What would have to be allowed for nothing to be refused any more, as far as that is known: each tool once.
    pub(super) fn allow(&self) -> Vec<String> {
        let mut tools: Vec<String> = Vec::new();
        for tool in self.refused.iter().flat_map(|it| &it.refused.allow) {
            if !tools.contains(tool) {
                tools.push(tool.clone());
            }
        }
        tools
    }

    /// The lines about it, for every client.
    pub(super) fn details(&self) -> Vec<Detail> {
        let line = |label: &str, text: String| Detail { label: label.to_owned(), text };
        let mut details = Vec::new();
        if let Some(changes) = self.changes.as_ref().filter(|changes| **changes != Changes::default()) {
            details.push(line("changed", changed(changes)));
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
        let named = commits.iter().map(|commit| format!("{} {}", short_commit(&commit.id), commit.subject));
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
        // All checks of a run are real, or none is.
        if self.checks.iter().any(|check| check.result.rehearsed) {
            return Some(format!("nothing; {} rehearsed", count(all as usize, "check")));
        }
        let failed = if self.failed > 0 { format!(", {} did not pass", self.failed) } else { String::new() };
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

/// A refused tool in few words: a command may be a whole script.
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

/// What a check came to, in one line.
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
        (CheckVerdict::Passed, CheckKind::Worktree) => format!("made {name}"),
        (CheckVerdict::Failed { .. }, CheckKind::Worktree) => format!("failed to make {name}: {found}"),
        (CheckVerdict::Passed, CheckKind::Verify | CheckKind::Run | CheckKind::Setup) => {
            format!("`{name}` passed after {after}")
        }
        (
            CheckVerdict::Failed { status: Some(status) },
            CheckKind::Verify | CheckKind::Run | CheckKind::Setup,
        ) => {
            format!("`{name}` failed with exit status {status} after {after}")
        }
        (CheckVerdict::Failed { status: None }, CheckKind::Verify | CheckKind::Run | CheckKind::Setup) => {
            format!("`{name}` failed after {after}")
        }
        (CheckVerdict::TimedOut { limit }, _) => format!("`{name}` took longer than {}", took(*limit)),
        (CheckVerdict::Impossible | CheckVerdict::Unknown, _) => brief(&result.problem(), MAX_REMARK_CHARS),
    };
    format!("{rehearsed}{words}")
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a field by reference")]
const fn is_zero(number: &u32) -> bool {
    *number == 0
}

#[cfg(test)]
mod tests;
