//! A claim is about steps, outcomes and ends that the recipe has, and says something.

use std::collections::HashMap;

use proc_macro2::Ident;
use quote::ToTokens;
use syn::ext::IdentExt;

use crate::diagnostic::Diagnostics;
use crate::resolve::{Claim, Goal, Resolved, Since, Step, Target};
use crate::spelling;
use crate::syntax;

pub(super) fn check(recipe: &Resolved, diagnostics: &mut Diagnostics) {
    let Some(field) = recipe.written.proves.first() else { return };
    let Some(written) = &field.value else { return };
    if written.is_empty() {
        let message = "this proves nothing: write `proves: { Step needs OtherStep.Outcome }`, or leave the field out";
        diagnostics.error(&field.key, message);
    }
    let places =
        recipe.distinct_steps().map(|(index, step)| (step.name().unraw().to_string(), index));
    let (steps, places) = (recipe.step_names(), places.collect());
    let known = Known { recipe, steps, places, exits: exits(recipe) };
    let mut seen = HashMap::new();
    for claim in &recipe.claims {
        goal_exists(&known, claim, diagnostics);
        for (report, found) in claim.written.needs.iter().zip(&claim.needs) {
            if found.is_none() {
                report_exists(&known, report, diagnostics);
            }
        }
        if let (Since::Unknown, Some(name)) = (claim.since, &claim.written.since) {
            unknown_step(name, &known, diagnostics);
        }
        needs_something_else(claim, diagnostics);
        let Some(parts) = claim.parts() else { continue };
        let goal = &claim.written.goal;
        if let Some(first) = seen.get(&parts) {
            let message = "this claim is written twice; keep one of them";
            diagnostics.error_and(goal, message, first, "first_written_here");
        } else {
            seen.insert(parts, goal);
        }
    }
}

/// The recipe with the names that errors list.
struct Known<'a> {
    recipe: &'a Resolved,
    steps: Vec<String>,
    places: HashMap<String, usize>,
    exits: Vec<String>,
}

fn goal_exists(known: &Known<'_>, claim: &Claim, diagnostics: &mut Diagnostics) {
    if claim.goal.is_some() {
        return;
    }
    match &claim.written.goal {
        syntax::Goal::Step(name) => {
            if known.exits.iter().any(|end| name == end) {
                let message = format!("`{name}` is an exit reason: write `exit {name} needs …`");
                return diagnostics.error(name, message);
            }
            unknown_step(name, known, diagnostics);
        }
        // An end that was lost may be the one that is meant.
        syntax::Goal::Exit(_) | syntax::Goal::Restart(_) if known.recipe.written.lost_steps => {}
        syntax::Goal::Exit(reason) => {
            let exits = known.exits.iter().map(String::as_str);
            let advice = spelling::advice(&reason.to_string(), exits, "it can end with");
            let message = format!("no outcome of this recipe exits with `{reason}`{advice}");
            diagnostics.error(reason, message);
        }
        syntax::Goal::Restart(path) => {
            let name = path.to_token_stream().to_string().replace(' ', "");
            diagnostics.error(path, format!("no outcome of this recipe restarts `{name}`"));
        }
    }
}

fn report_exists(known: &Known<'_>, report: &syntax::Report, diagnostics: &mut Diagnostics) {
    let (recipe, syntax::Report { step, outcome }) = (known.recipe, report);
    let Some(index) = known.places.get(&step.unraw().to_string()).copied() else {
        return unknown_step(step, known, diagnostics);
    };
    // Outcomes that could not be read were already reported.
    if recipe.steps[index].outcomes.is_empty() {
        return;
    }
    let outcomes: Vec<_> =
        recipe.steps[index].outcomes.iter().map(|outcome| outcome.name.to_string()).collect();
    let advice = spelling::advice(
        &outcome.to_string(),
        outcomes.iter().map(String::as_str),
        "its outcomes are",
    );
    diagnostics.error(outcome, format!("step `{step}` has no outcome `{outcome}`{advice}"));
}

fn unknown_step(name: &Ident, known: &Known<'_>, diagnostics: &mut Diagnostics) {
    let names = known.steps.iter().map(String::as_str);
    // Steps that could not be read may include it.
    if known.recipe.written.lost_steps
        && spelling::closest(&name.to_string(), names.clone()).is_none()
    {
        return;
    }
    let advice = spelling::advice(&name.to_string(), names, "the steps are");
    diagnostics.error(name, format!("there is no step `{name}`{advice}"));
}

/// A step has reported nothing when it is entered for the first time.
fn needs_something_else(claim: &Claim, diagnostics: &mut Diagnostics) {
    let (Some(Goal::Step(goal)), syntax::Goal::Step(name)) = (&claim.goal, &claim.written.goal)
    else {
        return;
    };
    let itself =
        |need: &Option<crate::resolve::Report>| need.is_some_and(|need| need.step == *goal);
    if claim.needs.iter().all(itself) {
        let message = format!(
            "`{name}` cannot need its own outcome: when it is entered for the first time, it has reported nothing"
        );
        diagnostics.error(&claim.written.needs[0], message);
    }
}

/// The exit reasons that outcomes lead to, each once.
fn exits(recipe: &Resolved) -> Vec<String> {
    let mut exits = Vec::new();
    for target in recipe.steps.iter().flat_map(Step::targets) {
        if let Target::Exit(reason) = target
            && !exits.contains(&reason.name.to_string())
        {
            exits.push(reason.name.to_string());
        }
    }
    exits
}
