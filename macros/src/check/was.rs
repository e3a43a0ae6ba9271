//! Former names are not in use any more, and each belongs to one step or one outcome.

use std::collections::{HashMap, HashSet};

use proc_macro2::Ident;
use syn::ext::IdentExt;

use crate::diagnostic::Diagnostics;
use crate::resolve::Resolved;
use crate::spelling;
use crate::syntax::{Former, Step};

pub(super) fn check(recipe: &Resolved, diagnostics: &mut Diagnostics) {
    let mut seen: HashMap<String, (usize, &Ident)> = HashMap::new();
    let current: HashMap<_, _> =
        recipe.distinct_steps().map(|(index, step)| (step.wire.as_str(), index)).collect();
    for (index, step) in recipe.distinct_steps() {
        if !step.written.shared {
            check_step(&step.written, diagnostics);
        }
        for Former { name, .. } in of_step(&step.written) {
            let wire = spelling::wire(name);
            if let Some(current) = current.get(wire.as_str()) {
                // The step's own name was already reported.
                if *current != index {
                    let message = format!(
                        "`{name}` is a step of this recipe, and runs at it stay there: remove it from this list"
                    );
                    diagnostics.error(name, message);
                }
                continue;
            }
            match seen.get(&wire) {
                Some((other, first)) if *other != index => {
                    let message = format!(
                        "`{name}` is a former name of two steps: keep it at the one that took its place"
                    );
                    diagnostics.error_and(name, message, first, "the_other_one");
                }
                Some(_) => {}
                None => drop(seen.insert(wire, (index, name))),
            }
        }
    }
}

/// The rule for one step: a recipe's, or a shared one.
pub(super) fn check_step(step: &Step, diagnostics: &mut Diagnostics) {
    let Some(field) = step.was.first() else { return };
    let Some(list) = &field.value else { return };
    if list.is_empty() {
        let message = "this lists no former name: write `was: [OldName]`, or leave the field out";
        diagnostics.error(&field.key, message);
    }
    let outcomes = outcomes(step);
    let known: HashSet<_> = outcomes.iter().flatten().map(String::as_str).collect();
    // Steps and outcomes may share a name.
    let mut seen: HashMap<(String, bool), &Ident> = HashMap::new();
    for Former { name, outcome } in list {
        let wire = spelling::wire(name);
        if let Some(first) = seen.get(&(wire.clone(), outcome.is_some())) {
            let message = format!("`{name}` is written twice; keep one of them");
            diagnostics.error_and(name, message, first, "first_written_here");
            continue;
        }
        seen.insert((wire.clone(), outcome.is_some()), name);
        match (outcome, &outcomes) {
            (None, _) if wire == spelling::wire(&step.name) => {
                let message = format!(
                    "`{name}` is the name of this step: `was` lists names that it no longer has"
                );
                diagnostics.error(name, message);
            }
            (Some(outcome), Some(outcomes)) => {
                if !known.contains(outcome.unraw().to_string().as_str()) {
                    let names = outcomes.iter().map(String::as_str);
                    let advice = spelling::advice(&outcome.to_string(), names, "it has");
                    let message =
                        format!("step `{}` has no outcome `{outcome}`{advice}", step.name);
                    diagnostics.error(outcome, message);
                } else if known.contains(name.unraw().to_string().as_str()) {
                    let message = format!(
                        "`{name}` is an outcome of this step: `was` lists names that its outcomes no longer have"
                    );
                    diagnostics.error(name, message);
                }
            }
            (None, _) | (Some(_), None) => {}
        }
    }
}

/// The former names of the step itself.
fn of_step(step: &Step) -> impl Iterator<Item = &Former> {
    step.was.value().into_iter().flatten().filter(|former| former.outcome.is_none())
}

/// The outcomes that it declares; `None` if the list is missing or could not be read.
fn outcomes(step: &Step) -> Option<Vec<String>> {
    if step.is_command() {
        return Some(Step::COMMAND_OUTCOMES.map(str::to_owned).into());
    }
    let declared = step.outcomes.value()?;
    Some(declared.iter().map(|declared| declared.name.unraw().to_string()).collect())
}
