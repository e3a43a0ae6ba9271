//! What the agent is told.

use super::decide::Run;
use super::decision::Ask;
use super::event::Purpose;
use super::known::Asking;
use crate::outcome;

/// Stands before the prompt of a step that the agent may have worked on already.
const GO_ON: &str = "This run was stopped while you were at the step below, and goes on now. \
    Look at what is already done before you do anything, and finish the rest.";

/// What somebody said, for an agent that may have heard it before the server stopped: nothing is repeated silently.
pub(crate) fn heard_before(text: &str) -> String {
    format!(
        "This may have reached you before; if so, look at what is already done and do only the rest:\n\n{text}"
    )
}

impl Run {
    /// The turn that an open attempt stands for. The same attempt always gives the same turn.
    pub(super) fn ask(&self, asking: &Asking) -> Ask {
        let known = &self.known;
        let step = self.position.outline();
        let prompt = match (&asking.purpose, &asking.passed) {
            (Purpose::Pass { .. }, passed) => passed.as_ref().map(|waiting| {
                if waiting.again { heard_before(&waiting.text) } else { waiting.text.clone() }
            }),
            (Purpose::Remind { problem, .. }, _) => Some(outcome::reminder(step, problem)),
            (Purpose::Step, _) => Some(self.step_prompt(None)),
            (Purpose::Continue, _) => Some(self.step_prompt(Some(GO_ON))),
        };
        Ask {
            attempt: asking.attempt,
            step: step.name,
            purpose: asking.purpose.clone(),
            prompt: prompt.unwrap_or_default(),
            model: known.order.model.clone().or_else(|| step.model.map(str::to_owned)),
            time_left: known.limits.time_left(&known.spent),
            budget_left: known.limits.budget_left(&known.spent),
        }
    }

    fn step_prompt(&self, note: Option<&str>) -> String {
        let step = self.position.outline();
        let first = self.position.steps() == 1;
        let about = self.known.order.about.as_deref().filter(|about| first && !about.trim().is_empty());
        let about = about.map(|about| format!("What this run is about:\n{}", about.trim()));
        let instructions = outcome::instructions(step);
        let parts = [note, about.as_deref(), Some(step.prompt.trim()), Some(&instructions)];
        parts.into_iter().flatten().collect::<Vec<_>>().join("\n\n")
    }
}
