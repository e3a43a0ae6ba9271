//! Whether a run can have entered each step as often as a snapshot says.
//!
//! An exact answer would take exponential time: where every step was entered once, the question is
//! whether the graph has a Hamiltonian path. These rules are linear in steps and transitions. They
//! accept whatever a run can reach, and refuse what contradicts the order of the steps, or the
//! number of times that their neighbours were left and entered.

use super::erased::Outline;
use super::snapshot::SnapshotError;

/// Checks the visits of a run that is at the step `current`. Both that step and the first one were
/// entered.
pub(super) fn check(
    outline: &'static Outline,
    visits: &[u32],
    current: usize,
) -> Result<(), SnapshotError> {
    let walk = Walk::new(outline, visits, current);
    walk.is_connected()?;
    walk.has_an_order()?;
    walk.counts_fit()
}

/// The steps that were entered, and the transitions between them.
struct Walk<'a> {
    outline: &'static Outline,
    visits: &'a [u32],
    current: usize,
    onward: Vec<Vec<usize>>,
    back: Vec<Vec<usize>>,
    /// The steps that the first one leads to, those of earlier components first.
    order: Vec<usize>,
    /// For each step, the index of its component: the steps that a cycle connects. Components are
    /// numbered in the order in which a run passes them.
    component: Vec<usize>,
    /// The number of steps in each component.
    sizes: Vec<usize>,
}

impl<'a> Walk<'a> {
    fn new(outline: &'static Outline, visits: &'a [u32], current: usize) -> Self {
        let (mut onward, mut back) =
            (vec![Vec::new(); visits.len()], vec![Vec::new(); visits.len()]);
        for (step, _) in entered(visits) {
            for next in outline.followers(step).filter(|next| visits[*next] > 0) {
                onward[step].push(next);
                back[next].push(step);
            }
        }
        // Kosaraju's algorithm: in reverse postorder, each search against the transitions finds
        // one component.
        let mut order = Vec::new();
        let mut seen = vec![false; visits.len()];
        search(outline.initial, &onward, &mut seen, &mut order);
        order.reverse();
        let (mut component, mut sizes) = (vec![usize::MAX; visits.len()], Vec::new());
        let mut seen = vec![false; visits.len()];
        for step in order.iter().copied() {
            let mut members = Vec::new();
            search(step, &back, &mut seen, &mut members);
            for member in &members {
                component[*member] = sizes.len();
            }
            if !members.is_empty() {
                sizes.push(members.len());
            }
        }
        Self { outline, visits, current, onward, back, order, component, sizes }
    }

    /// The first step leads to every step that was entered, and each of those to the current one.
    fn is_connected(&self) -> Result<(), SnapshotError> {
        let reached = self.reached(self.outline.initial, &self.onward);
        if let Some((step, _)) = entered(self.visits).find(|(step, _)| !reached[*step]) {
            return Err(SnapshotError::NoWayTo { step: self.name(step) });
        }
        let leads_on = self.reached(self.current, &self.back);
        if let Some((step, _)) = entered(self.visits).find(|(step, _)| !leads_on[*step]) {
            let (step, current) = (self.name(step), self.name(self.current));
            return Err(SnapshotError::NoWayOn { step, current });
        }
        Ok(())
    }

    /// A run passes its components one after the other, so each leads to the next.
    fn has_an_order(&self) -> Result<(), SnapshotError> {
        let mut linked = vec![false; self.sizes.len()];
        for step in &self.order {
            for next in &self.onward[*step] {
                linked[self.component[*step]] |= self.component[*next] == self.component[*step] + 1;
            }
        }
        let of = |component| self.order.iter().find(|step| self.component[**step] == component);
        for (component, _) in linked.iter().enumerate().filter(|(_, linked)| !**linked) {
            if let (Some(one), Some(other)) = (of(component), of(component + 1)) {
                let (one, other) = (self.name(*one), self.name(*other));
                return Err(SnapshotError::NeverBoth { one, other });
            }
        }
        Ok(())
    }

    /// A step is entered once for each time that a step before it is left for it, and left once for
    /// each time that a step after it is entered. Inside of a component that holds for every visit
    /// but two: one step is entered from the component before, and one is left for the next.
    fn counts_fit(&self) -> Result<(), SnapshotError> {
        let (first, last) = (self.first(), self.last());
        for (step, visits) in entered(self.visits) {
            if self.sizes[self.component[step]] == 1
                && visits > 1
                && !self.onward[step].contains(&step)
            {
                return Err(SnapshotError::NeverAgain { step: self.name(step), visits });
            }
            let most = self.transitions(step, &self.back, &last) + u64::from(first.may(step));
            if u64::from(visits) > most {
                return Err(SnapshotError::EnteredTooOften { step: self.name(step), visits, most });
            }
            let most = self.transitions(step, &self.onward, &first) + u64::from(last.may(step));
            if u64::from(visits) > most {
                // The run is still at its current step.
                let [left, most] =
                    [u64::from(visits), most].map(|n| n - u64::from(step == self.current));
                return Err(SnapshotError::LeftTooOften { step: self.name(step), left, most });
            }
        }
        Ok(())
    }

    /// How many transitions between a step and its neighbours in the component there can be.
    fn transitions(&self, step: usize, edges: &[Vec<usize>], ends: &Ends) -> u64 {
        let mut near = edges[step].clone();
        near.retain(|other| self.component[*other] == self.component[step]);
        near.sort_unstable();
        near.dedup();
        let count =
            |other: usize| u64::from(self.visits[other]) - u64::from(ends.must(self, other));
        near.into_iter().map(count).sum()
    }

    /// The steps at which a run can enter their component from the one before, or begins.
    fn first(&self) -> Ends {
        self.ends(self.outline.initial, &self.back, |step, before| before + 1 == step)
    }

    /// The steps at which a run can leave their component for the next one, or is.
    fn last(&self) -> Ends {
        self.ends(self.current, &self.onward, |step, next| step + 1 == next)
    }

    fn ends(
        &self,
        end: usize,
        edges: &[Vec<usize>],
        is_next: impl Fn(usize, usize) -> bool,
    ) -> Ends {
        let crosses = |step: usize| {
            let mut neighbours = edges[step].iter();
            neighbours.any(|other| is_next(self.component[step], self.component[*other]))
        };
        let candidates: Vec<_> = (0..self.visits.len())
            .map(|step| self.visits[step] > 0 && (step == end || crosses(step)))
            .collect();
        let mut count = vec![0; self.sizes.len()];
        for (step, _) in entered(self.visits).filter(|(step, _)| candidates[*step]) {
            count[self.component[step]] += 1;
        }
        Ends { candidates, count }
    }

    fn reached(&self, from: usize, edges: &[Vec<usize>]) -> Vec<bool> {
        let mut seen = vec![false; self.visits.len()];
        search(from, edges, &mut seen, &mut Vec::new());
        seen
    }

    fn name(&self, step: usize) -> &'static str {
        self.outline.steps[step].name
    }
}

/// Where a run can enter each component, or leave it.
struct Ends {
    candidates: Vec<bool>,
    /// How many candidates each component has.
    count: Vec<usize>,
}

impl Ends {
    fn may(&self, step: usize) -> bool {
        self.candidates[step]
    }

    fn must(&self, walk: &Walk<'_>, step: usize) -> bool {
        self.candidates[step] && self.count[walk.component[step]] == 1
    }
}

fn entered(visits: &[u32]) -> impl Iterator<Item = (usize, u32)> {
    visits.iter().copied().enumerate().filter(|(_, visits)| *visits > 0)
}

/// Adds all steps that are reached and not seen yet, each after those that it leads to. It does not
/// recurse, because a recipe may have thousands of steps in a row.
fn search(from: usize, edges: &[Vec<usize>], seen: &mut [bool], postorder: &mut Vec<usize>) {
    if std::mem::replace(&mut seen[from], true) {
        return;
    }
    let mut path = vec![(from, edges[from].iter())];
    while let Some((step, rest)) = path.last_mut() {
        match rest.next() {
            Some(next) if !std::mem::replace(&mut seen[*next], true) => {
                path.push((*next, edges[*next].iter()));
            }
            Some(_) => {}
            None => {
                postorder.push(*step);
                path.pop();
            }
        }
    }
}
