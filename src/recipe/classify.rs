//! Parses an exit reason from a string: from an old journal, another program or a person.

use std::borrow::Cow;

use super::exit_reason::ExitReason;
use super::reason_info::{Category, ReasonInfo};
use super::registry::Registry;

/// Codes in older journals, for reasons that have another name today.
pub(super) const ALIASES: [(&str, ExitReason); 11] = [
    ("max-iterations", ExitReason::MaxTotalSteps),
    ("other", ExitReason::UserProvidedOther),
    ("time_budget_exceeded", ExitReason::Timeout),
    ("max_ticks_reached", ExitReason::MaxTicks),
    ("stalled_timeout", ExitReason::Stalled),
    ("worker_call_timeout", ExitReason::WorkerTimeout),
    ("parallel_file_collision", ExitReason::FileCollision),
    ("verification_failed_max_retries", ExitReason::VerificationFailed),
    ("implement_blocked", ExitReason::ImplementationBlocked),
    ("design-document-not-found", ExitReason::NoDesignDocumentFound),
    ("no-changes-made", ExitReason::NoChangesToCommit),
];

/// Any code with this suffix means a reply that could not be parsed.
const UNREAD_SUFFIX: &str = "_parse_failed";

/// Any code with one of these prefixes means that a limit was hit.
const GUARDRAIL_PREFIXES: [ExitReason; 2] =
    [ExitReason::MaxTotalSteps, ExitReason::MaxStepVisitsExceeded];

/// A string, classified as an exit reason.
///
/// ```
/// use surefire::{Category, Classified};
///
/// let exit = Classified::from("max-step-visits-exceeded:code-review");
/// assert_eq!(exit.category, Category::Guardrail);
/// assert_eq!(exit.message, "Recipe stopped: step 'code-review' visited too many times");
///
/// let unknown = Classified::from("went-for-lunch");
/// assert_eq!(unknown.category, Category::Completed);
/// assert_eq!(unknown.message, "Completed: went-for-lunch");
/// assert_eq!(unknown.exit_status(), 1);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Classified {
    /// The reason, if the registry has it.
    pub reason: Option<ExitReason>,
    /// Its category; an unknown string counts as completed.
    pub category: Category,
    /// What a person reads.
    pub message: Cow<'static, str>,
}

impl From<&str> for Classified {
    fn from(text: &str) -> Self {
        if let Some(reason) = ExitReason::lookup(text) {
            let definition = reason.definition();
            let step = text.split_once(':').map(|(_, step)| step).filter(|step| !step.is_empty());
            let message = definition.message_with(step, None);
            return Self { reason: Some(reason), category: definition.category, message };
        }
        let limited =
            GUARDRAIL_PREFIXES.iter().any(|reason| text.starts_with(reason.definition().code));
        let (category, message) = if limited {
            (Category::Guardrail, format!("Recipe stopped by safety limit: {text}"))
        } else {
            (Category::Completed, format!("Completed: {text}"))
        };
        Self { reason: None, category, message: Cow::Owned(message) }
    }
}

impl Classified {
    /// Its exit status: the registry's, or 1 for an unknown reason.
    #[must_use]
    pub fn exit_status(&self) -> u8 {
        self.definition().map_or(1, |definition| definition.exit_code)
    }

    /// What to do next.
    #[must_use]
    pub fn diagnosis(&self) -> &'static str {
        self.definition().map_or("Unknown stop reason", |definition| definition.diagnosis)
    }

    fn definition(&self) -> Option<&'static ReasonInfo> {
        self.reason.map(Registry::definition)
    }
}

impl ExitReason {
    /// The reason for a code, even if the code carries its step or is an old spelling.
    ///
    /// ```
    /// use surefire::ExitReason;
    ///
    /// assert_eq!(ExitReason::lookup("timeout"), Some(ExitReason::Timeout));
    /// assert_eq!(ExitReason::lookup("max-iterations"), Some(ExitReason::MaxTotalSteps));
    /// assert_eq!(
    ///     ExitReason::lookup("max-step-visits-exceeded:fix"),
    ///     Some(ExitReason::MaxStepVisitsExceeded)
    /// );
    /// assert_eq!(ExitReason::lookup("went-for-lunch"), None);
    /// ```
    #[must_use]
    pub fn lookup(code: &str) -> Option<Self> {
        let carries_step = code.split_once(':').and_then(|(code, _)| {
            Self::from_code(code).filter(|reason| reason.definition().names_a_step())
        });
        Self::from_code(code)
            .or(carries_step)
            .or_else(|| ALIASES.iter().find(|(alias, _)| *alias == code).map(|(_, reason)| *reason))
            .or_else(|| code.ends_with(UNREAD_SUFFIX).then_some(Self::OrchestrationError))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_free_string_gets_a_category_and_a_message() {
        use Category::{Completed, Error, Guardrail};
        let table = [
            ("max-total-steps", Guardrail, "Recipe stopped: reached maximum step limit"),
            ("max-iterations", Guardrail, "Recipe stopped: reached maximum step limit"),
            (
                "max-total-steps-in-a-day",
                Guardrail,
                "Recipe stopped by safety limit: max-total-steps-in-a-day",
            ),
            (
                "max-step-visits-exceeded:fix",
                Guardrail,
                "Recipe stopped: step 'fix' visited too many times",
            ),
            ("orchestration-error", Error, "Recipe failed: could not parse agent response"),
            ("error", Error, "Recipe failed: Claude invocation error"),
            ("internal-error", Error, "Recipe failed: internal error"),
            ("no-prompt", Error, "Recipe failed: no prompt available"),
            ("task-committed", Completed, "Task implementation committed successfully"),
            ("clarification-needed", Completed, "Needs clarification before continuing"),
            ("other", Completed, "Recipe exited by user choice"),
            ("time_budget_exceeded", Guardrail, "Recipe stopped: used up its time"),
            ("review_parse_failed", Error, "Recipe failed: could not parse agent response"),
            ("design-document-not-found", Completed, "Design document not found"),
            ("errors-galore", Completed, "Completed: errors-galore"),
            ("timeout:now", Completed, "Completed: timeout:now"),
            ("", Completed, "Completed: "),
        ];
        for (text, category, message) in table {
            let read = Classified::from(text);
            assert_eq!((read.category, read.message.as_ref()), (category, message), "{text:?}");
        }
    }

    #[test]
    fn an_unknown_reason_has_status_one_and_says_so() {
        let unknown = Classified::from("invalid_reason");
        assert_eq!(unknown.reason, None);
        assert_eq!((unknown.exit_status(), unknown.diagnosis()), (1, "Unknown stop reason"));
        let known = Classified::from("guard_violation");
        assert_eq!(known.exit_status(), 2);
        assert!(known.diagnosis().contains("allowlist"));
    }
}
