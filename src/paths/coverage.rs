//! What a set of paths has taken of a recipe, and what not.

use std::collections::HashSet;
use std::fmt;

use super::goal::{self, PathGoal};
use super::run_path::RunPath;
use super::shortest::Search;
use crate::{AnyRecipe, Outline};

/// What paths have taken of a recipe: its outcomes, exits, restarts and limits.
///
/// ```
/// use surefire::paths::{Coverage, PathGoal, RunPath};
/// use surefire::recipes::ReviewAndCommit;
///
/// let mut coverage = Coverage::of(&ReviewAndCommit);
/// coverage.add(&RunPath::parse(&ReviewAndCommit, "no-issues, committed")?);
/// assert!(coverage.missing().any(|goal| goal == PathGoal::Exit("no-changes-to-commit")));
/// assert!(!coverage.is_complete());
///
/// // The paths that the library finds take everything.
/// coverage.extend(ReviewAndCommit::paths());
/// assert!(coverage.is_complete(), "{coverage}");
/// # Ok::<_, surefire::paths::PathError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Coverage {
    recipe: &'static Outline,
    goals: Vec<PathGoal>,
    taken: HashSet<PathGoal>,
}

impl Coverage {
    /// Nothing of this recipe is taken yet.
    ///
    /// What there is to take are all outcomes that its author wrote, the exits and restarts that
    /// these and the limits of steps lead to, and the limits that a path reaches:
    /// [`paths`](trait@AnyRecipe#method.paths) has one for each.
    #[must_use]
    pub fn of(recipe: &'static dyn AnyRecipe) -> Self {
        let mut goals = goal::mapped(recipe.outline());
        goals.extend(Search::of(recipe).limits());
        Self { recipe: recipe.outline(), goals, taken: HashSet::new() }
    }

    /// Adds what a path takes. Its steps in other recipes, after a restart, do not count.
    pub fn add(&mut self, path: &RunPath) {
        let own = path.moves().iter().filter(|it| it.recipe.id == self.recipe.id);
        self.taken.extend(own.flat_map(goal::taken));
    }

    /// All that there is to take, in the order of the recipe.
    #[must_use]
    pub fn goals(&self) -> &[PathGoal] {
        &self.goals
    }

    /// What no path has taken.
    pub fn missing(&self) -> impl Iterator<Item = PathGoal> + '_ {
        self.goals.iter().copied().filter(|goal| !self.taken.contains(goal))
    }

    /// Whether everything is taken.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.missing().next().is_none()
    }
}

impl Extend<RunPath> for Coverage {
    fn extend<P: IntoIterator<Item = RunPath>>(&mut self, paths: P) {
        paths.into_iter().for_each(|path| self.add(&path));
    }
}

/// `5 of 7 taken; never: issues-found at code-review, exit task-committed`
impl fmt::Display for Coverage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let missing: Vec<_> = self.missing().map(|goal| goal.to_string()).collect();
        let all = self.goals.len();
        write!(f, "{} of {all} taken", all - missing.len())?;
        if missing.is_empty() { Ok(()) } else { write!(f, "; never: {}", missing.join(", ")) }
    }
}
