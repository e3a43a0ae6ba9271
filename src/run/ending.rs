//! How a run ended, as it is written down.

use serde::{Deserialize, Serialize};

use super::ids::RunId;
use crate::{Category, Exit, ExitReason, Registry};

/// An exit on paper: all columns of its reason as they were that day, and what only the run knows.
///
/// The columns are copied, so that an old journal still says what it said, whatever becomes of the registry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ending {
    /// The machine-readable reason, with the step where it is about one.
    pub reason: String,
    /// Completed, stopped by a guardrail, or failed.
    pub category: Category,
    /// What a person reads.
    pub message: String,
    /// A few words for a heading.
    pub title: String,
    /// What to do next.
    pub diagnosis: String,
    /// The exit status for it.
    pub exit_code: u8,
    /// Whether the run reached what it was started for.
    pub goal_met: bool,
    /// Whether trying again without a person can help.
    pub auto_resumable: bool,
    /// What else is known: the agent's own words, or what went wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The step it ended at.
    pub step: String,
    /// How many steps it had taken.
    pub steps: u32,
    /// The outcome that led here, where one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<String>,
    /// Whether all of it was only a rehearsal.
    pub rehearsal: bool,
    /// When it goes on by itself, in milliseconds since 1970; `None` where it will not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resume_at: Option<u64>,
    /// The run that goes on in a fresh session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub continued_by: Option<RunId>,
}

impl Ending {
    /// One sentence that helps a person: its diagnosis, or the registry's hint where that stands in for it.
    #[must_use]
    pub fn hint(&self) -> &str {
        let standard = ExitReason::lookup(&self.reason).map(Registry::definition);
        // A diagnosis that was written for this very run says more than the registry.
        standard
            .filter(|definition| definition.diagnosis == self.diagnosis)
            .map_or(&self.diagnosis, |definition| definition.hint)
    }

    /// What a paused run ends with that cannot resume by itself after all: the reason it was paused for, and why it cannot.
    pub fn give_up(&self, why: &str) -> Exit {
        // Only reasons of the registry are paused for.
        let reason = ExitReason::lookup(&self.reason).unwrap_or(ExitReason::Interrupted);
        let cannot = format!("it cannot go on by itself: {why}");
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
