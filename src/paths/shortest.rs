//! The shortest paths to all that a recipe has.

use std::collections::{BTreeMap, HashSet};

use super::goal::{self, PathGoal};
use super::onward::{nearest_end, way_back};
use super::run_path::RunPath;
use super::walker::{MAX_MOVES, Walker};
use crate::{AnyRecipe, Next, Outline};

impl dyn AnyRecipe {
    /// Paths that together take all that the recipe has: each outcome, exit and restart by the
    /// shortest way, and each limit that a path can reach. Every path is continued to the nearest
    /// end, and none is the beginning of another. Shorter ones come first.
    ///
    /// An `other` that the author did not write is left out: every step has it, and it ends the
    /// run. A limit is reached by the shortest loop through a step; one that takes more than 10 000
    /// outcomes is left out.
    ///
    /// ```
    /// use surefire::recipes::BUNDLED;
    ///
    /// let paths = BUNDLED.get("review-and-commit").unwrap().paths();
    /// let committed = paths.iter().find(|path| path.outcomes().last() == Some("committed"));
    /// assert_eq!(
    ///     committed.unwrap().to_string(),
    ///     "code-review (no-issues) → commit (committed) → exit changes-committed"
    /// );
    /// ```
    #[must_use]
    pub fn paths(&'static self) -> Vec<RunPath> {
        let found = Search::of(self).found.into_iter();
        let mut walkers: Vec<_> = found.map(|(_, walker)| walker).collect();
        // In this order, a path is followed by one that begins with it, if there is any.
        walkers.sort_by(|one, other| one.path.outcomes().cmp(other.path.outcomes()));
        walkers.dedup_by(|next, kept| {
            let is_longer = next.path.begins_with(&kept.path);
            if is_longer {
                std::mem::swap(next, kept);
            }
            is_longer
        });
        let onward = nearest_end(self.outline());
        let go_on = |mut walker: Walker| {
            if let Next::Step(step) = walker.path.end() {
                walker.go_on(step, &onward);
            }
            walker.path
        };
        let mut paths: Vec<_> = walkers.into_iter().map(go_on).collect();
        paths.sort_by_key(|path| path.moves().len());
        paths
    }
}

/// The shortest path to each goal, the shortest first.
pub(super) struct Search {
    found: Vec<(PathGoal, Walker)>,
}

/// As in Dijkstra's algorithm, the shortest candidate is looked at next.
///
/// A path that visits no step twice reaches no limit of visits, so it is enough to go on from each
/// step by the first path that enters it; where that is too long for the total, every other one is.
/// A limit takes a loop: to be refused a step that may be visited `n` times, a path has to return
/// to it `n` times. The shortest way there and `n` times the shortest way around is the shortest
/// such path, unless another limit is reached before.
impl Search {
    pub(super) fn of(recipe: &'static dyn AnyRecipe) -> Self {
        let outline = recipe.outline();
        let mut candidates = Candidates::default();
        let (mut found, mut known) = (Vec::new(), HashSet::new());
        let mut entered = HashSet::from([outline.initial]);
        candidates.go_on(&Walker::new(recipe), outline, outline.initial);
        while let Some((_, walker)) = candidates.waiting.pop_first() {
            let Some(last) = walker.path.moves().last() else { continue };
            for goal in goal::taken(last) {
                if known.insert(goal) {
                    found.push((goal, walker.clone()));
                }
            }
            match &last.next {
                Next::Step(step) => {
                    let index = outline.index_of(step).filter(|index| entered.insert(*index));
                    if let Some(index) = index {
                        candidates.go_on(&walker, outline, index);
                    }
                }
                Next::Restart(restart) if restart.recipe.outline().id == outline.id => {
                    candidates.restart_again(walker);
                }
                Next::Restart(_) | Next::Exit(_) => {}
            }
        }
        Self { found }
    }

    /// The limits that a path can reach.
    pub(super) fn limits(&self) -> impl Iterator<Item = PathGoal> + '_ {
        self.found.iter().map(|(goal, _)| *goal).filter(|goal| match goal {
            PathGoal::Guardrail(_) | PathGoal::StepLimit(_) => true,
            PathGoal::Outcome { .. } | PathGoal::Exit(_) | PathGoal::Restart(_) => false,
        })
    }
}

/// Paths to look at, by their length and then in the order in which they were added.
#[derive(Default)]
struct Candidates {
    waiting: BTreeMap<(usize, usize), Walker>,
    added: usize,
}

impl Candidates {
    fn add(&mut self, walker: Walker) {
        self.added += 1;
        self.waiting.insert((walker.path.moves().len(), self.added), walker);
    }

    /// Adds the paths that go on from this step: by each of its outcomes, and around until a limit
    /// is reached.
    fn go_on(&mut self, walker: &Walker, outline: &'static Outline, step: usize) {
        for outcome in outline.drawn_outcomes(&outline.steps[step]) {
            let mut further = walker.clone();
            if further.take(outcome.name).is_ok() {
                self.add(further);
            }
        }
        let way = way_back(outline, step);
        let mut around = walker.clone();
        for (outcome, next) in way.iter().cycle().take(MAX_MOVES) {
            let taken = around.take(outcome);
            let entered = match around.path.end() {
                Next::Step(step) => Some(step.name),
                Next::Exit(_) | Next::Restart(_) => None,
            };
            if taken.is_err() || entered != Some(*next) {
                return self.add(around);
            }
        }
    }

    /// Adds the path that restarts again and again, until a chain may not be longer.
    fn restart_again(&mut self, mut walker: Walker) {
        let outcomes: Vec<_> = walker.path.outcomes().collect();
        for outcome in outcomes.iter().cycle().take(MAX_MOVES) {
            if walker.take(outcome).is_err() {
                return;
            }
            if let Next::Exit(_) = walker.path.end() {
                return self.add(walker);
            }
        }
    }
}
