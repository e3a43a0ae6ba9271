//! What the agent is told.

use super::decide::Run;
use super::decision::Ask;
use super::event::Purpose;
use super::known::Asking;
use super::permissions;
use crate::{Outline, StepOutline, Tool, outcome};

/// Stands before the prompt of a step that the agent may have worked on already.
const GO_ON: &str = "This run was stopped while you were at the step below, and goes on now. \
    Look at what is already done before you do anything, and finish the rest.";

/// What the agent is told first in a run of this recipe that is about this.
///
/// ```
/// use surefire::Recipe;
/// use surefire::recipes::Retrospective;
/// use surefire::run::first_prompt;
///
/// let prompt = first_prompt(Retrospective::OUTLINE, Some("the login page"));
/// assert!(prompt.starts_with("What this run is about:\nthe login page\n\n"));
/// assert!(prompt.contains(Retrospective::OUTLINE.first_step().prompt.trim()));
/// ```
#[must_use]
pub fn first_prompt(recipe: &Outline, about: Option<&str>) -> String {
    first(recipe, about, &[])
}

fn first(recipe: &Outline, about: Option<&str>, allowed: &[Tool]) -> String {
    let step = at_step(recipe.first_step(), allowed);
    match about.map(str::trim).filter(|about| !about.is_empty()) {
        Some(about) => format!("What this run is about:\n{about}\n\n{step}"),
        None => step,
    }
}

/// What the agent is told at a step, wherever in a run that is.
fn at_step(step: &StepOutline, allowed: &[Tool]) -> String {
    let permissions = permissions::paragraph(step, allowed);
    format!("{}\n\n{permissions}{}", step.prompt.trim(), outcome::instructions(step))
}

/// What the agent is told whose outcome lacks its evidence.
fn not_found(step: &StepOutline, problem: &str) -> String {
    let instructions = outcome::instructions(step);
    format!(
        "What you reported was looked up, and it does not hold: {problem}.\n\n\
         Do what is missing, or report the outcome that is true.\n\n\
         {instructions}"
    )
}

/// What the agent is told when a command failed that has to succeed after its step.
fn not_verified(step: &StepOutline, problem: &str) -> String {
    let instructions = outcome::instructions(step);
    format!(
        "The step is not done yet. A command that was run after it did not succeed: {problem}\n\n\
         Mend the cause, then report again.\n\n\
         {instructions}"
    )
}

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
            (Purpose::Evidence { problem, .. }, _) => Some(not_found(step, problem)),
            (Purpose::Verify { problem, .. }, _) => Some(not_verified(step, problem)),
            (Purpose::Step, _) => Some(self.step_prompt()),
            (Purpose::Continue, _) => Some(format!("{GO_ON}\n\n{}", self.step_prompt())),
        };
        Ask {
            attempt: asking.attempt,
            step: step.name,
            purpose: asking.purpose.clone(),
            tools: step.tools,
            baseline: known.baseline.clone(),
            rules: self.file_rules(),
            prompt: prompt.unwrap_or_default(),
            model: known.order.model.clone().or_else(|| step.model.map(str::to_owned)),
            time_left: known.limits.time_left(&known.spent),
            budget_left: known.limits.budget_left(&known.spent),
        }
    }

    fn step_prompt(&self) -> String {
        let order = &self.known.order;
        let step = self.position.outline();
        let prompt = if self.position.steps() == 1 {
            first(self.recipe.outline(), order.about.as_deref(), &order.allow_tools)
        } else {
            at_step(step, &order.allow_tools)
        };
        match self.known.reviews.paragraph(step.name) {
            Some(findings) => format!("{findings}\n\n{prompt}"),
            None => prompt,
        }
    }
}
