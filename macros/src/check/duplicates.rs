//! Steps have names of their own, and names stay apart on the wire.

use std::collections::HashMap;

use proc_macro2::Ident;

use crate::diagnostic::Diagnostics;
use crate::resolve::Resolved;

pub(super) fn check(recipe: &Resolved, diagnostics: &mut Diagnostics) {
    for step in &recipe.steps {
        if let Some(first) = step.duplicate_of {
            let (name, first) = (step.name(), recipe.steps[first].name());
            let message = format!("step `{name}` is defined twice; rename or remove one of them");
            diagnostics.error_and(name, message, first, "first_defined_here");
        }
    }
    let steps = recipe.distinct_steps().map(|(_, step)| (step.name(), step.wire.as_str()));
    apart("steps", steps, diagnostics);
    for step in &recipe.steps {
        apart(
            "outcomes",
            step.outcomes.iter().map(|outcome| (&outcome.name, outcome.wire.as_str())),
            diagnostics,
        );
    }
}

fn apart<'a>(what: &str, names: impl Iterator<Item = (&'a Ident, &'a str)>, diagnostics: &mut Diagnostics) {
    let mut seen = HashMap::new();
    for (name, wire) in names.filter(|(_, wire)| !wire.is_empty()) {
        if let Some(first) = seen.get(wire) {
            let message = format!(
                "the {what} `{first}` and `{name}` are both `{wire}` on the wire; rename one of them"
            );
            diagnostics.error_and(name, message, first, "the_other_one");
        } else {
            seen.insert(wire, name);
        }
    }
}
