//! The rules that a recipe has to follow: one file each.
//!
//! A rule looks at the whole resolved recipe and reports what it finds; it changes nothing, and
//! does not depend on what the others reported. To add one, write its file, add it to the list, and
//! give it a file in `ui-tests/fail/`.

mod claims;
mod commands;
mod cycles;
mod derives;
mod duplicates;
mod evidence;
mod fields;
mod file_scope;
mod findings;
mod generated_names;
mod guardrails;
mod identity;
mod initial;
mod limit_target;
mod max_visits;
mod needs;
mod other;
mod outcomes;
mod prompts;
mod proves;
mod public_steps;
mod reach;
mod run_steps;
mod targets;
mod time;
mod tools;
mod traps;
mod verify;
mod visit_limits;
mod was;

use crate::diagnostic::Diagnostics;
use crate::resolve::{Resolved, ResolvedFragment};

const RULES: [fn(&Resolved, &mut Diagnostics); 26] = [
    fields::check,
    identity::check,
    derives::check,
    initial::check,
    guardrails::check,
    duplicates::check,
    generated_names::check,
    prompts::check,
    run_steps::check,
    tools::check,
    file_scope::check,
    needs::check,
    verify::check,
    outcomes::check,
    evidence::check,
    findings::check,
    was::check,
    targets::check,
    max_visits::check,
    visit_limits::check,
    other::check,
    reach::check,
    traps::check,
    cycles::check,
    claims::check,
    proves::check,
];

/// Applies every rule. The errors of the parser come first.
pub(crate) fn recipe(
    recipe: Resolved,
    mut diagnostics: Diagnostics,
) -> Result<Valid, Box<Invalid>> {
    for rule in RULES {
        rule(&recipe, &mut diagnostics);
    }
    if diagnostics.is_empty() {
        Ok(Valid { recipe })
    } else {
        Err(Box::new(Invalid { recipe, diagnostics }))
    }
}

/// A recipe that passed every rule. Only [`recipe()`] creates one.
pub(crate) struct Valid {
    recipe: Resolved,
}

impl Valid {
    pub(crate) fn recipe(&self) -> &Resolved {
        &self.recipe
    }
}

/// A recipe that did not pass, and what to report.
pub(crate) struct Invalid {
    pub(crate) recipe: Resolved,
    pub(crate) diagnostics: Diagnostics,
}

/// Applies the rules that shared steps have to follow by themselves.
pub(crate) fn fragment(fragment: &ResolvedFragment, diagnostics: &mut Diagnostics) {
    public_steps::check(&fragment.written, diagnostics);
    let parameters: Vec<_> = fragment.written.parameters.iter().collect();
    for (index, parameter) in parameters.iter().enumerate() {
        if let Some(first) = parameters[..index].iter().find(|first| *first == parameter) {
            let message = format!("parameter `{parameter}` is written twice; keep one of them");
            diagnostics.error_and(parameter, message, first, "first_written_here");
        }
    }
    for (step, prompt) in fragment.steps() {
        prompts::check_step(&step.name, prompt, diagnostics);
        run_steps::check_step(step, diagnostics);
        max_visits::check_step(step, diagnostics);
        visit_limits::check_step(step, diagnostics);
        tools::check_step(step, diagnostics);
        verify::check_step(step, diagnostics);
        evidence::check_step(step, diagnostics);
        findings::check_step(step, diagnostics);
        was::check_step(step, diagnostics);
    }
}

pub(crate) use generated_names::{Reserved, is_reserved_outcome};
pub(crate) use reach::{Hints, hints};
