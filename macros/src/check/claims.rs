//! A claim is about steps, outcomes and ends that the recipe has, and says something.

use quote::ToTokens;

use crate::diagnostic::Diagnostics;
use crate::resolve::{Claim, Goal, Resolved, Since, Step, Target, find_step};
use crate::spelling;
use crate::syntax;

pub(super) fn check(recipe: &Resolved, diagnostics: &mut Diagnostics) {
    let Some(field) = recipe.written.proves.first() else { return };
    let Some(written) = &field.value else { return };
    if written.is_empty() {
        let message = "this proves nothing: write `proves: { Step needs OtherStep.Outcome }`, or leave the field out";
        diagnostics.error(&field.key, message);
    }
    for (index, claim) in recipe.claims.iter().enumerate() {
        goal_exists(recipe, claim, diagnostics);
        let names = recipe.step_names();
        for (report, known) in claim.written.needs.iter().zip(&claim.needs) {
            if known.is_none() {
                report_exists(recipe, report, &names, diagnostics);
            }
        }
        if let (Since::Unknown, Some(name)) = (claim.since, &claim.written.since) {
            unknown_step(name, &names, diagnostics);
        }
        needs_something_else(claim, diagnostics);
        let parts = claim.parts();
        let first = recipe.claims[..index]
            .iter()
            .find(|earlier| parts.is_some() && earlier.parts() == parts);
        if let Some(first) = first {
            let (goal, first) = (&claim.written.goal, &first.written.goal);
            diagnostics.error_and(
                goal,
                "this claim is written twice; keep one of them",
                first,
                "first_written_here",
            );
        }
    }
}

fn goal_exists(recipe: &Resolved, claim: &Claim, diagnostics: &mut Diagnostics) {
    if claim.goal.is_some() {
        return;
    }
    match &claim.written.goal {
        syntax::Goal::Step(name) => {
            let ends = exits(recipe);
            if ends.iter().any(|end| name == end) {
                let message = format!("`{name}` is an exit reason: write `exit {name} needs …`");
                return diagnostics.error(name, message);
            }
            unknown_step(name, &recipe.step_names(), diagnostics);
        }
        syntax::Goal::Exit(reason) => {
            let exits = exits(recipe);
            let exits = exits.iter().map(String::as_str);
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

fn report_exists(
    recipe: &Resolved,
    report: &syntax::Report,
    names: &[String],
    diagnostics: &mut Diagnostics,
) {
    let syntax::Report { step, outcome } = report;
    let Some(index) = find_step(&recipe.steps, step) else {
        return unknown_step(step, names, diagnostics);
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

fn unknown_step(name: &proc_macro2::Ident, names: &[String], diagnostics: &mut Diagnostics) {
    let names = names.iter().map(String::as_str);
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
