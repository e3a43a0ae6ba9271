//! Every outcome is declared once and mapped once.

use std::collections::HashMap;

use proc_macro2::Ident;
use syn::ext::IdentExt;

use super::reach;
use crate::diagnostic::Diagnostics;
use crate::resolve::{OTHER, Resolved, Step, Target};
use crate::spelling;

pub(super) fn check(recipe: &Resolved, diagnostics: &mut Diagnostics) {
    let hints = reach::hints(recipe);
    for (index, step) in recipe.steps.iter().enumerate() {
        if step.written.is_command() {
            // The rule about commands reports everything else about them.
            mapped_once(step, diagnostics);
            continue;
        }
        declared_at_all(step, diagnostics);
        let declared =
            step.written.outcomes.value().into_iter().flatten().map(|declared| &declared.name);
        once(declared, "declared", "first_declared_here", diagnostics);
        mapped_once(step, diagnostics);
        undeclared(step, diagnostics);
        unmapped(recipe, index, &hints, diagnostics);
    }
}

fn declared_at_all(step: &Step, diagnostics: &mut Diagnostics) {
    let name = step.name();
    match step.written.outcomes.first() {
        None if !step.written.has_outcomes() => {
            let mapped: Vec<_> =
                step.written.mappings.iter().map(|mapping| mapping.outcome.to_string()).collect();
            let list = if mapped.is_empty() { "Complete".to_owned() } else { mapped.join(", ") };
            diagnostics.error(
                name,
                format!("step `{name}` declares no outcomes: add `outcomes: [{list}]`"),
            );
        }
        Some(field) if field.value.as_ref().is_some_and(Vec::is_empty) => {
            diagnostics.error(
                &field.key,
                format!(
                    "step `{name}` has an empty list of outcomes, so it could never end: declare at least one"
                ),
            );
        }
        Some(_) | None => {}
    }
}

fn mapped_once(step: &Step, diagnostics: &mut Diagnostics) {
    let mapped = step.written.mappings.iter().map(|mapping| &mapping.outcome);
    once(mapped, "mapped", "first_mapped_here", diagnostics);
}

fn once<'a>(
    names: impl Iterator<Item = &'a Ident>,
    how: &str,
    place: &'static str,
    diagnostics: &mut Diagnostics,
) {
    let mut seen = HashMap::new();
    for name in names {
        if let Some(first) = seen.get(&name.unraw().to_string()) {
            let message = format!("outcome `{name}` is {how} twice; keep one of them");
            diagnostics.error_and(name, message, first, place);
        } else {
            seen.insert(name.unraw().to_string(), name);
        }
    }
}

fn undeclared(step: &Step, diagnostics: &mut Diagnostics) {
    // Without a readable list there is nothing to compare with; that error was already reported.
    let Some(declared) = step.written.outcomes.value().filter(|declared| !declared.is_empty())
    else {
        return;
    };
    let names: Vec<_> = declared.iter().map(|declared| declared.name.unraw().to_string()).collect();
    let mut reported = Vec::new();
    for mapping in &step.written.mappings {
        let outcome = &mapping.outcome;
        let text = outcome.unraw().to_string();
        if names.contains(&text) || reported.contains(&text) {
            continue;
        }
        let meant = step.outcomes.iter().find(|known| known.mapped_as.as_ref() == Some(outcome));
        let advice = match meant {
            None if text == OTHER
                && step
                    .outcomes
                    .iter()
                    .any(|known| matches!(known.target, Target::StandardOther)) =>
            {
                "; add it to `outcomes` to map it to an exit of your choice, or remove this line"
                    .to_owned()
            }
            Some(meant) => format!("; did you mean `{}`?", meant.name),
            None => {
                let list = spelling::short_list(names.iter().map(String::as_str));
                let list = list.map_or(String::new(), |list| format!(" (declared: {list})"));
                format!("; add it to `outcomes` or remove this line{list}")
            }
        };
        diagnostics
            .error(outcome, format!("outcome `{outcome}` is mapped but not declared{advice}"));
        reported.push(text);
    }
}

fn unmapped(recipe: &Resolved, index: usize, hints: &reach::Hints, diagnostics: &mut Diagnostics) {
    let step = &recipe.steps[index];
    for (place, outcome) in step.outcomes.iter().enumerate() {
        if !matches!(outcome.target, Target::Unmapped) || step.written.broken {
            continue;
        }
        let name = &outcome.name;
        let fix = if name.unraw() == OTHER && !recipe.limits.other_is_free {
            format!("leave it out, since every step has it, or add `{name} => exit …`")
        } else if let Some(orphan) = hints.get(&(index, place)) {
            let orphan = recipe.steps[*orphan].name();
            format!(
                "add `{name} => …`; nothing leads to step `{orphan}` yet, so perhaps `{name} => {orphan}`"
            )
        } else {
            format!("add `{name} => …`")
        };
        diagnostics.error(name, format!("outcome `{name}` is declared but not mapped: {fix}"));
    }
}
