//! What is proven about every run of a recipe at compile time.

use crate::graph::{Components, Graph};
use crate::model::{Claim, Flow, Next, Shape};

/// Facts about a valid recipe.
pub(crate) struct Proof {
    /// No run takes more steps than this.
    pub(crate) max_steps: u32,
    /// The steps on the heaviest path through the graph, and how often each can run.
    pub(crate) heaviest_path: Vec<(usize, u32)>,
    /// The configured limits that can never be reached.
    pub(crate) never_trips: Vec<Limit>,
    /// What holds on every path, as the author claims and a rule checked.
    pub(crate) claims: Vec<Claim>,
    /// A hash of the graph.
    pub(crate) fingerprint: u64,
    /// The graph itself.
    pub(crate) flow: Flow,
}

/// One of the limits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Limit {
    StepVisits,
    TotalSteps,
    Restarts,
}

impl Proof {
    pub(crate) fn new(shape: &Shape, claims: Vec<Claim>) -> Self {
        let flow = Flow::new(shape);
        let limits: Vec<_> = shape
            .steps
            .iter()
            .map(|step| step.max_visits.or(shape.limits.max_step_visits))
            .collect();
        let heaviest = Heaviest::new(&flow.graph, &flow.components, shape.initial, &limits);
        let total = shape.limits.max_total_steps.map_or(u64::MAX, u64::from);
        let max_steps = u32::try_from(heaviest.weight.min(total)).unwrap_or(u32::MAX);

        let mut never_trips = Vec::new();
        // Without a cycle, no step is entered twice.
        if shape.limits.max_step_visits.is_some() && !heaviest.any_cycle {
            never_trips.push(Limit::StepVisits);
        }
        if heaviest.weight <= total && shape.limits.max_total_steps.is_some() {
            never_trips.push(Limit::TotalSteps);
        }
        if shape.limits.max_restarts.is_some() && shape.restarts.is_empty() {
            never_trips.push(Limit::Restarts);
        }
        // If only the total bounds a cycle, no step runs more often than that.
        let heaviest_path =
            heaviest.path.into_iter().map(|(step, visits)| (step, visits.min(max_steps))).collect();
        let fingerprint = fingerprint(shape);
        Self { max_steps, heaviest_path, never_trips, claims, fingerprint, flow }
    }
}

/// The heaviest path from the first step through the strongly connected components of the graph.
pub(crate) struct Heaviest {
    pub(crate) weight: u64,
    pub(crate) path: Vec<(usize, u32)>,
    pub(crate) any_cycle: bool,
}

impl Heaviest {
    /// A step outside any cycle weighs 1; a component with a cycle weighs as much as the visits of
    /// its steps that are allowed.
    pub(crate) fn new(
        graph: &Graph,
        components: &Components,
        initial: usize,
        limits: &[Option<u32>],
    ) -> Self {
        let count = components.members.len();
        let (mut weights, mut onward) = (vec![0_u64; count], vec![None; count]);
        let (mut visits, mut any_cycle) = (vec![1_u32; limits.len()], false);
        // Components come after what they lead to, so the weights of their followers are known.
        for component in 0..count {
            if components.is_cyclic(component, graph) {
                for step in &components.members[component] {
                    visits[*step] = limits[*step].unwrap_or(u32::MAX);
                }
                any_cycle = true;
            }
            let members = &components.members[component];
            let followers =
                members.iter().flat_map(|step| graph.edges(*step)).map(|next| components.of[*next]);
            for follower in followers.filter(|follower| *follower != component) {
                let heavier =
                    onward[component].is_none_or(|best: usize| weights[follower] > weights[best]);
                if heavier {
                    onward[component] = Some(follower);
                }
            }
            let own = members.iter().map(|step| u64::from(visits[*step]));
            let own = own.fold(0, u64::saturating_add);
            weights[component] =
                onward[component].map_or(own, |next| own.saturating_add(weights[next]));
        }
        let mut path = Vec::new();
        let mut at = Some(components.of[initial]);
        while let Some(component) = at {
            path.extend(components.members[component].iter().map(|step| (*step, visits[*step])));
            at = onward[component];
        }
        Self { weight: weights[components.of[initial]], path, any_cycle }
    }
}

/// FNV-1a over the names of the steps, of their outcomes, and of what those lead to: a change to
/// any of them changes it, and so does where a step's limit leads. Prompts, labels and numbers are left out on purpose, so that editing
/// those does not strand runs in progress.
fn fingerprint(shape: &Shape) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut add = |text: &str| {
        // The zero byte distinguishes "a" + "bc" from "ab" + "c".
        for byte in text.bytes().chain([0]) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    };
    let next = |next: Next| match next {
        Next::Step(next) => shape.steps[next].wire.clone(),
        Next::Exit(exit) => format!("exit {}", shape.exits[exit].name()),
        Next::Restart(restart) => format!("restart {}", shape.restarts[restart].name),
    };
    add(&shape.steps[shape.initial].wire);
    let registry = shape.registry.as_ref().and_then(|path| path.segments.last());
    add(&registry.map_or(String::new(), |last| last.ident.to_string()));
    for step in &shape.steps {
        // No name on the wire has this character, so an outcome cannot be confused with the next
        // step.
        add("\u{1}step");
        add(&step.wire);
        for outcome in &step.outcomes {
            add(&outcome.wire);
            add(&next(outcome.next));
        }
        if let Some(instead) = step.when_full {
            add("\u{1}full");
            add(&next(instead));
        }
    }
    hash
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heaviest(graph: &Graph, limits: &[Option<u32>]) -> Heaviest {
        Heaviest::new(graph, &graph.components(), 0, limits)
    }

    #[test]
    fn the_heaviest_path_counts_cycles_by_their_visits() {
        // implement → review ⇄ fix, review → commit
        let graph = Graph::new(vec![vec![1], vec![3, 2], vec![1], vec![]]);
        let heaviest = heaviest(&graph, &[Some(3); 4]);
        assert_eq!(heaviest.weight, 1 + 3 * 2 + 1);
        assert_eq!(heaviest.path, [(0, 1), (1, 3), (2, 3), (3, 1)]);
        assert!(heaviest.any_cycle);
    }

    #[test]
    fn without_cycles_it_is_the_longest_path() {
        let graph = Graph::new(vec![vec![1, 3], vec![2], vec![3], vec![]]);
        let heaviest = heaviest(&graph, &[None; 4]);
        assert_eq!((heaviest.weight, heaviest.any_cycle), (4, false));
    }

    #[test]
    fn unlimited_visits_do_not_overflow() {
        // Two cycles, and nothing bounds either.
        let graph = Graph::new(vec![vec![0, 1], vec![1]]);
        assert_eq!(heaviest(&graph, &[None; 2]).weight, 2 * u64::from(u32::MAX));
    }
}
