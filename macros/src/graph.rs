//! The recipe as a graph. Everything here is linear in steps plus transitions, and nothing
//! recurses, so that a recipe may have thousands of steps.

/// Edges between steps, by index.
pub(crate) struct Graph {
    edges: Vec<Vec<usize>>,
}

impl Graph {
    pub(crate) fn new(edges: Vec<Vec<usize>>) -> Self {
        Self { edges }
    }

    /// Adds what limits of steps add to the edges of outcomes: where a run goes instead of a step
    /// that was visited as often as it may be.
    ///
    /// An outcome finds a step full only if the run has been there before. So such an edge begins
    /// only at steps that the full step leads back to: those in its component. What is added may
    /// close further cycles, so this repeats until nothing is added.
    pub(crate) fn with_detours(edges: Vec<Vec<usize>>, detours: &[Option<usize>]) -> Self {
        let mut graph = Self::new(edges);
        if detours.iter().all(Option::is_none) {
            return graph;
        }
        loop {
            let of = graph.components().of;
            let mut grew = false;
            for from in 0..graph.edges.len() {
                let mut at = 0;
                // The list grows while it is read: a detour may lead to another full step.
                while let Some(step) = graph.edges[from].get(at).copied() {
                    at += 1;
                    if let Some(detour) = detours[step]
                        && of[from] == of[step]
                        && !graph.edges[from].contains(&detour)
                    {
                        graph.edges[from].push(detour);
                        grew = true;
                    }
                }
            }
            if !grew {
                return graph;
            }
        }
    }

    /// The same graph without the edges to and from some steps.
    pub(crate) fn without(&self, left_out: impl Fn(usize) -> bool) -> Self {
        let edges = self.edges.iter().enumerate().map(|(from, targets)| {
            let kept = targets.iter().copied().filter(|to| !left_out(from) && !left_out(*to));
            kept.collect()
        });
        Self::new(edges.collect())
    }

    pub(crate) fn edges(&self, step: usize) -> &[usize] {
        &self.edges[step]
    }

    /// The same graph with every edge reversed.
    pub(crate) fn reversed(&self) -> Self {
        let mut edges = vec![Vec::new(); self.edges.len()];
        for (from, targets) in self.edges.iter().enumerate() {
            for to in targets {
                edges[*to].push(from);
            }
        }
        Self { edges }
    }

    /// Which steps can be reached from the given ones, themselves included.
    pub(crate) fn reachable(&self, from: impl IntoIterator<Item = usize>) -> Vec<bool> {
        let mut reached = vec![false; self.edges.len()];
        let mut pending: Vec<_> = from.into_iter().collect();
        while let Some(step) = pending.pop() {
            if !std::mem::replace(&mut reached[step], true) {
                pending.extend(self.edges[step].iter().filter(|next| !reached[**next]));
            }
        }
        reached
    }

    /// A shortest way from a step to one that is wanted, both included.
    pub(crate) fn way(&self, from: usize, is_wanted: impl Fn(usize) -> bool) -> Option<Vec<usize>> {
        let mut came_from = vec![None; self.edges.len()];
        let mut pending = std::collections::VecDeque::from([from]);
        while let Some(step) = pending.pop_front() {
            if is_wanted(step) {
                let mut way = vec![step];
                while let Some(before) = came_from[way[way.len() - 1]] {
                    way.push(before);
                }
                way.reverse();
                return Some(way);
            }
            for next in &self.edges[step] {
                if *next != from && came_from[*next].is_none() {
                    came_from[*next] = Some(step);
                    pending.push_back(*next);
                }
            }
        }
        None
    }

    /// The strongly connected components, each after all components it leads to (Tarjan's
    /// algorithm).
    pub(crate) fn components(&self) -> Components {
        const NEW: usize = usize::MAX;
        let count = self.edges.len();
        let (mut order, mut low) = (vec![NEW; count], vec![0; count]);
        let mut of = vec![NEW; count];
        let mut members: Vec<Vec<usize>> = Vec::new();
        let (mut open, mut next_order) = (Vec::new(), 0);
        for root in 0..count {
            if order[root] != NEW {
                continue;
            }
            // The explicit stack holds a step and how many of its edges have been followed.
            let mut path = vec![(root, 0)];
            while let Some((step, followed)) = path.last_mut() {
                let step = *step;
                if *followed == 0 && order[step] == NEW {
                    order[step] = next_order;
                    low[step] = next_order;
                    next_order += 1;
                    open.push(step);
                }
                if let Some(next) = self.edges[step].get(*followed) {
                    *followed += 1;
                    if order[*next] == NEW {
                        path.push((*next, 0));
                    } else if of[*next] == NEW {
                        low[step] = low[step].min(order[*next]);
                    }
                    continue;
                }
                path.pop();
                if let Some((parent, _)) = path.last() {
                    low[*parent] = low[*parent].min(low[step]);
                }
                if low[step] == order[step] {
                    // The step was pushed when it was first seen, and only whole components are
                    // removed.
                    let start = open
                        .iter()
                        .rposition(|member| *member == step)
                        .expect("the step is still open");
                    let mut component = open.split_off(start);
                    component.sort_unstable();
                    for member in &component {
                        of[*member] = members.len();
                    }
                    members.push(component);
                }
            }
        }
        Components { members, of }
    }

    /// A shortest cycle through a step.
    pub(crate) fn cycle_through(&self, start: usize) -> Option<Vec<usize>> {
        let mut came_from = vec![None; self.edges.len()];
        let mut pending = std::collections::VecDeque::from([start]);
        while let Some(step) = pending.pop_front() {
            for next in &self.edges[step] {
                if *next == start {
                    let mut cycle = vec![start];
                    let mut at = step;
                    while at != start {
                        cycle.push(at);
                        at = came_from[at]?;
                    }
                    cycle.push(start);
                    cycle.reverse();
                    return Some(cycle);
                }
                if came_from[*next].is_none() {
                    came_from[*next] = Some(step);
                    pending.push_back(*next);
                }
            }
        }
        None
    }
}

/// The strongly connected components of a graph.
pub(crate) struct Components {
    /// The steps of each component, in the order of declaration.
    pub(crate) members: Vec<Vec<usize>>,
    /// The component of each step.
    pub(crate) of: Vec<usize>,
}

impl Components {
    /// Whether a component has a cycle: several steps, or one that leads to itself.
    pub(crate) fn is_cyclic(&self, component: usize, graph: &Graph) -> bool {
        match self.members[component].as_slice() {
            [only] => graph.edges(*only).contains(only),
            _ => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_come_after_what_they_lead_to() {
        let graph = Graph::new(vec![vec![1], vec![2, 3], vec![1], vec![3], vec![]]);
        let components = graph.components();
        assert_eq!(components.members, [vec![3], vec![1, 2], vec![0], vec![4]]);
        let cyclic: Vec<_> =
            (0..4).map(|component| components.is_cyclic(component, &graph)).collect();
        assert_eq!(cyclic, [true, true, false, false]);
    }

    #[test]
    fn a_cycle_is_a_shortest_one() {
        let graph = Graph::new(vec![vec![1], vec![2, 0], vec![0]]);
        assert_eq!(graph.cycle_through(0), Some(vec![0, 1, 0]));
        assert_eq!(graph.cycle_through(2), Some(vec![2, 0, 1, 2]));
        assert_eq!(Graph::new(vec![vec![]]).cycle_through(0), None);
    }

    #[test]
    fn a_detour_begins_where_a_full_step_can_be_met() {
        // 0 → 1 ⇄ 2, and 1 → 3 once it is full: from 2 alone.
        let graph = Graph::with_detours(
            vec![vec![1], vec![2], vec![1], vec![]],
            &[None, Some(3), None, None],
        );
        assert_eq!([graph.edges(0), graph.edges(2)], [&[1][..], &[1, 3]]);
        // A step that no run visits twice is never full.
        let graph = Graph::with_detours(vec![vec![1], vec![]], &[None, Some(0)]);
        assert_eq!(graph.edges(0), [1]);
        // A detour may lead to another full step, and close the cycle in which that can happen:
        // 1 → 2 → 1, instead of 1 → 3, and 3 → 1, instead of 3 → 0.
        let graph = Graph::with_detours(
            vec![vec![1], vec![2], vec![1], vec![1]],
            &[None, Some(3), None, Some(0)],
        );
        assert_eq!(graph.edges(2), [1, 3, 0]);
        assert_eq!(graph.edges(3), [1, 3, 0]);
    }

    #[test]
    fn a_hundred_thousand_steps_do_not_overflow_the_stack() {
        let count = 100_000;
        let chain = Graph::new((0..count).map(|step| vec![(step + 1) % count]).collect());
        assert_eq!(chain.components().members.len(), 1);
        assert!(chain.reachable([0]).into_iter().all(|reached| reached));
        assert_eq!(chain.cycle_through(0).map(|cycle| cycle.len()), Some(count + 1));
    }
}
