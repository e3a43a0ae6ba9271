//! The limit of a step can be reached, and leads somewhere.
//!
//! Where it leads may be another full step, and so on; that ends.

use proc_macro2::Ident;
use syn::LitInt;

use super::limit_target;
use crate::diagnostic::Diagnostics;
use crate::resolve::{Resolved, Step, Target};
use crate::spelling;
use crate::syntax::{self, MaxVisits, Next};

pub(super) fn check(recipe: &Resolved, diagnostics: &mut Diagnostics) {
    let components = recipe.graph.components();
    for index in 0..recipe.steps.len() {
        let step = &recipe.steps[index];
        let (Some(field), Some(limit)) =
            (step.written.max_visits.first(), step.written.max_visits.value())
        else {
            continue;
        };
        if !step.written.shared {
            check_step(&step.written, diagnostics);
            let returns = components.is_cyclic(components.of[index], &recipe.graph);
            can_be_reached(recipe, (index, returns), &field.key, &limit.number, diagnostics);
        }
        if let Some(target) = &step.when_full {
            let limit = format!("max_visits: {}", limit.number);
            limit_target::check(recipe, index, &limit, target, diagnostics);
        }
    }
    ends(recipe, diagnostics);
}

/// The rule for one step: a recipe's, or a shared one.
pub(super) fn check_step(step: &syntax::Step, diagnostics: &mut Diagnostics) {
    let Some(MaxVisits { number, next }) = step.max_visits.value() else { return };
    let (name, digits) = (&step.name, number.base10_digits());
    let message = match number.base10_parse::<u32>() {
        _ if !number.suffix().is_empty() => {
            Some(format!("`max_visits` is a number: write `max_visits: {digits}`"))
        }
        Ok(1..) => None,
        Err(_) if !digits.starts_with('-') => Some(format!("`max_visits` is at most {}", u32::MAX)),
        Ok(0) | Err(_) => {
            Some(format!("`max_visits` must be at least 1, or no run could take the step `{name}`"))
        }
    };
    if let Some(message) = message {
        diagnostics.error(number, message);
    }
    if let Some(Next::Step(target)) = next
        && target == name
    {
        diagnostics.error(
            target,
            format!("a run cannot go to `{name}` instead of `{name}`: name another step, or `exit Reason`"),
        );
    }
}

/// Without a way back to the step, and within the recipe's total, its limit bounds nothing.
fn can_be_reached(
    recipe: &Resolved,
    (index, returns): (usize, bool),
    key: &Ident,
    number: &LitInt,
    diagnostics: &mut Diagnostics,
) {
    let name = recipe.steps[index].name();
    let is_open = recipe.written.broken || recipe.steps.iter().any(Step::is_open);
    if !returns && !is_open && recipe.steps[index].duplicate_of.is_none() {
        let message = format!(
            "nothing leads back to step `{name}`, so no run visits it twice and `{key}` bounds nothing: remove it"
        );
        diagnostics.error(key, message);
    } else if let (Some(total), Ok(visits)) =
        (recipe.limits.max_total_steps, number.base10_parse::<u32>())
        && visits > total
        && !recipe.written.has_unread_guardrails()
    {
        let message = format!(
            "`{key}` ({visits}) could never be reached within `max_total_steps` ({total}); lower it or raise the total"
        );
        diagnostics.error(number, message);
    }
}

/// Limits do not lead to each other in a circle: a run would find all of the steps full.
fn ends(recipe: &Resolved, diagnostics: &mut Diagnostics) {
    let next = |step: usize| recipe.steps[step].when_full.as_ref().and_then(Target::certain_step);
    let mut seen = vec![false; recipe.steps.len()];
    for first in 0..recipe.steps.len() {
        let mut path = Vec::new();
        let mut at = Some(first).filter(|step| !seen[*step]);
        while let Some(step) = at {
            if let Some(start) = path.iter().position(|other| *other == step) {
                circle(recipe, &path[start..], diagnostics);
                break;
            }
            if std::mem::replace(&mut seen[step], true) {
                break;
            }
            path.push(step);
            at = next(step);
        }
    }
}

fn circle(recipe: &Resolved, steps: &[usize], diagnostics: &mut Diagnostics) {
    // A step that leads to itself is reported by itself.
    let [first, .., last] = steps else { return };
    let Some(limit) = recipe.steps[*last].written.max_visits.value() else { return };
    let Some(Next::Step(target)) = &limit.next else { return };
    let path = steps.iter().chain([first]);
    let path: Vec<_> = path.map(|step| format!("`{}`", recipe.steps[*step].name())).collect();
    let message = format!(
        "these limits lead to each other, so a run could find all of these steps full: {}; end one of them with `exit Reason`, or leave out its `=> …`",
        spelling::shortened(&path)
    );
    diagnostics.error(target, message);
}
