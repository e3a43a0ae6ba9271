//! The scripts of a rehearsal.

use std::time::{Duration, SystemTime};

use strum::{Display, EnumString, IntoStaticStr, VariantNames};

use super::words;
use crate::UnknownName;
use crate::agent::{Failure, RehearsedCheck};

/// A script for a rehearsal. Each shows a different course or ending of a run.
///
/// ```
/// use surefire::agent::Script;
///
/// assert_eq!("never-satisfied".parse(), Ok(Script::NeverSatisfied));
/// assert_eq!(Script::default().to_string(), "happy");
/// ```
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Hash,
    Default,
    Display,
    EnumString,
    IntoStaticStr,
    VariantNames,
)]
#[strum(
    serialize_all = "kebab-case",
    parse_err_ty = UnknownName,
    parse_err_fn = unknown_script
)]
#[non_exhaustive]
pub enum Script {
    /// Everything succeeds. A project has two tasks; once they are done, the agent reports that no
    /// task is left, and then finds two more.
    #[default]
    Happy,
    /// The first review in a session finds issues; once they are fixed, everything succeeds.
    OneFix,
    /// Every review finds issues, fewer each time, until a guardrail ends the run.
    NeverSatisfied,
    /// Every review finds the same issues again, until the run is stopped for looping.
    ReviewLoop,
    /// There is nothing to work on.
    NoTasks,
    /// The agent is blocked.
    Blocked,
    /// The user has to answer a question first.
    Questions,
    /// The task cannot be found.
    NotFound,
    /// The work left nothing to commit.
    NothingToCommit,
    /// The agent reports `other`, in its own words.
    Other,
    /// Every reply reports an outcome that no step has.
    UnknownOutcome,
    /// No reply reports an outcome.
    Garbage,
    /// The first reply in a session reports no outcome; after a retry, everything succeeds.
    GarbageOnce,
    /// The agent is not allowed to use its tools, and reports no outcome.
    Denied,
    /// The evidence for an outcome is never found.
    Unproved,
    /// The evidence for an outcome is not found the first time in a run; after a retry, everything
    /// succeeds.
    UnprovedOnce,
    /// Every command that the engine runs fails.
    ChecksFail,
    /// The first command that the engine runs in a run fails; once that is fixed, everything
    /// succeeds.
    ChecksFailOnce,
    /// Every turn takes ten minutes.
    Slow,
    /// The agent's process ends without a reply.
    Crash,
    /// The account's usage limit is reached.
    RateLimited,
    /// The service is overloaded.
    Overloaded,
    /// The agent is not logged in.
    LoggedOut,
    /// The conversation no longer fits the model's context.
    ContextFull,
    /// The turn's budget is spent.
    OverBudget,
}

impl Script {
    /// The name of every script, as it is written after `--rehearse`.
    pub const NAMES: &'static [&'static str] = <Self as VariantNames>::VARIANTS;

    /// The outcomes that this script reports if a step offers one of them, in order of preference.
    pub(super) fn prefers(self) -> &'static [&'static str] {
        match self {
            Self::NeverSatisfied | Self::ReviewLoop => &["issues-found"],
            Self::NoTasks => &["no-tasks"],
            Self::Blocked => &["blocked", "conflicts-unresolvable"],
            Self::Questions => &["needs-input", "ask-questions"],
            Self::NotFound => &["not-found", "design-missing", "no-tasks"],
            Self::NothingToCommit => &["nothing-to-commit"],
            Self::Other => &["other"],
            Self::Happy
            | Self::OneFix
            | Self::UnknownOutcome
            | Self::Garbage
            | Self::GarbageOnce
            | Self::Denied
            | Self::Unproved
            | Self::UnprovedOnce
            | Self::ChecksFail
            | Self::ChecksFailOnce
            | Self::Slow
            | Self::Crash
            | Self::RateLimited
            | Self::Overloaded
            | Self::LoggedOut
            | Self::ContextFull
            | Self::OverBudget => &[],
        }
    }

    /// Whether this evidence is found, or this command passes.
    pub(super) fn passes(self, check: &RehearsedCheck<'_>) -> bool {
        match self {
            Self::Unproved => !check.is_evidence,
            Self::UnprovedOnce => !check.is_evidence || check.failed_before > 0,
            Self::ChecksFail => check.is_evidence,
            Self::ChecksFailOnce => check.is_evidence || check.failed_before > 0,
            Self::Happy
            | Self::OneFix
            | Self::NeverSatisfied
            | Self::ReviewLoop
            | Self::NoTasks
            | Self::Blocked
            | Self::Questions
            | Self::NotFound
            | Self::NothingToCommit
            | Self::Other
            | Self::UnknownOutcome
            | Self::Garbage
            | Self::GarbageOnce
            | Self::Denied
            | Self::Slow
            | Self::Crash
            | Self::RateLimited
            | Self::Overloaded
            | Self::LoggedOut
            | Self::ContextFull
            | Self::OverBudget => true,
        }
    }

    /// The findings of the review in this round (from 1).
    pub(super) fn finds(self, round: u32) -> Vec<String> {
        match self {
            Self::ReviewLoop => words::same_findings(),
            // Fewer each time: otherwise the run would end because of a review loop.
            Self::NeverSatisfied => {
                words::findings(6_usize.saturating_sub(round as usize).max(1), round)
            }
            Self::Happy
            | Self::OneFix
            | Self::NoTasks
            | Self::Blocked
            | Self::Questions
            | Self::NotFound
            | Self::NothingToCommit
            | Self::Other
            | Self::UnknownOutcome
            | Self::Garbage
            | Self::GarbageOnce
            | Self::Denied
            | Self::Unproved
            | Self::UnprovedOnce
            | Self::ChecksFail
            | Self::ChecksFailOnce
            | Self::Slow
            | Self::Crash
            | Self::RateLimited
            | Self::Overloaded
            | Self::LoggedOut
            | Self::ContextFull
            | Self::OverBudget => words::findings(2, round),
        }
    }

    /// How a turn fails, if this script makes it fail.
    pub(super) fn failure(self) -> Option<Failure> {
        let words = "this is a rehearsal, and its script says so".to_owned();
        match self {
            Self::Crash => {
                Some(Failure::NoReply { status: "a rehearsed crash".to_owned(), stderr: words })
            }
            Self::RateLimited => Some(Failure::UsageLimit { resets_at: in_an_hour(), words }),
            Self::Overloaded => Some(Failure::Overloaded { words }),
            Self::LoggedOut => Some(Failure::NotLoggedIn { words }),
            Self::ContextFull => Some(Failure::ContextFull { words }),
            Self::OverBudget => Some(Failure::BudgetSpent { words }),
            Self::Happy
            | Self::OneFix
            | Self::NeverSatisfied
            | Self::ReviewLoop
            | Self::NoTasks
            | Self::Blocked
            | Self::Questions
            | Self::NotFound
            | Self::NothingToCommit
            | Self::Other
            | Self::UnknownOutcome
            | Self::Garbage
            | Self::GarbageOnce
            | Self::Denied
            | Self::Unproved
            | Self::UnprovedOnce
            | Self::ChecksFail
            | Self::ChecksFailOnce
            | Self::Slow => None,
        }
    }
}

fn unknown_script(name: &str) -> UnknownName {
    UnknownName::among(Script::NAMES, "script", name)
}

fn in_an_hour() -> Option<u64> {
    let hour = SystemTime::now() + Duration::from_secs(60 * 60);
    hour.duration_since(SystemTime::UNIX_EPOCH).ok().map(|since| since.as_secs())
}
