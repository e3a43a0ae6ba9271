//! The prompts of a run.

use super::changed_prompts::ChangedPrompts;
use super::decide::Run;
use super::decision::TurnRequest;
use super::event::Purpose;
use super::permissions;
use super::run_state::Asking;
use crate::{Outline, StepOutline, Tool, outcome};

/// Precedes the prompt of a step that the agent may have worked on already.
const RESUME_NOTICE: &str = "This run was stopped while you were at the step below, and is now resumed. \
    Look at what is already done before you do anything, and finish the rest.";

/// The first prompt of a run of this recipe, with the run's task and the operator's prompts.
///
/// ```
/// use surefire::Recipe;
/// use surefire::recipes::Retrospective;
/// use surefire::run::{ChangedPrompts, first_prompt};
///
/// let compiled = ChangedPrompts::default();
/// let prompt = first_prompt(Retrospective::OUTLINE, Some("the login page"), &compiled);
/// assert!(prompt.starts_with("What this run is about:\nthe login page\n\n"));
/// assert!(prompt.contains(Retrospective::OUTLINE.first_step().prompt.trim()));
/// ```
#[must_use]
pub fn first_prompt(recipe: &Outline, task: Option<&str>, prompts: &ChangedPrompts) -> String {
    let step = recipe.first_step();
    first(step, prompts.prompt_of(recipe, step), task, &[])
}

fn first(step: &StepOutline, prompt: &str, task: Option<&str>, allowed: &[Tool]) -> String {
    let step = at_step(step, prompt, allowed);
    match task.map(str::trim).filter(|task| !task.is_empty()) {
        Some(task) => format!("What this run is about:\n{task}\n\n{step}"),
        None => step,
    }
}

/// The prompt of a step, anywhere in a run.
fn at_step(step: &StepOutline, prompt: &str, allowed: &[Tool]) -> String {
    let permissions = permissions::paragraph(step, allowed);
    format!("{}\n\n{permissions}{}", prompt.trim(), outcome::instructions(step))
}

/// The prompt after an outcome without its evidence.
fn not_found(step: &StepOutline, problem: &str) -> String {
    let instructions = outcome::instructions(step);
    format!(
        "Your report was checked, and it does not hold: {problem}.\n\n\
         Do what is missing, or report the outcome that applies.\n\n\
         {instructions}"
    )
}

/// The prompt after a command failed that must succeed after the step.
fn not_verified(step: &StepOutline, problem: &str) -> String {
    let instructions = outcome::instructions(step);
    format!(
        "The step is not done yet. A command that was run after it did not succeed: {problem}\n\n\
         Fix the cause, then report again.\n\n\
         {instructions}"
    )
}

/// A prompt that is delivered again because the agent may have received it before the server
/// stopped. The text says so, since the agent may have acted on the prompt.
pub(crate) fn repeated(text: &str) -> String {
    format!(
        "This may have reached you before; if so, look at what is already done and do only the rest:\n\n{text}"
    )
}

impl Run {
    /// The turn to take for an open attempt. The same attempt always gives the same turn.
    pub(super) fn ask(&self, asking: &Asking) -> TurnRequest {
        let state = &self.state;
        let step = self.position.outline();
        let prompt = match (&asking.purpose, &asking.delivering) {
            (Purpose::Deliver { .. }, delivering) => delivering.as_ref().map(|pending| {
                if pending.again { repeated(&pending.text) } else { pending.text.clone() }
            }),
            (Purpose::Remind { problem, .. }, _) => Some(outcome::reminder(step, problem)),
            (Purpose::Evidence { problem, .. }, _) => Some(not_found(step, problem)),
            (Purpose::Verify { problem, .. }, _) => Some(not_verified(step, problem)),
            (Purpose::Step, _) => Some(self.step_prompt()),
            (Purpose::Continue, _) => Some(format!("{RESUME_NOTICE}\n\n{}", self.step_prompt())),
        };
        TurnRequest {
            attempt: asking.attempt,
            step: step.name,
            number: self.position.steps(),
            purpose: asking.purpose.clone(),
            tools: step.tools,
            baseline: state.baseline.clone(),
            rules: self.file_rules(),
            prompt: prompt.unwrap_or_default(),
            model: state.spec.model.clone().or_else(|| step.model.map(str::to_owned)),
            time_left: self.time_left(),
            budget_left: self.budget_left(),
        }
    }

    /// What the recipe's author wrote for the current step, or what the operator replaced it by.
    pub(super) fn author_prompt(&self) -> &str {
        let step = self.position.outline();
        self.state.spec.prompts.prompt_of(self.recipe.outline(), step)
    }

    fn step_prompt(&self) -> String {
        let spec = &self.state.spec;
        let step = self.position.outline();
        let prompt = self.author_prompt();
        let prompt = if self.position.steps() == 1 {
            first(step, prompt, spec.task.as_deref(), &spec.allow_tools)
        } else {
            at_step(step, prompt, &spec.allow_tools)
        };
        match self.state.reviews.paragraph(step.name) {
            Some(findings) => format!("{findings}\n\n{prompt}"),
            None => prompt,
        }
    }
}
