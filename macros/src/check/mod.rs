//! What a recipe must not be: one rule per file.
//!
//! A rule looks at the whole resolved recipe and reports what it finds; it changes nothing and does not know the
//! other rules. To add one, write its file, add it to the list, and give it a file in `ui-tests/fail/`.

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

pub(crate) use generated_names::{Reserved, is_reserved_outcome};
pub(crate) use prompts::{Judgement, judge};
