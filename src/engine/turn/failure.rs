//! What an agent's failure means for its run.

use std::time::Duration;

use crate::agent::Failure;
use crate::run::in_words;
use crate::{Exit, ExitReason};

/// How long a run pauses before it resumes by itself, if the failure does not say when.
const USAGE_LIMIT_WAIT: Duration = Duration::from_secs(15 * 60);
const OVERLOAD_WAIT: Duration = Duration::from_secs(60);

/// The exit of a run whose agent failed like this, and whether the prompt was certainly not
/// delivered.
pub(in crate::engine) fn meaning(failure: &Failure) -> (Exit, bool) {
    let because = |reason| Exit::because(reason).describe(failure.to_string());
    match failure {
        Failure::BadProgram { .. } | Failure::CannotStart { .. } => {
            (because(ExitReason::Error), true)
        }
        Failure::NotLoggedIn { .. } => (because(ExitReason::AuthRequired), true),
        Failure::UsageLimit { .. } => (because(ExitReason::RateLimited), true),
        Failure::Overloaded { .. } => (because(ExitReason::ApiOverloaded), true),
        Failure::OtherSession { .. }
        | Failure::EmptyPrompt
        | Failure::UnknownModel { .. }
        | Failure::ConversationLost { .. }
        | Failure::Refused { .. } => (because(ExitReason::Error), false),
        Failure::StoppedBeforePrompt => (because(ExitReason::Interrupted), true),
        // A requested stop sets its own exit; otherwise the turn was interrupted.
        Failure::Stopped | Failure::Detached => (because(ExitReason::Interrupted), false),
        Failure::Silent { after } => {
            (because(ExitReason::Stalled).with_limit(in_words(*after)), false)
        }
        Failure::TookTooLong { after } => {
            (because(ExitReason::WorkerTimeout).with_limit(in_words(*after)), false)
        }
        Failure::NoReply { .. } => (because(ExitReason::WorkerFailed), false),
        Failure::TooMuchOutput { limit } => {
            (because(ExitReason::OutputLimit).with_limit(limit.clone()), false)
        }
        Failure::ContextFull { .. } => (because(ExitReason::ContextExhausted), false),
        Failure::BudgetSpent { .. } => (because(ExitReason::CostBudget), false),
        Failure::TooManyRounds { .. } => (because(ExitReason::MaxTicks), false),
    }
}

/// When a run that ends like this can resume, in milliseconds since 1970.
pub(in crate::engine) fn resume_at(
    failure: Option<&Failure>,
    exit: &Exit,
    now: u64,
) -> Option<u64> {
    let after =
        |wait: Duration| now.saturating_add(u64::try_from(wait.as_millis()).unwrap_or(u64::MAX));
    match failure {
        _ if !exit.definition().auto_resumable => None,
        Some(Failure::UsageLimit { resets_at: Some(seconds), .. }) => {
            Some(seconds.saturating_mul(1000))
        }
        Some(Failure::UsageLimit { resets_at: None, .. }) => Some(after(USAGE_LIMIT_WAIT)),
        Some(Failure::Overloaded { .. }) => Some(after(OVERLOAD_WAIT)),
        Some(_) | None => Some(now),
    }
}
