//! What the engine checks or runs for a run: evidence for an outcome, commands, and their results.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::ids::AttemptId;
use super::tree::Baseline;
use super::worktree::Worktree;
use crate::{CommandLine, Evidence, FileRules};

/// What a check is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum CheckSubject {
    /// Whether an outcome that the agent reported may be followed.
    Outcome {
        /// The outcome.
        outcome: String,
        /// The agent's description of it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        description: Option<String>,
    },
    /// The command that the step consists of.
    Command,
    /// The worktree that the run works in: it is created and set up before the first turn.
    Worktree,
}

/// A check to carry out: first the evidence, then the commands in order, up to the first failure.
#[derive(Debug, Clone, PartialEq)]
pub struct Check {
    /// Its id, as an attempt of the run.
    pub check: AttemptId,
    /// The step the run is at.
    pub step: &'static str,
    /// The number of that step in the run, from 1.
    pub number: u32,
    /// What must be found.
    pub evidence: &'static [Evidence],
    /// The commands that must succeed, or the one that the step consists of.
    pub commands: Vec<CommandLine>,
    /// What the commands are for.
    pub purpose: CheckKind,
    /// How long the commands may take together.
    pub time: Option<Duration>,
    /// How long it may take before the run's time is used up.
    pub time_left: Option<Duration>,
    /// The worktree to create first.
    pub worktree: Option<Worktree>,
    /// What the run's work tree is compared with.
    pub baseline: Baseline,
    /// The rules for the files that the commands may change.
    pub rules: FileRules,
    /// How many checks of the run failed before this one.
    pub failed_before: u32,
}

/// What was checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, strum::Display)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
#[non_exhaustive]
pub enum CheckKind {
    /// Evidence that must be found in the working directory.
    Evidence,
    /// A command that must succeed after a step.
    Verify,
    /// The command that a step consists of.
    Run,
    /// The worktree that the run works in.
    Worktree,
    /// A command that prepares a new worktree.
    Setup,
}

/// The result of checking one piece of evidence, or of running one command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckResult {
    /// What kind of check.
    pub kind: CheckKind,
    /// The evidence or the command, as its author wrote it.
    pub name: String,
    /// How it went.
    pub verdict: CheckVerdict,
    /// What was found, or the last output of the command.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub found: String,
    /// How long it took.
    #[serde(default, skip_serializing_if = "Duration::is_zero")]
    pub took: Duration,
    /// Whether the result comes from a rehearsal's script, and nothing was checked.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub rehearsed: bool,
}

/// How a check went.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
#[non_exhaustive]
pub enum CheckVerdict {
    /// It was found; the command succeeded.
    Passed,
    /// It was not found; the command failed.
    Failed {
        /// The exit status of the command, if it has one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        status: Option<i32>,
    },
    /// The command took too long.
    TimedOut {
        /// How long it was allowed to take.
        limit: Duration,
    },
    /// It could not be checked, or the command could not be started.
    Impossible,
    /// The command was running when the server stopped, and it is not known how it ended.
    Unknown,
}

impl CheckResult {
    /// Whether it passed.
    #[must_use]
    pub fn passed(&self) -> bool {
        self.verdict == CheckVerdict::Passed
    }

    /// What is wrong, in one paragraph.
    #[must_use]
    pub fn problem(&self) -> String {
        let Self { kind, name, found, .. } = self;
        let found = found.trim();
        let what = match (&self.verdict, kind) {
            (CheckVerdict::Passed, _) => return format!("`{name}` holds"),
            (CheckVerdict::Failed { .. }, CheckKind::Evidence) => format!("`{name}` was not found"),
            (CheckVerdict::Failed { status: Some(status) }, _) => {
                format!("`{name}` failed with exit status {status}")
            }
            (CheckVerdict::Failed { status: None }, _) => format!("`{name}` failed"),
            (CheckVerdict::TimedOut { limit }, _) => {
                format!("`{name}` took longer than {}", super::limits::in_words(*limit))
            }
            (CheckVerdict::Impossible, CheckKind::Evidence) => {
                format!("`{name}` could not be checked")
            }
            (CheckVerdict::Impossible, CheckKind::Worktree) => {
                format!("{name} could not be created")
            }
            (CheckVerdict::Impossible, _) => format!("`{name}` could not be run"),
            (CheckVerdict::Unknown, _) => {
                format!(
                    "`{name}` was running when the server stopped, and how it ended is not known"
                )
            }
        };
        if found.is_empty() { what } else { format!("{what}: {found}") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_verdict_has_its_text() {
        let result = |kind, verdict, found: &str| CheckResult {
            kind,
            name: "commit".to_owned(),
            verdict,
            found: found.to_owned(),
            took: Duration::ZERO,
            rehearsed: false,
        };
        let limit = Duration::from_secs(10 * 60);
        let table = [
            (CheckKind::Evidence, CheckVerdict::Passed, "", "`commit` holds"),
            (
                CheckKind::Evidence,
                CheckVerdict::Failed { status: None },
                "no new commit",
                "`commit` was not found: no new commit",
            ),
            (
                CheckKind::Verify,
                CheckVerdict::Failed { status: Some(101) },
                " out\n",
                "`commit` failed with exit status 101: out",
            ),
            (
                CheckKind::Run,
                CheckVerdict::TimedOut { limit },
                "",
                "`commit` took longer than 10 min",
            ),
            (
                CheckKind::Evidence,
                CheckVerdict::Impossible,
                "no git",
                "`commit` could not be checked: no git",
            ),
            (CheckKind::Verify, CheckVerdict::Impossible, "", "`commit` could not be run"),
        ];
        for (kind, verdict, found, words) in table {
            assert_eq!(result(kind, verdict, found).problem(), words);
        }
    }

    #[test]
    fn a_result_survives_being_stored() {
        for verdict in [
            CheckVerdict::Passed,
            CheckVerdict::Failed { status: Some(1) },
            CheckVerdict::Failed { status: None },
            CheckVerdict::TimedOut { limit: Duration::from_secs(1) },
            CheckVerdict::Impossible,
            CheckVerdict::Unknown,
        ] {
            let result = CheckResult {
                kind: CheckKind::Verify,
                name: "cargo test".to_owned(),
                verdict,
                found: "1 failed".to_owned(),
                took: Duration::from_secs(3),
                rehearsed: true,
            };
            let stored = serde_json::to_string(&result).unwrap();
            assert_eq!(serde_json::from_str::<CheckResult>(&stored).unwrap(), result);
        }
    }
}
