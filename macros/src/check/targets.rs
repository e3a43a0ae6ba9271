//! An outcome leads to a step that exists.

use super::reach::{self, Hints};
use crate::diagnostic::Diagnostics;
use crate::resolve::{Outcome, Resolved, Step, Target};
use crate::spelling;

pub(super) fn check(recipe: &Resolved, diagnostics: &mut Diagnostics) {
    let names = recipe.step_names();
    let hints = reach::hints(recipe);
    for (index, step) in recipe.steps.iter().enumerate() {
        for (place, outcome) in step.outcomes.iter().chain(own_strays(step)).enumerate() {
            if let Target::RestartedStep { name, .. } = &outcome.target {
                let written = format!("`{} => {name}`", outcome.name);
                diagnostics.error(name, format!("`{name}` is a step: write {written}"));
            }
            if let Target::Unknown { name, meant } = &outcome.target
                && !(recipe.written.lost_steps && meant.is_none())
            {
                let mut advice = spelling::advice(
                    &name.to_string(),
                    names.iter().map(String::as_str),
                    "the steps are",
                );
                if meant.is_none() {
                    advice += &elsewhere(recipe, &hints, (index, place), outcome);
                }
                diagnostics.error(name, format!("there is no step `{name}`{advice}"));
            }
        }
    }
}

/// Outcomes that are mapped but not declared, without those that are misspelt declared ones.
fn own_strays(step: &Step) -> impl Iterator<Item = &Outcome> {
    step.stray.iter().filter(|stray| {
        !step.outcomes.iter().any(|known| known.mapped_as.as_ref() == Some(&stray.name))
    })
}

/// A suggestion of another target that the author may have meant.
fn elsewhere(recipe: &Resolved, hints: &Hints, place: (usize, usize), outcome: &Outcome) -> String {
    match (hints.get(&place), &outcome.target) {
        (Some(orphan), _) => {
            let orphan = recipe.steps[*orphan].name();
            format!(
                "; nothing leads to step `{orphan}` yet, so perhaps `{} => {orphan}`",
                outcome.name
            )
        }
        (None, Target::Unknown { name, .. }) => {
            format!("; to end the run instead, write `exit {name}`")
        }
        (None, _) => String::new(),
    }
}
