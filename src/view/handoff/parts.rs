//! The parts of a handoff. They are types of their own, so that the format does not change with
//! the events.

use serde::{Deserialize, Serialize};

use crate::run::{CheckKind, CheckVerdict, CommitSeen, Ending, FileChange, Finding};
use crate::view::proof::{Proof, ShownCheck, ShownRefusal};
use crate::view::review::ShownReview;
use crate::view::run_view::RunView;
use crate::view::workplace::ShownWorktree;
use crate::{BrokenRule, Violation};

/// Where a run ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct HandoffPlace {
    /// The step.
    pub step: String,
    /// 1-based index of that step in the run.
    pub step_number: u32,
    /// How often the run had visited that step, including this time.
    pub visit: u32,
    /// How many turns the agent had taken.
    pub turn: u32,
    /// The outcome that led to the end, if one did.
    pub outcome: Option<String>,
}

impl HandoffPlace {
    pub(super) fn of(view: &RunView, ending: &Ending) -> Self {
        let visits = view.visits.iter().filter(|visit| visit.step == ending.step).count();
        Self {
            step: ending.step.clone(),
            step_number: view.current().map_or(ending.steps, |visit| visit.number),
            visit: u32::try_from(visits).unwrap_or(u32::MAX),
            turn: view.turns,
            outcome: ending.outcome.clone(),
        }
    }
}

/// A tool that the agent was refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct HandoffRefusal {
    /// The step at which it was refused first.
    pub step: String,
    /// 1-based index of that step in the run.
    pub step_number: u32,
    /// The tool, as the agent calls it.
    pub tool: String,
    /// The command, the file or the address that it was called with.
    pub input: Option<String>,
    /// How often it was refused.
    pub times: u32,
    /// The values of `--allow-tool` that allow it; empty if they are not known.
    pub allow: Vec<String>,
    /// The same values as options of `surefire run`, quoted for a shell.
    pub options: Option<String>,
}

impl From<&ShownRefusal> for HandoffRefusal {
    fn from(shown: &ShownRefusal) -> Self {
        Self {
            step: shown.step.clone(),
            step_number: shown.visit,
            tool: shown.refused.tool.clone(),
            input: shown.refused.input.clone(),
            times: shown.times,
            allow: shown.refused.allow.clone(),
            options: shown.options.clone(),
        }
    }
}

/// Evidence that the engine checked, or a command that it ran.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct HandoffCheck {
    /// The step it belongs to.
    pub step: String,
    /// 1-based index of that step in the run.
    pub step_number: u32,
    /// What was checked.
    pub kind: CheckKind,
    /// The evidence or the command, as its author wrote it.
    pub name: String,
    /// How it went.
    pub verdict: HandoffVerdict,
    /// The exit status of the command, if it failed with one.
    pub exit_status: Option<i32>,
    /// Its result in one line.
    pub words: String,
    /// What was found, or the end of the command's output.
    pub found: String,
    /// How long it took.
    pub took_ms: u64,
    /// Whether the result comes from a rehearsal's script, and nothing was checked.
    pub rehearsed: bool,
}

/// How a check went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum HandoffVerdict {
    /// It was found; the command succeeded.
    Passed,
    /// It was not found; the command failed.
    Failed,
    /// The command took too long.
    TimedOut,
    /// It could not be checked, or the command could not be started.
    Impossible,
    /// The command was running when the server stopped, and it is not known how it ended.
    Unknown,
}

impl From<&ShownCheck> for HandoffCheck {
    fn from(shown: &ShownCheck) -> Self {
        let result = &shown.result;
        let (verdict, exit_status) = match result.verdict {
            CheckVerdict::Passed => (HandoffVerdict::Passed, None),
            CheckVerdict::Failed { status } => (HandoffVerdict::Failed, status),
            CheckVerdict::TimedOut { .. } => (HandoffVerdict::TimedOut, None),
            CheckVerdict::Impossible => (HandoffVerdict::Impossible, None),
            CheckVerdict::Unknown => (HandoffVerdict::Unknown, None),
        };
        Self {
            step: shown.step.clone(),
            step_number: shown.visit,
            kind: result.kind,
            name: result.name.clone(),
            verdict,
            exit_status,
            words: shown.words.clone(),
            found: result.found.clone(),
            took_ms: u64::try_from(result.took.as_millis()).unwrap_or(u64::MAX),
            rehearsed: result.rehearsed,
        }
    }
}

/// A file that was changed although the run may not change it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct HandoffViolation {
    /// Its path in the work tree.
    pub path: String,
    /// The rule that it breaks: `denied`, `not_allowed`, `lockfile`, `trusted_file` or
    /// `read_only_step`.
    pub rule: String,
    /// The file and the rule as text.
    pub words: String,
}

impl From<&Violation> for HandoffViolation {
    fn from(violation: &Violation) -> Self {
        let rule = match violation.rule {
            BrokenRule::Denied { .. } => "denied",
            BrokenRule::NotAllowed => "not_allowed",
            BrokenRule::Lockfile => "lockfile",
            BrokenRule::TrustedFile => "trusted_file",
            BrokenRule::ReadOnlyStep => "read_only_step",
        };
        Self { path: violation.path.clone(), rule: rule.to_owned(), words: violation.to_string() }
    }
}

/// The worktree of an isolated run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct HandoffWorktree {
    /// The top of the worktree.
    pub path: String,
    /// Its branch.
    pub branch: String,
    /// The top of the work tree that it was created from.
    pub repository: String,
}

impl From<&ShownWorktree> for HandoffWorktree {
    fn from(shown: &ShownWorktree) -> Self {
        let ShownWorktree { path, branch, repository, .. } = shown.clone();
        Self { path, branch, repository }
    }
}

/// What a review found in its last round.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct HandoffReview {
    /// The step that reviewed.
    pub step: String,
    /// 1-based index of that step in the run.
    pub step_number: u32,
    /// 1-based index of the round.
    pub round: u32,
    /// Whether the step has found nothing since.
    pub settled: bool,
    /// What it found; a long list is truncated.
    pub findings: Vec<HandoffFinding>,
    /// How many more findings there were.
    pub more_findings: u32,
}

/// One thing that a review found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct HandoffFinding {
    /// What was found, in the agent's words.
    pub text: String,
    /// The file that it is about.
    pub file: Option<String>,
    /// The line in that file.
    pub line: Option<u32>,
    /// Its severity, in the agent's words.
    pub severity: Option<String>,
    /// The whole finding on one line.
    pub words: String,
}

impl From<&ShownReview> for HandoffReview {
    fn from(shown: &ShownReview) -> Self {
        let finding = |finding: &Finding| HandoffFinding {
            text: finding.text.clone(),
            file: finding.file.clone(),
            line: finding.line,
            severity: finding.severity.clone(),
            words: finding.to_string(),
        };
        Self {
            step: shown.step.clone(),
            step_number: shown.visit,
            round: shown.round,
            settled: shown.settled,
            findings: shown.findings.iter().map(finding).collect(),
            more_findings: shown.more,
        }
    }
}

/// What a run changed, from its beginning to its end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct HandoffChanges {
    /// How many files.
    pub total_files: u32,
    /// How many lines were added.
    pub added: u64,
    /// How many lines were removed.
    pub removed: u64,
    /// The files, by path; a long list is truncated.
    pub files: Vec<HandoffFile>,
    /// The run's commits that HEAD still reached, newest first; a long list is truncated.
    pub commits: Vec<CommitSeen>,
    /// How many more commits there are.
    pub more_commits: u32,
}

impl HandoffChanges {
    pub(super) fn of(proof: &Proof) -> Option<Self> {
        let changes = proof.changes.as_ref()?;
        let file = |file: &crate::run::ChangedFile| {
            let (change, from) = match &file.change {
                FileChange::Added => ("added", None),
                FileChange::Modified => ("modified", None),
                FileChange::Deleted => ("deleted", None),
                FileChange::Renamed(from) => ("renamed", Some(from.clone())),
                FileChange::TypeChanged => ("type_changed", None),
            };
            let (path, change) = (file.path.clone(), change.to_owned());
            HandoffFile { path, change, from, added: file.added, removed: file.removed }
        };
        Some(Self {
            total_files: changes.total_files,
            added: changes.added,
            removed: changes.removed,
            files: changes.files.iter().map(file).collect(),
            commits: changes.commits.clone(),
            more_commits: proof.more_commits,
        })
    }
}

/// A file that a run changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct HandoffFile {
    /// Its path in the work tree.
    pub path: String,
    /// What happened to it: `added`, `modified`, `deleted`, `renamed` or `type_changed`.
    pub change: String,
    /// The path that it was renamed from.
    pub from: Option<String>,
    /// How many lines were added; `None` for a binary file.
    pub added: Option<u32>,
    /// How many lines were removed.
    pub removed: Option<u32>,
}

/// Something to do next.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct HandoffCommand {
    /// Its label.
    pub label: String,
    /// The command, quoted for a shell.
    pub command: String,
}
