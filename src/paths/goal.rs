//! What a path can take: an outcome, an end, a limit.

use std::collections::HashSet;
use std::fmt;

use super::run_path::PathMove;
use crate::{AfterLimit, Guardrail, Next, NextOutline, Outline, StepOutline};

/// Something in a recipe that a path can take. An `other` that the author did not write is none: it
/// ends a run at every step, for the same reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PathGoal {
    /// An outcome of a step.
    Outcome {
        /// The step.
        step: &'static str,
        /// The outcome.
        outcome: &'static str,
    },
    /// An exit for the reason with this code.
    Exit(&'static str),
    /// A restart of the recipe with this id.
    Restart(&'static str),
    /// Reaching a limit of the recipe.
    Guardrail(Guardrail),
    /// Reaching the step's own limit of visits.
    StepLimit(&'static str),
}

impl fmt::Display for PathGoal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Outcome { step, outcome } => write!(f, "{outcome} at {step}"),
            Self::Exit(code) => write!(f, "exit {code}"),
            Self::Restart(id) => write!(f, "restart {id}"),
            Self::Guardrail(guardrail) => write!(f, "the guardrail {guardrail}"),
            Self::StepLimit(step) => write!(f, "the limit of {step}"),
        }
    }
}

/// All outcomes of a recipe, and the exits and restarts that they and its limits on visits lead to,
/// without steps that no outcome leads to.
pub(super) fn mapped(outline: &'static Outline) -> Vec<PathGoal> {
    let (mut goals, mut ends) = (Vec::new(), Vec::new());
    for step in reached(outline) {
        for outcome in outline.drawn_outcomes(step) {
            goals.push(PathGoal::Outcome { step: step.name, outcome: outcome.name });
            match outcome.next {
                NextOutline::Step(_) => {}
                NextOutline::Exit(reason) => ends.push(PathGoal::Exit(reason.definition().code)),
                NextOutline::Restart { id, .. } => ends.push(PathGoal::Restart(id)),
            }
        }
        if let Some(AfterLimit::Exit(reason)) = step.limits.when_full {
            ends.push(PathGoal::Exit(reason.definition().code));
        }
    }
    let mut known = HashSet::new();
    goals.extend(ends.into_iter().filter(|end| known.insert(*end)));
    goals
}

/// The steps that outcomes lead to, in the order of the recipe.
fn reached(outline: &'static Outline) -> impl Iterator<Item = &'static StepOutline> {
    let mut reached = vec![false; outline.steps.len()];
    let mut pending = vec![outline.initial];
    while let Some(step) = pending.pop() {
        if !std::mem::replace(&mut reached[step], true) {
            let outcomes = outline.steps[step].outcomes.iter();
            pending.extend(outcomes.flat_map(|outcome| outline.leads_to(outcome)));
        }
    }
    outline.steps.iter().zip(reached).filter_map(|(step, reached)| reached.then_some(step))
}

/// What one move takes.
pub(super) fn taken(taken: &PathMove) -> Vec<PathGoal> {
    let PathMove { recipe, step, outcome, next } = taken;
    let mut goals = vec![PathGoal::Outcome { step: step.name, outcome: outcome.name }];
    goals.extend(limits(recipe, outcome.next, next));
    match next {
        Next::Step(_) => {}
        Next::Exit(exit) => match exit.tripped() {
            // The reason of a guardrail is not one that the author maps an outcome to.
            Some(tripped) => goals.push(own_or_recipe(recipe, tripped.guardrail, tripped.step())),
            None => goals.push(PathGoal::Exit(exit.definition().code)),
        },
        Next::Restart(restart) => goals.push(PathGoal::Restart(restart.recipe.outline().id)),
    }
    goals
}

/// The limits of steps that led elsewhere: from the step that the outcome is mapped to, over those
/// that were full as well, up to where the run went.
fn limits(outline: &'static Outline, mapped: NextOutline, next: &Next) -> Vec<PathGoal> {
    let mut full = Vec::new();
    let mut target = match mapped {
        NextOutline::Step(index) => Some(&outline.steps[index]),
        NextOutline::Exit(_) | NextOutline::Restart { .. } => None,
    };
    while let Some(step) = target.filter(|step| !went_to(next, step)) {
        let Some(when_full) = step.limits.when_full else { break };
        full.push(PathGoal::StepLimit(step.name));
        target = match when_full {
            AfterLimit::Step(index) => Some(&outline.steps[index]),
            AfterLimit::Exit(_) => None,
        };
    }
    full
}

/// Whether the run entered this step, or was refused it.
fn went_to(next: &Next, step: &StepOutline) -> bool {
    match next {
        Next::Step(entered) => entered.name == step.name,
        Next::Exit(exit) => exit.tripped().is_some_and(|tripped| tripped.step() == step.name),
        Next::Restart(_) => false,
    }
}

/// The guardrail that was tripped, or the step's own limit of visits in its place.
fn own_or_recipe(outline: &'static Outline, guardrail: Guardrail, step: &'static str) -> PathGoal {
    let own = guardrail == Guardrail::MaxStepVisits
        && outline.step(step).is_some_and(|step| step.limits.max_visits.is_some());
    if own { PathGoal::StepLimit(step) } else { PathGoal::Guardrail(guardrail) }
}
