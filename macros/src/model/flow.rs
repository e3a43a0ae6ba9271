//! Which steps follow which, with what the limits of steps add.

use super::{Next, Shape};
use crate::graph::{Components, Graph};

/// The graph of a recipe.
pub(crate) struct Flow {
    pub(crate) graph: Graph,
    pub(crate) components: Components,
}

impl Flow {
    pub(crate) fn new(shape: &Shape) -> Self {
        let ways = shape.steps.iter().map(super::Step::ways).collect();
        let detours: Vec<_> = shape.steps.iter().map(super::Step::detour).collect();
        let graph = Graph::with_detours(ways, &detours);
        let components = graph.components();
        Self { graph, components }
    }

    /// Whether an outcome of `from` that leads to `to` can find it visited as often as its limit
    /// allows: only if the run may have come from there.
    pub(crate) fn meets_full(&self, from: usize, to: usize) -> bool {
        let component = self.components.of[to];
        self.components.of[from] == component && self.components.is_cyclic(component, &self.graph)
    }

    /// Where a run continues that is to enter `to` from `from`: there, or where the limits of that
    /// step, and of those, lead.
    pub(crate) fn entries(&self, shape: &Shape, from: usize, to: usize) -> Vec<usize> {
        let mut entries = vec![to];
        let mut at = to;
        while let Some(next) = shape.steps[at].detour().filter(|_| self.meets_full(from, at)) {
            // Limits that lead to each other are refused, and stubs are made for them all the same.
            if entries.contains(&next) {
                break;
            }
            entries.push(next);
            at = next;
        }
        entries
    }

    /// The steps that can follow a step, each once, in order.
    pub(crate) fn followers(&self, shape: &Shape, from: usize) -> Vec<usize> {
        let mut steps = Vec::new();
        for to in shape.steps[from].followers() {
            for step in self.entries(shape, from, to) {
                if !steps.contains(&step) {
                    steps.push(step);
                }
            }
        }
        steps
    }
}

impl super::Step {
    /// The step that a run goes to instead of this one, once it was visited as often as it may be.
    pub(crate) fn detour(&self) -> Option<usize> {
        match self.when_full {
            Some(Next::Step(step)) => Some(step),
            Some(Next::Exit(_) | Next::Restart(_)) | None => None,
        }
    }
}
