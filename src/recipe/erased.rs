//! Recipes and runs behind `dyn`, for code that offers many recipes at once.

use std::fmt;

use super::guardrail::Guardrails;
use super::names::UnknownName;
use super::outline::{Outline, StepOutline};
use super::position::{Next, Position};
use super::recipe_trait::Recipe;
use super::snapshot::{Snapshot, SnapshotError};

/// Any recipe, as a catalog holds it.
///
/// ```
/// use surefire::{AnyRecipe, recipes::RebaseOnMain};
///
/// let recipe: &dyn AnyRecipe = &RebaseOnMain;
/// let position = recipe.begin(0);
/// assert_eq!(position.outline().name, "rebase");
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a recipe",
    note = "a recipe is defined with `surefire::recipe! {{ pub recipe {Self} {{ … }} }}`"
)]
pub trait AnyRecipe: Send + Sync {
    /// The recipe as static data.
    fn outline(&self) -> &'static Outline;

    /// Begins a run in a chain that has restarted so many times (0 for a run of its own).
    fn begin(&self, restarts: u32) -> Box<dyn AnyPosition>;

    /// Goes on where a snapshot was taken.
    ///
    /// # Errors
    /// The snapshot is of another recipe, of another version of this one, or damaged.
    fn resume(&self, snapshot: &Snapshot) -> Result<Box<dyn AnyPosition>, SnapshotError>;
}

impl fmt::Debug for dyn AnyRecipe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Recipe").field(&self.outline().id).finish()
    }
}

impl<R: Recipe> AnyRecipe for R {
    fn outline(&self) -> &'static Outline {
        R::OUTLINE
    }

    fn begin(&self, restarts: u32) -> Box<dyn AnyPosition> {
        Box::new(Position::<R>::begin_after(restarts))
    }

    fn resume(&self, snapshot: &Snapshot) -> Result<Box<dyn AnyPosition>, SnapshotError> {
        Ok(Box::new(Position::<R>::resume(snapshot)?))
    }
}

/// Where a run of any recipe stands; see [`Position`], which is the same with the recipe known.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the position of a run",
    note = "begin one with `AnyRecipe::begin`, or use `Position`"
)]
pub trait AnyPosition: Send + Sync + std::fmt::Debug {
    /// The recipe that is run.
    fn recipe(&self) -> &'static Outline;

    /// All about the present step.
    fn outline(&self) -> &'static StepOutline;

    /// How often the step with this name has been entered; 0 for one the recipe does not have.
    fn visits(&self, step: &str) -> u32;

    /// How many steps the run has taken.
    fn steps(&self) -> u32;

    /// How often the chain this run belongs to has restarted.
    fn restarts(&self) -> u32;

    /// Takes the outcome with this name. Only entering a step moves the position: an exit leaves it where the run ended.
    ///
    /// # Errors
    /// The present step has no such outcome; nothing has changed then.
    fn report(&mut self, outcome: &str) -> Result<Next, UnknownName>;

    /// The same, held against other limits than the recipe's own: see [`Guardrails::raised_by`].
    ///
    /// # Errors
    /// The present step has no such outcome; nothing has changed then.
    fn report_within(&mut self, outcome: &str, limits: &Guardrails) -> Result<Next, UnknownName>;

    /// What is needed to go on later.
    fn snapshot(&self) -> Snapshot;
}

impl<R: Recipe> AnyPosition for Position<R> {
    fn recipe(&self) -> &'static Outline {
        R::OUTLINE
    }

    fn outline(&self) -> &'static StepOutline {
        self.outline()
    }

    fn visits(&self, step: &str) -> u32 {
        let index = R::OUTLINE.steps.iter().position(|known| known.name == step);
        index.map_or(0, |index| self.ledger().visits.as_ref()[index])
    }

    fn steps(&self) -> u32 {
        self.steps()
    }

    fn restarts(&self) -> u32 {
        self.restarts()
    }

    fn report(&mut self, outcome: &str) -> Result<Next, UnknownName> {
        self.report(outcome)
    }

    fn report_within(&mut self, outcome: &str, limits: &Guardrails) -> Result<Next, UnknownName> {
        self.report_within(outcome, limits)
    }

    fn snapshot(&self) -> Snapshot {
        self.snapshot()
    }
}
