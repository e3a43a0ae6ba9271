//! What a rehearsal can play.

use std::time::{Duration, SystemTime};

use strum::{Display, EnumString, IntoStaticStr, VariantNames};

use super::words;
use crate::agent::{Failure, RehearsedCheck};

/// What a rehearsal plays. Each shows another way for a run to go, or to end.
///
/// ```
/// use surefire::agent::Script;
///
/// assert_eq!("never-satisfied".parse(), Ok(Script::NeverSatisfied));
/// assert_eq!(Script::default().to_string(), "happy");
/// ```
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Display, EnumString, IntoStaticStr, VariantNames,
)]
#[strum(serialize_all = "kebab-case")]
pub enum Script {
    /// All goes well. A project has two tasks; when they are done it says so once, and then there are two more.
    #[default]
    Happy,
    /// The first review in a session finds something; once that is fixed, all goes well.
    OneFix,
    /// Every review finds something, and less each time, until a guardrail ends it.
    NeverSatisfied,
    /// Every review finds the same again, until the run is stopped for it.
    ReviewLoop,
    /// There is nothing to work on.
    NoTasks,
    /// The work cannot go on.
    Blocked,
    /// Somebody has to answer a question first.
    Questions,
    /// What is to be worked on cannot be found.
    NotFound,
    /// The work left nothing to commit.
    NothingToCommit,
    /// Something else happened, in the agent's own words.
    Other,
    /// Every reply reports an outcome that no step has.
    UnknownOutcome,
    /// No reply reports an outcome.
    Garbage,
    /// The first reply in a session reports no outcome; asked again, all goes well.
    GarbageOnce,
    /// The agent is not allowed to use its tools, and says nothing useful therefore.
    Denied,
    /// What an outcome needs as evidence is never found.
    Unproved,
    /// What an outcome needs as evidence is not found the first time in a run; asked again, all goes well.
    UnprovedOnce,
    /// Every command that the engine runs fails.
    ChecksFail,
    /// The first command that the engine runs in a run fails; once that is fixed, all goes well.
    ChecksFailOnce,
    /// Every turn takes ten minutes.
    Slow,
    /// The agent's process ends without a reply.
    Crash,
    /// The account's usage limit is reached.
    RateLimited,
    /// The service has too much to do.
    Overloaded,
    /// The agent is not logged in.
    LoggedOut,
    /// The conversation no longer fits.
    ContextFull,
    /// The turn's money is spent.
    OverBudget,
}

impl Script {
    /// The outcomes that this script reports wherever one of them is offered, the best first.
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

    /// What comes of looking for evidence, or of a command that the engine would run.
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

    /// What the review of this round (from 1) finds.
    pub(super) fn finds(self, round: u32) -> Vec<String> {
        match self {
            Self::ReviewLoop => words::same_findings(),
            // Less each time, since a review that does not come to less is a loop as well.
            Self::NeverSatisfied => words::findings(6_usize.saturating_sub(round as usize).max(1), round),
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

    /// How a turn fails, where this script has it fail.
    pub(super) fn failure(self) -> Option<Failure> {
        let words = "this is a rehearsal, and its script says so".to_owned();
        match self {
            Self::Crash => Some(Failure::NoReply { status: "a rehearsed crash".to_owned(), stderr: words }),
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

fn in_an_hour() -> Option<u64> {
    let hour = SystemTime::now() + Duration::from_hours(1);
    hour.duration_since(SystemTime::UNIX_EPOCH).ok().map(|since| since.as_secs())
}
