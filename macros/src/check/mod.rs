//! What a recipe must not be: one rule per file.
//!
//! A rule looks at the whole resolved recipe and reports what it finds; it changes nothing, and does not depend on what
//! the others reported. To add one, write its file, add it to the list, and give it a file in `ui-tests/fail/`.

mod cycles;
mod duplicates;
mod fields;
mod generated_names;
mod guardrails;
mod identity;
mod initial;
mod other;
mod outcomes;
mod prompts;
mod reach;
mod targets;
mod traps;

use crate::diagnostic::Diagnostics;
use crate::resolve::Resolved;
use crate::syntax::Fragment;
use syn::Visibility;

const RULES: [fn(&Resolved, &mut Diagnostics); 13] = [
    fields::check,
    identity::check,
    initial::check,
    guardrails::check,
    duplicates::check,
    generated_names::check,
    prompts::check,
    outcomes::check,
    targets::check,
    other::check,
    reach::check,
    traps::check,
    cycles::check,
];

/// Applies every rule.
pub(crate) fn all(recipe: &Resolved, diagnostics: &mut Diagnostics) {
    for rule in RULES {
        rule(recipe, diagnostics);
    }
}

/// Applies the rules that shared steps must keep by themselves.
pub(crate) fn fragment(fragment: &Fragment, diagnostics: &mut Diagnostics) {
    if let Visibility::Public(public) = &fragment.visibility {
        diagnostics
            .error(public, "shared steps can be used in the crate that defines them: write `pub(crate)`");
    }
    let parameters: Vec<_> = fragment.parameters.iter().collect();
    for (index, parameter) in parameters.iter().enumerate() {
        if let Some(first) = parameters[..index].iter().find(|first| *first == parameter) {
            let message = format!("parameter `{parameter}` is written twice; keep one of them");
            diagnostics.error_and(parameter, message, first, "first_written_here");
        }
    }
    for step in &fragment.steps {
        prompts::check_step(step, diagnostics);
    }
}

pub(crate) use generated_names::{Reserved, is_reserved_outcome};
pub(crate) use prompts::{Judgement, judge};
pub(crate) use reach::{Hints, hints};
