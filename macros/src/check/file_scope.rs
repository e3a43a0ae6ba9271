//! A scope names files, and some step can change files.

use proc_macro2::Ident;
use syn::LitStr;

use super::fields::once;
use crate::diagnostic::Diagnostics;
use crate::resolve::{Evidence, PatternFlaw, PatternFlawKind, Patterns, Resolved, Step, Tool};
use crate::spelling;
use crate::syntax::{FileScope, Unknown};

pub(super) fn check(recipe: &Resolved, diagnostics: &mut Diagnostics) {
    let Some(field) = recipe.written.scope.first() else { return };
    let Some(scope) = &field.value else { return };
    if scope.is_empty() {
        let message =
            "this scope is empty: add `allow: […]` or `deny: […]`, or leave the field out";
        return diagnostics.error(&field.key, message);
    }
    for Unknown { key, .. } in &scope.unknown {
        let advice = spelling::advice(&key.to_string(), FileScope::LISTS, "it has");
        diagnostics.error(key, format!("a scope has no list `{key}`{advice}"));
    }
    once(&scope.allow.keys(), diagnostics);
    once(&scope.deny.keys(), diagnostics);
    let lists = [(&scope.allow, &recipe.scope.allow), (&scope.deny, &recipe.scope.deny)];
    for (written, known) in lists {
        if let Some(list) = written.first()
            && let Some(patterns) = &list.value
        {
            check_list(&list.key, patterns, known, diagnostics);
        }
    }
    matters(&field.key, recipe, diagnostics);
}

fn check_list(key: &Ident, written: &[LitStr], known: &Patterns, diagnostics: &mut Diagnostics) {
    if written.is_empty() {
        diagnostics
            .error(key, format!("the list `{key}` is empty: add a pattern, or leave it out"));
    }
    for PatternFlaw { index, kind } in &known.flaws {
        let pattern = &written[*index];
        let shown = pattern.token();
        match kind {
            PatternFlawKind::Names(why) => {
                diagnostics.error(pattern, format!("`{shown}` cannot name files: {why}"));
            }
            PatternFlawKind::Twice { first } => {
                let message = format!("`{shown}` is listed twice; keep one of them");
                diagnostics.error_and(pattern, message, &written[*first], "first_listed_here");
            }
            PatternFlawKind::Allowed(allowed) => {
                let message = format!("`{shown}` is allowed and denied; keep one of them");
                diagnostics.error_and(pattern, message, allowed, "allowed_here");
            }
        }
    }
}

/// Reports a scope if no step may change files.
fn matters(key: &Ident, recipe: &Resolved, diagnostics: &mut Diagnostics) {
    let written = &recipe.written;
    let may_change = written.broken
        || recipe.steps.is_empty()
        || recipe.steps.iter().any(|step| changes(recipe, step));
    if !may_change {
        let message = format!(
            "no step of recipe `{}` may change a file, so its scope can never matter: remove it, or give a step `edit` \
             or a command",
            written.name
        );
        diagnostics.error(key, message);
    }
}

/// Whether a step may change files, or may be meant to.
fn changes(recipe: &Resolved, step: &Step) -> bool {
    let written = &step.written;
    let outcomes = step.outcomes.iter().chain(&step.stray);
    let mut evidence = outcomes.flat_map(|outcome| &outcome.evidence);
    if written.is_command()
        || written.has_verify()
        || written.has_unread_tools()
        || evidence.any(|evidence| matches!(evidence, Evidence::Command(_)))
    {
        return true;
    }
    let Some(tools) = step.tools.as_ref().or(recipe.tools.as_ref()) else {
        // The operator decides, or there is a list that could not be read.
        return true;
    };
    let may_change = |tool: &Tool| match tool {
        // Only the compiler sees what is in a constant.
        Tool::Edit | Tool::Command(_) | Tool::Group(_) => true,
        Tool::Read | Tool::Web => false,
    };
    !tools.flaws.is_empty() || tools.known.iter().any(may_change)
}
