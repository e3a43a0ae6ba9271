//! Ids can be typed on a command line, and nothing that people read is empty.

use heck::ToKebabCase;

use crate::diagnostic::Diagnostics;
use crate::resolve::Resolved;

pub(super) fn check(recipe: &Resolved, diagnostics: &mut Diagnostics) {
    let written = &recipe.written;
    if let Some(id) = written.id.value() {
        let text = id.value();
        let kebab = text.split('-').all(|word| {
            !word.is_empty() && word.chars().all(|c| c.is_alphanumeric() && !c.is_uppercase())
        });
        if !kebab {
            let better = Some(text.to_kebab_case()).filter(|better| !better.is_empty());
            let better = better.unwrap_or_else(|| recipe.written.name.to_string().to_kebab_case());
            diagnostics.error(
                id,
                format!("an id is made of small letters, digits and hyphens: write `\"{better}\"`"),
            );
        }
    }
    let models = recipe.steps.iter().filter_map(|step| step.written.model.value());
    for text in written.label.value().into_iter().chain(written.model.value()).chain(models) {
        if text.value().trim().is_empty() {
            diagnostics.error(text, "this text is empty; write one or leave the field out");
        }
    }
}
