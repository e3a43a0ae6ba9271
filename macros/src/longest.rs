//! The longest walk through a recipe.
//!
//! A walk goes through the strongly connected components of the graph, and never returns to one.
//! Within a component, all that counts is the current step and how often each step there was
//! visited. Where those states are few, all of them are looked at, and the longest walk is exact.
//! Where they are many, every step counts as often as its limit allows, which no walk exceeds.

use crate::graph::{Components, Graph};

/// How many states are looked at, in all components together. It bounds the time of a compile, and
/// the same recipe always gets the same answer.
const MAX_STATES: usize = 40_000;

/// A recipe, as far as the length of its walks depends on it.
pub(crate) struct Walks<'a> {
    /// Which steps follow which, with the detours.
    pub(crate) graph: &'a Graph,
    pub(crate) components: &'a Components,
    /// The steps that the outcomes of each step lead to.
    pub(crate) outcomes: &'a [Vec<usize>],
    /// Where a run goes instead of a step that is full.
    pub(crate) detours: &'a [Option<usize>],
    /// How often each step may be visited.
    pub(crate) limits: &'a [u32],
}

/// The longest walk.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Longest {
    /// How many steps it enters.
    pub(crate) steps: u64,
    /// Its steps in the order in which they are first entered, and how often each is. If it is not
    /// exact: the steps of the components on the way, and how often each may be.
    pub(crate) path: Vec<(usize, u32)>,
    /// Whether such a walk exists; otherwise none is longer.
    pub(crate) is_exact: bool,
}

/// What follows in the longest walk from each state of a component.
struct States {
    /// For each member, what one more visit adds to the number of a state.
    strides: Vec<usize>,
    /// By state and member.
    longest: Vec<u64>,
}

/// The place of a walk: the current step, and the number of the state of its component.
#[derive(Clone, Copy)]
struct At {
    step: usize,
    state: usize,
}

impl Walks<'_> {
    /// The longest walk that begins at this step and takes at most so many steps.
    pub(crate) fn longest(&self, initial: usize, max_steps: Option<u32>) -> Longest {
        let count = self.components.members.len();
        let (mut left, mut states) = (MAX_STATES, Vec::with_capacity(count));
        // How long the longest walk is that enters its component at each step.
        let mut entered = vec![0; self.limits.len()];
        // Components come after what they lead to, so what follows a component is known.
        for component in 0..count {
            let members = &self.components.members[component];
            let explored = self.states(component, left);
            if let Some(mut explored) = explored {
                left -= explored.longest.len();
                self.explore(component, &mut explored, &entered);
                for (place, step) in members.iter().enumerate() {
                    entered[*step] =
                        1 + explored.longest[explored.strides[place] * members.len() + place];
                }
                states.push(Some(explored));
            } else {
                let own = members.iter().map(|step| u64::from(self.visits(component, *step)));
                let onward = self.onward(component).map(|step| entered[step]).max();
                let all = own.fold(onward.unwrap_or(0), u64::saturating_add);
                for step in members {
                    entered[*step] = all;
                }
                states.push(None);
            }
        }
        let most = max_steps.map_or(u64::MAX, u64::from);
        let (path, walked) = self.path(initial, most, &states, &entered);
        Longest { steps: entered[initial].min(most), path, is_exact: walked }
    }

    /// A walk of exactly so many steps, if there is a cycle of steps without limits that it can run
    /// around: then only the total ends it.
    pub(crate) fn endless(
        &self,
        initial: usize,
        steps: u32,
        is_limited: impl Fn(usize) -> bool,
    ) -> Option<Longest> {
        // Without detours: nothing on the way there is full.
        let plain = Graph::new(self.outcomes.to_vec());
        let unlimited = plain.without(is_limited);
        let components = unlimited.components();
        let cycles = |step: usize| components.is_cyclic(components.of[step], &unlimited);
        let mut way = plain.way(initial, cycles)?;
        let cycle = unlimited.cycle_through(*way.last()?)?;
        way.truncate(usize::try_from(steps).unwrap_or(usize::MAX));
        let around = &cycle[1..];
        let length = u32::try_from(around.len()).ok()?;
        let left = steps - u32::try_from(way.len()).ok()?;
        let mut path: Vec<_> = way.into_iter().map(|step| (step, 1)).collect();
        for (place, step) in (0..length).zip(around) {
            let times = left / length + u32::from(place < left % length);
            match path.iter_mut().find(|(known, _)| known == step) {
                Some((_, visits)) => *visits += times,
                None if times > 0 => path.push((*step, times)),
                None => {}
            }
        }
        Some(Longest { steps: steps.into(), path, is_exact: true })
    }

    /// How often a step of a component may be entered.
    fn visits(&self, component: usize, step: usize) -> u32 {
        if self.components.is_cyclic(component, self.graph) { self.limits[step] } else { 1 }
    }

    /// The steps of other components that follow a component.
    fn onward(&self, component: usize) -> impl Iterator<Item = usize> {
        let members = self.components.members[component].iter();
        let steps = members.flat_map(|step| self.graph.edges(*step)).copied();
        steps.filter(move |step| self.components.of[*step] != component)
    }

    /// A table for the states of a component; `None` if there are more than `left`.
    fn states(&self, component: usize, left: usize) -> Option<States> {
        let members = &self.components.members[component];
        let (mut strides, mut size) = (Vec::with_capacity(members.len()), 1_usize);
        for step in members {
            strides.push(size);
            let visits = usize::try_from(self.visits(component, *step)).ok()?;
            size = size.checked_mul(visits.checked_add(1)?).filter(|size| *size <= left)?;
        }
        let cells = size.checked_mul(members.len()).filter(|cells| *cells <= left)?;
        Some(States { strides, longest: vec![0; cells] })
    }

    /// Fills the table of a component. A visit leads to a state with a higher number, so what
    /// follows a state is known.
    fn explore(&self, component: usize, states: &mut States, entered: &[u64]) {
        let members = &self.components.members[component];
        for state in (0..states.longest.len() / members.len()).rev() {
            for (place, step) in members.iter().enumerate() {
                let at = At { step: *step, state };
                // A walk has visited the step that it is at.
                if self.visited(at, place, &states.strides) > 0 {
                    let next = self.next(at, states, entered);
                    states.longest[state * members.len() + place] =
                        next.map_or(0, |(_, longest)| longest);
                }
            }
        }
    }

    /// How often the member at this place of the component was visited.
    fn visited(&self, at: At, place: usize, strides: &[usize]) -> usize {
        let component = self.components.of[at.step];
        let member = self.components.members[component][place];
        let above = self.visits(component, member) as usize + 1;
        at.state / strides[place] % above
    }

    /// The next step of the longest walk from here, and how long the walk is from there on; `None`
    /// if every outcome ends it.
    fn next(&self, at: At, states: &States, entered: &[u64]) -> Option<(At, u64)> {
        let component = self.components.of[at.step];
        let members = &self.components.members[component];
        let mut longest: Option<(At, u64)> = None;
        for outcome in &self.outcomes[at.step] {
            let (mut to, mut full) = (Some(*outcome), 0);
            while let Some(step) = to {
                let found = if self.components.of[step] == component {
                    // Members are in order.
                    let place = members.partition_point(|member| *member < step);
                    let visits = self.visits(component, step) as usize;
                    (self.visited(at, place, &states.strides) < visits).then(|| {
                        let state = at.state + states.strides[place];
                        let onward = states.longest[state * members.len() + place];
                        (At { step, state }, 1 + onward)
                    })
                } else {
                    Some((At { step, state: usize::MAX }, entered[step]))
                };
                let Some(found) = found else {
                    // Detours that lead to each other are an error, which must not hang this.
                    full += 1;
                    to = self.detours[step].filter(|_| full <= members.len());
                    continue;
                };
                // Of equally long walks, one that goes on to another component: it may end well.
                let leaves = found.0.state == usize::MAX;
                if longest.is_none_or(|(_, best)| found.1 > best || (found.1 == best && leaves)) {
                    longest = Some(found);
                }
                break;
            }
        }
        longest
    }

    /// The steps of the longest walk, and whether it is one.
    fn path(
        &self,
        initial: usize,
        most: u64,
        states: &[Option<States>],
        entered: &[u64],
    ) -> (Vec<(usize, u32)>, bool) {
        let (mut path, mut places) = (Vec::new(), vec![None; self.limits.len()]);
        let mut visit = |step: usize, times: u32| {
            let place = *places[step].get_or_insert_with(|| {
                path.push((step, 0_u32));
                path.len() - 1
            });
            path[place].1 = path[place].1.saturating_add(times);
        };
        let (mut is_walk, mut taken) = (true, 0_u64);
        let mut next = Some(At { step: initial, state: usize::MAX });
        while let Some(at) = next.filter(|_| taken < most) {
            let component = self.components.of[at.step];
            let members = &self.components.members[component];
            if let Some(states) = &states[component] {
                visit(at.step, 1);
                taken += 1;
                let place = members.partition_point(|member| *member < at.step);
                let is_new = at.state == usize::MAX;
                let at = if is_new { At { state: states.strides[place], ..at } } else { at };
                next = self.next(at, states, entered).map(|(next, _)| next);
            } else {
                is_walk = false;
                for step in members {
                    visit(*step, self.visits(component, *step));
                }
                let onward = self.onward(component).max_by_key(|step| entered[*step]);
                next = onward.map(|step| At { step, state: usize::MAX });
            }
        }
        (path, is_walk)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A recipe of the test: what outcomes lead to, detours and limits.
    struct Case {
        outcomes: Vec<Vec<usize>>,
        detours: Vec<Option<usize>>,
        limits: Vec<u32>,
    }

    impl Case {
        fn longest(&self, max_steps: Option<u32>) -> Longest {
            let graph = Graph::with_detours(self.outcomes.clone(), &self.detours);
            let components = graph.components();
            let Self { outcomes, detours, limits } = self;
            let walks = Walks { graph: &graph, components: &components, outcomes, detours, limits };
            walks.longest(0, max_steps)
        }

        /// The same by trying every walk.
        fn tried(&self, at: usize, visits: &mut [u32], most: u32) -> u32 {
            let mut longest = 0;
            for outcome in &self.outcomes[at] {
                let mut to = Some(*outcome);
                while let Some(step) = to.filter(|_| most > 1) {
                    if visits[step] < self.limits[step] {
                        visits[step] += 1;
                        longest = longest.max(self.tried(step, visits, most - 1));
                        visits[step] -= 1;
                        break;
                    }
                    to = self.detours[step];
                }
            }
            longest + 1
        }
    }

    #[test]
    fn the_longest_walk_is_one() {
        // implement → review ⇄ fix, review → commit
        let case = Case {
            outcomes: vec![vec![1], vec![3, 2], vec![1], vec![]],
            detours: vec![None; 4],
            limits: vec![3; 4],
        };
        let longest = case.longest(None);
        assert_eq!((longest.steps, longest.is_exact), (1 + 3 + 2 + 1, true));
        assert_eq!(longest.path, [(0, 1), (1, 3), (2, 2), (3, 1)]);
        let longest = case.longest(Some(3));
        assert_eq!((longest.steps, longest.path), (3, vec![(0, 1), (1, 1), (2, 1)]));
    }

    #[test]
    fn many_states_are_not_looked_at() {
        // Every step leads to every other one.
        let count = 8;
        let case = Case {
            outcomes: vec![(0..count).collect(); count],
            detours: vec![None; count],
            limits: vec![9; count],
        };
        let longest = case.longest(None);
        assert_eq!((longest.steps, longest.is_exact), (72, false));
        let endless = Case {
            outcomes: vec![vec![0, 1], vec![1]],
            detours: vec![None; 2],
            limits: vec![u32::MAX; 2],
        };
        assert_eq!(endless.longest(None).steps, 2 * u64::from(u32::MAX));
    }

    #[test]
    fn limits_that_lead_to_each_other_do_not_hang() {
        let case = Case {
            outcomes: vec![vec![1], vec![0]],
            detours: vec![Some(1), Some(0)],
            limits: vec![2; 2],
        };
        assert_eq!(case.longest(None).steps, 4);
    }

    #[test]
    fn only_the_total_ends_an_endless_walk() {
        // 0 → 1 → 2 ⇄ 3, and the first two have limits.
        let case = Case {
            outcomes: vec![vec![1], vec![2], vec![3, 1], vec![2]],
            detours: vec![None; 4],
            limits: vec![u32::MAX; 4],
        };
        let graph = Graph::new(case.outcomes.clone());
        let components = graph.components();
        let Case { outcomes, detours, limits } = &case;
        let walks = Walks { graph: &graph, components: &components, outcomes, detours, limits };
        let paths = [
            (2, vec![(0, 1), (1, 1)]),
            (3, vec![(0, 1), (1, 1), (2, 1)]),
            (100, vec![(0, 1), (1, 1), (2, 49), (3, 49)]),
        ];
        for (total, path) in paths {
            let longest = walks.endless(0, total, |step| step < 2).expect("there is a cycle");
            assert_eq!((longest.steps, longest.path), (u64::from(total), path));
        }
        assert_eq!(walks.endless(0, 9, |step| step > 1), None);
    }

    #[test]
    fn it_is_as_long_as_the_longest_of_all_walks() {
        let mut random = 0x2545_F491_4F6C_DD1D_u64;
        let mut below = |limit: usize| {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            usize::try_from(random % limit as u64).expect("it is below a usize")
        };
        for _ in 0..400 {
            let count = 1 + below(5);
            let outcomes: Vec<Vec<_>> =
                (0..count).map(|_| (0..below(4)).map(|_| below(count)).collect()).collect();
            // Detours lead to later steps, so they do not lead to each other in a circle.
            let detours: Vec<_> = (0..count)
                .map(|step| {
                    (below(2) == 0 && step + 1 < count).then(|| step + 1 + below(count - step - 1))
                })
                .collect();
            let limits: Vec<_> = (0..count).map(|_| [1, 2, 2, 3][below(4)]).collect();
            let case = Case { outcomes, detours, limits };
            let total = [u32::MAX, 4][below(2)];
            let mut visits = vec![0; count];
            visits[0] = 1;
            let tried = case.tried(0, &mut visits, total);
            let longest = case.longest(Some(total));
            let words = format!("{:?} {:?} {:?}", case.outcomes, case.detours, case.limits);
            assert_eq!((longest.steps, longest.is_exact), (u64::from(tried), true), "{words}");
            let visits: u32 = longest.path.iter().map(|(_, visits)| visits).sum();
            assert_eq!(visits, tried, "{words}");
        }
    }
}
