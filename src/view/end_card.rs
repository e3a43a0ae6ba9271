//! The text about the end of a run.

use serde::{Deserialize, Serialize};

use crate::run::Ending;
use crate::{Category, ExitReason};

/// The text about the end of a run, and what diagrams and links need in addition.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct EndCard {
    /// The event that ended the run.
    pub seq: u64,
    /// The machine-readable reason, with the step if it is about one.
    pub reason: String,
    /// Completed, stopped by a guardrail, or failed.
    pub category: Category,
    /// The exit status of a process that ends with it.
    pub exit_code: u8,
    /// The step that the run ended at.
    pub step: String,
    /// The outcome that led here, if one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<String>,
    /// When the run resumes automatically, in milliseconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resume_at: Option<u64>,
    /// A few words for a heading.
    pub title: String,
    /// What happened.
    pub message: String,
    /// Further details: the agent's own words, or what went wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// What led to it, with the machine-readable reason. Names are in backticks.
    pub why: String,
    /// What the run took: steps, time and money.
    pub summary: String,
    /// A note that nothing was changed, if the run was a rehearsal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rehearsal: Option<String>,
    /// One sentence for people; commands are in backticks. What can be done is in the view's next
    /// actions.
    pub hint: String,
}

impl EndCard {
    pub(super) fn new(seq: u64, ending: &Ending, summary: String) -> Self {
        Self {
            seq,
            reason: ending.reason.clone(),
            category: ending.category,
            exit_code: ending.exit_code,
            step: ending.step.clone(),
            outcome: ending.outcome.clone(),
            resume_at: ending.resume_at,
            title: ending.title.clone(),
            message: message(ending),
            // A cause with which the message ends already is not repeated.
            description: ending
                .description
                .clone()
                .filter(|words| !ending.message.ends_with(words)),
            why: why(ending),
            summary,
            rehearsal: ending
                .rehearsal
                .then(|| "This was a rehearsal: nothing was changed.".to_owned()),
            hint: ending.hint().to_owned(),
        }
    }
}

/// What happened. The registry's message for `other` says that the user chose it, and other tools
/// rely on that text. A card names the agent instead, and the agent's own words follow as the
/// description: clients and `stop.md` show the message as Surefire's own text.
fn message(ending: &Ending) -> String {
    let is_other = ExitReason::lookup(&ending.reason) == Some(ExitReason::UserProvidedOther);
    if is_other && ending.description.is_some() {
        "The agent stopped:".to_owned()
    } else {
        ending.message.clone()
    }
}

fn why(ending: &Ending) -> String {
    let how = match &ending.outcome {
        Some(outcome) => format!("`{}` reported `{outcome}`", ending.step),
        None => format!("it stopped at `{}`", ending.step),
    };
    format!("{how}: {} ({}), exit status {}", ending.reason, ending.category, ending.exit_code)
}
