//! The recipe begins at a step it has.

use crate::diagnostic::Diagnostics;
use crate::resolve::{Initial, Resolved};
use crate::spelling;

pub(super) fn check(recipe: &Resolved, diagnostics: &mut Diagnostics) {
    let name = &recipe.written.name;
    if recipe.steps.is_empty() {
        if !recipe.written.broken {
            diagnostics.error(
                name,
                format!(
                    "recipe `{name}` has no steps: add `step Name {{ … }}` and `initial: Name`"
                ),
            );
        }
        return;
    }
    match &recipe.initial {
        Initial::Step { .. } => {}
        Initial::Unknown { meant: None } if recipe.written.lost_steps => {}
        Initial::Unknown { .. } => {
            // An unknown initial step was written, so there is a value.
            if let Some(initial) = recipe.written.initial.value() {
                let names = recipe.step_names();
                let advice = spelling::advice(
                    &initial.to_string(),
                    names.iter().map(String::as_str),
                    "the steps are",
                );
                diagnostics
                    .error(initial, format!("there is no step `{initial}` to begin with{advice}"));
            }
        }
        Initial::Missing => {
            if !recipe.written.has_initial() {
                let first = recipe.steps[0].name();
                let message =
                    format!("recipe `{name}` does not say where it begins: add `initial: {first}`");
                diagnostics.error(name, message);
            }
        }
    }
}
