//! The graph of an outline, and its outcomes by former names.

use crate::recipe::erased::{NextOutline, Outline, StepOutline};
use crate::recipe::graph::{GraphNext, RecipeGraph};
use crate::recipe::step_limits::AfterLimit;

/// One way on from a step.
pub(super) struct Transition {
    /// The outcome, or what stands for a limit.
    pub(super) name: &'static str,
    /// Former names of that outcome.
    was: &'static [&'static str],
    pub(super) next: GraphNext,
}

impl Transition {
    /// The one with this name or, failing that, with this former name.
    pub(super) fn find(transitions: &[Self], name: &str) -> Option<usize> {
        let current = transitions.iter().position(|known| known.name == name);
        current.or_else(|| transitions.iter().position(|known| known.was.contains(&name)))
    }
}

impl Outline {
    /// Its graph.
    #[must_use]
    pub fn graph(&self) -> RecipeGraph {
        let steps = self.steps.iter().map(|step| {
            let transitions = self.transitions(step).into_iter();
            let transitions = transitions.map(|known| (known.name.to_owned(), known.next));
            (step.name.to_owned(), transitions.collect())
        });
        RecipeGraph { initial: self.first_step().name.to_owned(), steps: steps.collect() }
    }

    /// The ways on from a step.
    pub(super) fn transitions(&self, step: &StepOutline) -> Vec<Transition> {
        let step_named = |index: usize| GraphNext::Step(self.steps[index].name.to_owned());
        let outcomes = step.outcomes.iter().map(|outcome| Transition {
            name: outcome.name,
            was: outcome.was,
            next: match outcome.next {
                NextOutline::Step(index) => step_named(index),
                NextOutline::Exit(reason) => GraphNext::Exit(reason.definition().code.to_owned()),
                NextOutline::Restart { id, .. } => GraphNext::Restart(id.to_owned()),
            },
        });
        let visits = step.limits.after_visit().map(|(limit, next)| (limit.words(), next));
        let full = step.limits.when_full.map(|next| (RecipeGraph::WHEN_FULL, next));
        let limits = visits.chain(full).map(|(name, next)| Transition {
            name,
            was: &[],
            next: match next {
                AfterLimit::Step(index) => step_named(index),
                AfterLimit::Exit(reason) => GraphNext::Exit(reason.definition().code.to_owned()),
            },
        });
        outcomes.chain(limits).collect()
    }
}

impl StepOutline {
    /// The outcome with this name or, failing that, with this former name.
    pub(crate) fn outcome_once_named(&self, name: &str) -> Option<usize> {
        let current = self.outcomes.iter().position(|outcome| outcome.name == name);
        current.or_else(|| self.outcomes.iter().position(|outcome| outcome.was.contains(&name)))
    }
}
