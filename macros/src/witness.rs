//! Searches for a path that contradicts a claim.
//!
//! A state is a step, and whether what the claim needs has been reported. There are two for each
//! step, so the search is linear in steps plus outcomes. A run leaves a step by an outcome, or
//! because a visit has used up a limit, which reports nothing. A step with `max_visits` may be
//! full, so a way that leads to it may also lead where that does.

use std::collections::VecDeque;

use crate::graph::Components;
use crate::resolve::{Goal, Report, Resolved, Step, Target};

/// A path to the goal on which nothing that the claim needs is reported.
pub(crate) struct Witness {
    pub(crate) taken: Vec<Taken>,
    /// Whether it begins at the step that the claim counts from, and not where runs begin.
    pub(crate) after_since: bool,
}

/// A part of the path.
#[derive(Clone)]
pub(crate) struct Taken {
    pub(crate) step: usize,
    pub(crate) way: Way,
    /// The steps that it would have led to, if they had not been full.
    pub(crate) full: Vec<usize>,
}

/// A way out of a step.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    /// The index of the outcome among those of the step.
    Outcome(usize),
    /// The index of the limit among those of the step.
    Limit(usize),
}

impl Way {
    /// The ways out of a step.
    pub(crate) fn all(step: &Step) -> impl Iterator<Item = Self> {
        let limits = (0..step.after_limits.len()).map(Self::Limit);
        (0..step.outcomes.len()).map(Self::Outcome).chain(limits)
    }

    /// Where it leads.
    pub(crate) fn target(self, step: &Step) -> &Target {
        match self {
            Self::Outcome(index) => &step.outcomes[index].target,
            Self::Limit(index) => &step.after_limits[index].1,
        }
    }

    /// Whether the run reports this there.
    pub(crate) fn reports(self, step: usize, needs: &[Report]) -> bool {
        match self {
            Self::Outcome(outcome) => needs.contains(&Report { step, outcome }),
            Self::Limit(_) => false,
        }
    }
}

/// A step, and whether what the claim needs was reported.
type State = (usize, bool);

/// What every search in a recipe uses.
pub(crate) struct Search<'a> {
    recipe: &'a Resolved,
    initial: usize,
    ways: Vec<Vec<(usize, Way)>>,
    components: Components,
}

impl<'a> Search<'a> {
    pub(crate) fn new(recipe: &'a Resolved, initial: usize) -> Self {
        let (ways, components) = (ways(recipe), recipe.certain.components());
        Self { recipe, initial, ways, components }
    }
}

/// The shortest path that contradicts the claim.
pub(crate) fn find(
    search: &Search<'_>,
    goal: &Goal,
    needs: &[Report],
    since: Option<usize>,
) -> Option<Witness> {
    let Search { recipe, initial, ways, components } = search;
    let initial = *initial;
    if *goal == Goal::Step(initial) {
        return Some(Witness { taken: Vec::new(), after_since: false });
    }
    // For each state that was reached: the state before it, and what was taken there.
    let mut came: Vec<[Option<(State, Taken)>; 2]> = vec![[None, None]; recipe.steps.len()];
    let mut pending = VecDeque::from([(initial, false)]);
    while let Some((step, met)) = pending.pop_front() {
        for (written, way) in &ways[step] {
            let met_now = met || way.reports(step, needs);
            let target = way.target(&recipe.steps[*written]);
            for (target, full) in targets(recipe, components, step, target) {
                let taken = Taken { step, way: *way, full };
                if !met_now && goal.is(target) {
                    return Some(trace(&came, initial, since, taken));
                }
                let Some(next) = target.certain_step() else { continue };
                let met_there = met_now && since != Some(next);
                let reached = &mut came[next][usize::from(met_there)];
                if reached.is_none() && (next, met_there) != (initial, false) {
                    *reached = Some(((step, met), taken));
                    pending.push_back((next, met_there));
                }
            }
        }
    }
    None
}

/// Follows the path back to the latest visit of the step that the claim counts from.
fn trace(
    came: &[[Option<(State, Taken)>; 2]],
    initial: usize,
    since: Option<usize>,
    last: Taken,
) -> Witness {
    let mut at = (last.step, false);
    let mut taken = vec![last];
    while since != Some(at.0)
        && at != (initial, false)
        && let Some((before, earlier)) = &came[at.0][usize::from(at.1)]
    {
        taken.push(earlier.clone());
        at = *before;
    }
    taken.reverse();
    Witness { taken, after_since: since == Some(at.0) }
}

/// Where a way out of this step may lead: to its target and, past full steps, to where their
/// limits lead. As in [`Graph::with_detours`](crate::graph::Graph::with_detours), only a step of
/// the same component can be full.
fn targets<'a>(
    recipe: &'a Resolved,
    components: &Components,
    from: usize,
    target: &'a Target,
) -> Vec<(&'a Target, Vec<usize>)> {
    let mut targets = vec![(target, Vec::new())];
    let (mut target, mut full) = (target, Vec::new());
    while let Some(step) = target.certain_step()
        && components.of[step] == components.of[from]
        && !full.contains(&step)
        && let Some(instead) = &recipe.steps[step].when_full
    {
        full.push(step);
        targets.push((instead, full.clone()));
        target = instead;
    }
    targets
}

/// The ways out of each step, by the step that has them in the source; those of a duplicate belong
/// to the first step of that name.
fn ways(recipe: &Resolved) -> Vec<Vec<(usize, Way)>> {
    let mut all = vec![Vec::new(); recipe.steps.len()];
    for (index, step) in recipe.steps.iter().enumerate() {
        let ways = Way::all(step).map(|way| (index, way));
        all[step.duplicate_of.unwrap_or(index)].extend(ways);
    }
    all
}
