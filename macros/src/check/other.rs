//! While `exit_on_other` holds, `Other` exits.

use syn::ext::IdentExt;

use crate::diagnostic::Diagnostics;
use crate::resolve::{OTHER, Resolved, Target};
use crate::syntax::Next;

pub(super) fn check(recipe: &Resolved, diagnostics: &mut Diagnostics) {
    if recipe.limits.other_is_free {
        return;
    }
    for step in &recipe.steps {
        let other = step.outcomes.iter().find(|outcome| outcome.name.unraw() == OTHER);
        let elsewhere = other.is_some_and(|other| {
            matches!(
                other.target,
                Target::Step { .. } | Target::Unknown { .. } | Target::Restart(_)
            )
        });
        let mapping = step.written.mappings.iter().find(|mapping| mapping.outcome.unraw() == OTHER);
        if !elsewhere {
            continue;
        }
        let message =
            "`Other` exits: map it to an exit, or write `exit_on_other: false` in the guardrails";
        match mapping.and_then(|mapping| mapping.next.as_ref()) {
            Some(Next::Step(name)) => diagnostics.error(name, message),
            Some(Next::Restart(path)) => diagnostics.error(path, message),
            Some(Next::Exit(_)) | None => {}
        }
    }
}
