//! An outcome carries findings or nothing, and only an agent's outcome carries findings.

use syn::ext::IdentExt;

use crate::diagnostic::Diagnostics;
use crate::resolve::{FINDINGS, OTHER, Resolved};
use crate::spelling;
use crate::syntax::Step;

pub(super) fn check(recipe: &Resolved, diagnostics: &mut Diagnostics) {
    for step in recipe.steps.iter().filter(|step| !step.written.shared) {
        check_step(&step.written, diagnostics);
    }
}

/// The rule for one step: a recipe's, or a shared one.
pub(super) fn check_step(step: &Step, diagnostics: &mut Diagnostics) {
    for mapping in &step.mappings {
        let Some(carried) = &mapping.carried else { continue };
        let Some(word) = &carried.word else { continue };
        if step.is_command() {
            let message = format!(
                "step `{}` runs a command, which reports no findings: remove `({word})`",
                step.name
            );
            diagnostics.error(carried, message);
        } else if mapping.outcome.unraw() == OTHER {
            let message = format!(
                "`Other` is for what the recipe does not foresee, and carries no findings: remove `({word})`"
            );
            diagnostics.error(carried, message);
        } else if word != FINDINGS {
            let advice = spelling::advice(&word.to_string(), [FINDINGS], "it can carry");
            diagnostics.error(word, format!("an outcome cannot carry `{word}`{advice}"));
        }
    }
}
