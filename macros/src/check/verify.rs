//! Commands that verify a step can be run, and are reached.

use super::commands;
use crate::diagnostic::Diagnostics;
use crate::resolve::{Resolved, Target, command_texts};
use crate::syntax::Step;

pub(super) fn check(recipe: &Resolved, diagnostics: &mut Diagnostics) {
    for step in &recipe.steps {
        if !step.written.shared {
            check_step(&step.written, diagnostics);
        }
        let exits = |target: &Target| matches!(target, Target::Exit(_) | Target::StandardOther);
        let only_exits =
            !step.is_open() && step.outcomes.iter().all(|outcome| exits(&outcome.target));
        if let Some(field) = step.written.verify.first()
            && only_exits
            && !step.written.is_command()
        {
            let name = step.name();
            let message = format!(
                "step `{name}` only exits, and `verify` runs before another step or a restart: it would never run here"
            );
            diagnostics.error(&field.key, message);
        }
    }
}

/// The rule for one step: a recipe's, or a shared one.
pub(super) fn check_step(step: &Step, diagnostics: &mut Diagnostics) {
    // The rule about commands reports `verify` in a command step.
    let field = step.verify.first().filter(|_| !step.is_command());
    let Some((key, list)) = field.and_then(|field| Some((&field.key, field.value.as_ref()?)))
    else {
        return;
    };
    if list.is_empty() {
        let message = format!(
            "the list of commands that verify step `{}` is empty: add one, or leave the field out",
            step.name
        );
        diagnostics.error(key, message);
    }
    for (index, command) in list.iter().enumerate() {
        commands::check(command, diagnostics);
        let texts = command_texts(command);
        if let Some(first) = list[..index].iter().find(|first| command_texts(first) == texts) {
            diagnostics.error_and(
                command,
                "this command is listed twice; keep one of them",
                first,
                "first_listed_here",
            );
        }
    }
}
