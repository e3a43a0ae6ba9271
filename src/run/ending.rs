//! How a run ended, as it is persisted.

use serde::{Deserialize, Serialize};

use super::ids::RunId;
use crate::{Category, Exit, ExitReason, Registry};

/// A persisted exit: the columns of its reason at that time, and the details of the run.
///
/// The columns are copied, so that an old journal does not change when the registry does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ending {
    /// The machine-readable reason, with the step if it is about one.
    pub reason: String,
    /// Completed, stopped by a guardrail, or failed.
    pub category: Category,
    /// The message for people.
    pub message: String,
    /// A few words for a heading.
    pub title: String,
    /// What to do next.
    pub diagnosis: String,
    /// The exit status for it.
    pub exit_code: u8,
    /// Whether the run reached what it was started for.
    pub goal_met: bool,
    /// Whether a retry without a person can help.
    pub auto_resumable: bool,
    /// Further details: the agent's own words, or what went wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The step that the run ended at.
    pub step: String,
    /// How many steps the run had taken.
    pub steps: u32,
    /// The outcome that led here, or [what stands for a limit](crate::VisitLimit::words) of the
    /// step, if one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<String>,
    /// Whether the run was only a rehearsal.
    pub rehearsal: bool,
    /// When the run resumes by itself, in milliseconds since 1970; `None` if it does not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resume_at: Option<u64>,
    /// The run that continues this one in a fresh session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub continued_by: Option<RunId>,
}

impl Ending {
    /// One sentence for people: its diagnosis, or the hint that the registry has in its place. What
    /// these say about the result of a run does not hold for a rehearsal, which has none.
    #[must_use]
    pub fn hint(&self) -> &str {
        if self.rehearsal && self.goal_met {
            return "Nothing was done; to have it done, start the recipe with a real agent.";
        }
        let standard = ExitReason::lookup(&self.reason).map(Registry::definition);
        // A diagnosis written for this particular run is more specific than the registry.
        standard
            .filter(|definition| definition.diagnosis == self.diagnosis)
            .map_or(&self.diagnosis, |definition| definition.hint)
    }

    /// The exit of a paused run that cannot resume by itself after all: the reason for its pause,
    /// and why it cannot.
    pub fn give_up(&self, why: &str) -> Exit {
        // A run only pauses for reasons of the registry.
        let reason = ExitReason::lookup(&self.reason).unwrap_or(ExitReason::Interrupted);
        let cannot = format!("it cannot resume by itself: {why}");
        let words: Vec<_> = self.description.iter().cloned().chain([cannot]).collect();
        Exit::because(reason).describe(words.join("; "))
    }

    pub(crate) fn new(exit: &Exit, step: &str, steps: u32, rehearsal: bool) -> Self {
        let definition = exit.definition();
        Self {
            reason: exit.code().into_owned(),
            category: definition.category,
            message: exit.message().into_owned(),
            title: definition.title.to_owned(),
            diagnosis: definition.diagnosis.to_owned(),
            exit_code: definition.exit_code,
            goal_met: definition.goal_met,
            auto_resumable: definition.auto_resumable,
            description: exit.description().map(str::to_owned),
            step: step.to_owned(),
            steps,
            outcome: None,
            rehearsal,
            resume_at: None,
            continued_by: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use strum::IntoEnumIterator;

    use super::*;

    #[test]
    fn after_a_rehearsal_no_hint_speaks_of_a_result() {
        for reason in ExitReason::iter() {
            let [real, rehearsed] = [false, true]
                .map(|rehearsal| Ending::new(&Exit::because(reason), "commit", 3, rehearsal));
            assert_eq!(real.hint(), reason.definition().hint);
            let says_nothing_was_done = rehearsed.hint().starts_with("Nothing was done");
            assert_eq!(says_nothing_was_done, rehearsed.goal_met, "{reason}: {}", rehearsed.hint());
        }
    }
}
