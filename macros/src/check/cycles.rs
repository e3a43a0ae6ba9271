//! Every cycle is bounded: by a guardrail, or by a step with a limit of its own.
//!
//! A cycle that leaves out every step with `max_visits` is not bounded, even if it exists only
//! because such a step is full. Nor do the limits of a visit bound it: each visit begins with new
//! ones.

use crate::diagnostic::Diagnostics;
use crate::resolve::{Resolved, Step, Target};
use crate::spelling;

pub(super) fn check(recipe: &Resolved, diagnostics: &mut Diagnostics) {
    let unread = recipe.written.has_unread_guardrails();
    if recipe.limits.max_step_visits.is_some() || recipe.limits.max_total_steps.is_some() || unread
    {
        return;
    }
    let limited = |step: usize| recipe.steps[step].max_visits.is_some();
    let unlimited = recipe.certain.without(limited);
    let components = unlimited.components();
    let cyclic = (0..components.members.len())
        .filter(|component| components.is_cyclic(*component, &unlimited));
    // One guardrail bounds all cycles, so one error is enough; the cycle that comes first in the
    // source stands for all.
    let Some(first) = cyclic.map(|component| components.members[component][0]).min() else {
        return;
    };
    let Some(cycle) = unlimited.cycle_through(first) else {
        return;
    };
    let path: Vec<_> =
        cycle.iter().map(|step| format!("`{}`", recipe.steps[*step].name())).collect();
    let message = format!(
        "nothing bounds the cycle {}: add `guardrails: {{ max_step_visits: 3 }}` or `max_total_steps`, or `max_visits: 3` to a step in it",
        spelling::shortened(&path)
    );
    // The last transition is the one that closes the cycle.
    let closing = cycle
        .get(cycle.len().saturating_sub(2))
        .and_then(|step| closing_target(&recipe.steps[*step], first))
        .or_else(|| limit_to(recipe, first));
    match closing {
        Some(target) => diagnostics.error(target, message),
        None => diagnostics.error(recipe.steps[first].name(), message),
    }
}

/// Where a limit names the step: a full step may close the cycle.
fn limit_to(recipe: &Resolved, target: usize) -> Option<&proc_macro2::Ident> {
    let step = recipe
        .steps
        .iter()
        .find(|step| step.when_full.as_ref().and_then(Target::certain_step) == Some(target))?;
    match step.written.max_visits.value()?.next.as_ref()? {
        crate::syntax::Next::Step(name) => Some(name),
        crate::syntax::Next::Exit(_) | crate::syntax::Next::Restart(_) => None,
    }
}

/// The token that names the target, where it was written.
fn closing_target(step: &Step, target: usize) -> Option<&proc_macro2::Ident> {
    let outcome =
        step.outcomes.iter().find(|outcome| outcome.target.certain_step() == Some(target));
    let next = match outcome {
        Some(outcome) => {
            let mapped = outcome.mapped_as.as_ref().unwrap_or(&outcome.name);
            let mut mappings = step.written.mappings.iter();
            mappings.find(|mapping| mapping.outcome == *mapped)?.next.as_ref()
        }
        None => {
            let leads_there = |(_, to): &&(_, Target)| to.certain_step() == Some(target);
            let (limit, _) = step.after_limits.iter().find(leads_there)?;
            step.written.after_limits().find(|(known, _)| known == limit).map(|(_, next)| next)
        }
    };
    match next {
        Some(crate::syntax::Next::Step(name)) => Some(name),
        _ => None,
    }
}
