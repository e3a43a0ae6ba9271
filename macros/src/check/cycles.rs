//! Every cycle is bounded by a guardrail.

use crate::diagnostic::Diagnostics;
use crate::resolve::{Resolved, Step};
use crate::spelling;

pub(super) fn check(recipe: &Resolved, diagnostics: &mut Diagnostics) {
    let unread = recipe.written.has_unread_guardrails();
    if recipe.limits.max_step_visits.is_some() || recipe.limits.max_total_steps.is_some() || unread
    {
        return;
    }
    let components = recipe.certain.components();
    let cyclic = (0..components.members.len())
        .filter(|component| components.is_cyclic(*component, &recipe.certain));
    // One guardrail bounds all cycles, so one error is enough; the cycle that comes first in the
    // source stands for all.
    let Some(first) = cyclic.map(|component| components.members[component][0]).min() else {
        return;
    };
    let Some(cycle) = recipe.certain.cycle_through(first) else {
        return;
    };
    let path: Vec<_> =
        cycle.iter().map(|step| format!("`{}`", recipe.steps[*step].name())).collect();
    let message = format!(
        "nothing bounds the cycle {}: add `guardrails: {{ max_step_visits: 3 }}` or `max_total_steps`",
        spelling::shortened(&path)
    );
    // The last transition is the one that closes the cycle.
    let closing = cycle
        .get(cycle.len().saturating_sub(2))
        .and_then(|step| closing_target(&recipe.steps[*step], first));
    match closing {
        Some(target) => diagnostics.error(target, message),
        None => diagnostics.error(recipe.steps[first].name(), message),
    }
}

/// The token that names the target, where it was written.
fn closing_target(step: &Step, target: usize) -> Option<&proc_macro2::Ident> {
    let outcome =
        step.outcomes.iter().find(|outcome| outcome.target.certain_step() == Some(target))?;
    let mapped = outcome.mapped_as.as_ref().unwrap_or(&outcome.name);
    let mapping = step.written.mappings.iter().find(|mapping| mapping.outcome == *mapped)?;
    match &mapping.next {
        Some(crate::syntax::Next::Step(name)) => Some(name),
        _ => None,
    }
}
