//! A step asks an agent or runs a command, and a command passes or fails.

use proc_macro2::Ident;

use super::{commands, reach};
use crate::diagnostic::Diagnostics;
use crate::resolve::{OTHER, Resolved, Target};
use crate::syntax::{Step, VisitLimit};

pub(super) fn check(recipe: &Resolved, diagnostics: &mut Diagnostics) {
    let hints = reach::hints(recipe);
    for (index, step) in recipe.steps.iter().enumerate() {
        if !step.written.shared {
            check_step(&step.written, diagnostics);
        }
        if step.written.is_command() {
            unmapped(recipe, index, &hints, diagnostics);
            strays(recipe, index, diagnostics);
        }
    }
}

/// The rule for one step: a recipe's, or a shared one.
pub(super) fn check_step(step: &Step, diagnostics: &mut Diagnostics) {
    let name = &step.name;
    if let (Some(run), Some(prompt)) = (step.run.first(), step.prompt.first()) {
        let message = format!("step `{name}` has a prompt and a command: keep `prompt` or `run`");
        diagnostics.error_and(&run.key, message, &prompt.key, "the_prompt_is_here");
    } else if step.is_command() {
        misplaced(step, diagnostics);
    }
    step.run.value().iter().for_each(|command| commands::check(command, diagnostics));
}

/// Fields that are only valid in a step that asks an agent.
fn misplaced(step: &Step, diagnostics: &mut Diagnostics) {
    let mut remove = |key: Option<&Ident>, why: &str| {
        if let Some(key) = key {
            let name = &step.name;
            diagnostics.error(key, format!("step `{name}` runs a command{why}: remove `{key}`"));
        }
    };
    remove(
        step.outcomes.first().map(|field| &field.key),
        ", so its outcomes are `Passed` and `Failed`",
    );
    remove(step.model.first().map(|field| &field.key), " and asks no agent");
    remove(step.tools.first().map(|field| &field.key), " and asks no agent");
    remove(step.verify.first().map(|field| &field.key), ", and its exit status is all that counts");
    remove(step.limit_key(VisitLimit::Retries), " and asks no agent");
    remove(step.limit_key(VisitLimit::Budget), " and asks no agent");
}

fn unmapped(recipe: &Resolved, index: usize, hints: &reach::Hints, diagnostics: &mut Diagnostics) {
    let step = &recipe.steps[index];
    let open = step.outcomes.iter().enumerate();
    let open: Vec<_> =
        open.filter(|(_, outcome)| matches!(outcome.target, Target::Unmapped)).collect();
    if open.is_empty() || step.written.broken {
        return;
    }
    let names: Vec<_> = open.iter().map(|(_, outcome)| format!("`{}`", outcome.name)).collect();
    let are = if names.len() == 1 { "is" } else { "are" };
    let lines: Vec<_> =
        open.iter().map(|(_, outcome)| format!("`{} => …`", outcome.name)).collect();
    let hint =
        open.iter().find_map(|(place, outcome)| Some((outcome, hints.get(&(index, *place))?)));
    let hint = hint.map_or_else(String::new, |(outcome, orphan)| {
        let orphan = recipe.steps[*orphan].name();
        format!("; nothing leads to step `{orphan}` yet, so perhaps `{} => {orphan}`", outcome.name)
    });
    let name = step.name();
    let message = format!(
        "step `{name}` runs a command, and {} {are} not mapped: add {}{hint}",
        names.join(" and "),
        lines.join(" and "),
    );
    diagnostics.error(name, message);
}

/// Reports mappings of outcomes that no command can have.
fn strays(recipe: &Resolved, index: usize, diagnostics: &mut Diagnostics) {
    let step = &recipe.steps[index];
    for stray in &step.stray {
        let (name, outcome) = (step.name(), &stray.name);
        let meant = step.outcomes.iter().find(|known| known.mapped_as.as_ref() == Some(outcome));
        let advice = match meant {
            Some(meant) => format!("; did you mean `{}`?", meant.name),
            None => "; remove this line".to_owned(),
        };
        let message = if outcome == OTHER {
            format!("step `{name}` runs a command: it passes or fails, and has no `Other`{advice}")
        } else {
            format!(
                "step `{name}` runs a command, so its outcomes are `Passed` and `Failed` alone{advice}"
            )
        };
        diagnostics.error(outcome, message);
    }
}
