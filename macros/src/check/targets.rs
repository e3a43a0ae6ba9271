//! An outcome leads to a step that exists.

use crate::diagnostic::Diagnostics;
use crate::resolve::{Resolved, Target};
use crate::spelling;

pub(super) fn check(recipe: &Resolved, diagnostics: &mut Diagnostics) {
    let names = recipe.step_names();
    for outcome in recipe.steps.iter().flat_map(|step| &step.outcomes) {
        if let Target::Unknown { name, meant } = &outcome.target {
            let mut advice =
                spelling::advice(&name.to_string(), names.iter().map(String::as_str), "the steps are");
            if meant.is_none() {
                advice = format!("{advice}; to end the run instead, write `exit {name}`");
            }
            diagnostics.error(name, format!("there is no step `{name}`{advice}"));
        }
    }
}
