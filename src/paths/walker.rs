//! Walking: one outcome after the other, with the recipe's own position.

use super::error::PathError;
use super::run_path::{PathMove, RunPath};
use crate::{AnyPosition, AnyRecipe, GraphNext, Next, Outline, StepOutline};

/// The most outcomes that are added to a path to reach a limit or an end.
pub(super) const MAX_MOVES: usize = 10_000;

impl RunPath {
    /// The path that takes these outcomes, by their names.
    ///
    /// # Errors
    /// One of them cannot be reported where it is, or the run has ended before it.
    pub fn follow<'o>(
        recipe: &'static dyn AnyRecipe,
        outcomes: impl IntoIterator<Item = &'o str>,
    ) -> Result<Self, PathError> {
        Walker::follow(recipe, outcomes).map(|walker| walker.path)
    }

    /// The path that takes these outcomes, by their names and separated by commas. A comma at the
    /// end is ignored. An empty text is the path of a run that has only begun.
    ///
    /// # Errors
    /// One of them cannot be reported where it is, or the run has ended before it.
    pub fn parse(recipe: &'static dyn AnyRecipe, outcomes: &str) -> Result<Self, PathError> {
        let outcomes = outcomes.trim();
        let names = outcomes.strip_suffix(',').unwrap_or(outcomes).split(',').map(str::trim);
        Self::follow(recipe, names.filter(|_| !outcomes.is_empty()))
    }
}

/// A path that is being walked.
pub(super) struct Walker {
    pub(super) path: RunPath,
    position: Box<dyn AnyPosition>,
}

impl Walker {
    pub(super) fn new(recipe: &'static dyn AnyRecipe) -> Self {
        Self { path: RunPath::begun(recipe), position: recipe.begin(0) }
    }

    pub(super) fn follow<'o>(
        recipe: &'static dyn AnyRecipe,
        outcomes: impl IntoIterator<Item = &'o str>,
    ) -> Result<Self, PathError> {
        let mut walker = Self::new(recipe);
        for outcome in outcomes {
            walker.take(outcome)?;
        }
        Ok(walker)
    }

    /// The recipe of the current step.
    pub(super) fn recipe(&self) -> &'static Outline {
        self.position.recipe()
    }

    /// The step at which the next outcome is reported; `None` after an exit. After a restart it is
    /// the first one of that recipe.
    pub(super) fn enter(&mut self) -> Option<&'static StepOutline> {
        match self.path.end() {
            Next::Step(step) => Some(step),
            Next::Restart(restart) => {
                self.position = restart.recipe.begin(restart.restarts);
                Some(self.position.outline())
            }
            Next::Exit(_) => None,
        }
    }

    /// Takes an outcome of that step.
    pub(super) fn take(&mut self, outcome: &str) -> Result<(), PathError> {
        let Some(step) = self.enter() else {
            return Err(PathError::AfterTheEnd {
                number: self.path.moves().len() + 1,
                outcome: outcome.to_owned(),
                end: GraphNext::from(&self.path.end()).to_string(),
                path: self.path.to_string(),
            });
        };
        let known = step.outcomes.iter().find(|known| known.name == outcome);
        // Only a recipe that is implemented by hand can deny what its outline has.
        let Some((known, next)) = known.zip(self.position.report(outcome).ok()) else {
            return Err(PathError::UnknownOutcome {
                number: self.path.moves().len() + 1,
                outcome: outcome.to_owned(),
                step: step.name,
                possible: step.outcomes.iter().map(|known| known.name).collect(),
                path: self.path.to_string(),
            });
        };
        self.path.add(PathMove { recipe: self.recipe(), step, outcome: known, next });
        Ok(())
    }

    /// Goes on from a step until the run ends, at each step by the outcome that is listed for it.
    pub(super) fn go_on(&mut self, step: &'static StepOutline, onward: &[Option<&'static str>]) {
        let (outline, mut step) = (self.recipe(), step);
        for _ in 0..MAX_MOVES {
            let outcome = outline.index_of(step).and_then(|index| onward[index]);
            if outcome.is_none_or(|outcome| self.take(outcome).is_err()) {
                return;
            }
            match self.path.end() {
                Next::Step(next) => step = next,
                Next::Exit(_) | Next::Restart(_) => return,
            }
        }
    }
}

impl Clone for Walker {
    fn clone(&self) -> Self {
        Self { path: self.path.clone(), position: self.position.duplicate() }
    }
}
