//! The trait that `recipe!` implements, and the position of a run in such a recipe.
//!
//! Both are in one file because each needs the other: a position belongs to a recipe, and a recipe
//! turns its positions into typed runs.

mod carry_over;
mod erase;
mod follow;
mod resume;

use std::fmt;

use super::erased::{AnyRecipe, Outline, StepOutline};
use super::leads_to::LeadsTo;
use super::ledger::{Ledger, Visits};
use super::registry::AnyReason;
use super::wire_enum::WireEnum;

/// A recipe: steps, outcomes and where they lead, checked at compile time.
///
/// [`recipe!`](crate::recipe!) implements it; never implement it by hand. Use it as a bound in
/// code that works with any recipe:
///
/// ```
/// use surefire::{Recipe, recipes::RebaseOnMain};
///
/// fn headline<R: Recipe>() -> String {
///     format!("{}, at most {} steps", R::OUTLINE.label, R::OUTLINE.max_steps)
/// }
///
/// assert_eq!(headline::<RebaseOnMain>(), "Rebase, at most 7 steps");
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a recipe",
    label = "not defined with `recipe!`",
    note = "a recipe is defined with `surefire::recipe! {{ pub recipe {Self} {{ … }} }}`"
)]
pub trait Recipe: Copy + Send + Sync + 'static {
    /// The enum of its steps.
    type Step: WireEnum;

    /// The typed run at its first step: `At<FirstStep>`.
    type Start;

    /// The typed run at any step, as an enum.
    type AnyStep;

    #[doc(hidden)]
    type Visits: Visits;

    /// The name on the wire and on the command line.
    const ID: &'static str;

    /// The recipe as static data.
    const OUTLINE: &'static Outline;

    /// The recipe behind `dyn`.
    const ANY: &'static dyn AnyRecipe;

    /// Begins a run in a chain with this many restarts so far.
    fn begin_after(restarts: u32) -> Self::Start;

    #[doc(hidden)]
    fn any_step(position: Position<Self>) -> Self::AnyStep;

    /// The reason of each outcome that exits.
    #[doc(hidden)]
    const EXITS: &'static [AnyReason];

    /// Where a step's outcome leads, both by index.
    #[doc(hidden)]
    fn leads_to(step: usize, outcome: usize) -> LeadsTo;

    /// The index of a step's outcome with this name.
    #[doc(hidden)]
    fn outcome_index(step: usize, name: &str) -> Option<usize>;
}

/// The current step of a run of `R`, and how often the run has entered each step.
///
/// It is the same run as the typed `At<Step>`, for code that gets the outcome at run time: both
/// count in the same ledger, and each converts into the other without loss.
///
/// ```
/// use surefire::recipes::ImplementAndReview;
/// use surefire::{Next, Position};
///
/// let mut position = Position::<ImplementAndReview>::begin();
/// assert!(matches!(position.report("complete")?, Next::Step(step) if step.name == "code-review"));
/// assert!(matches!(position.report("no-issues")?, Next::Step(step) if step.name == "commit"));
/// let Next::Exit(exit) = position.report("committed")? else { unreachable!() };
/// assert_eq!(exit.code(), "task-committed");
///
/// let error = position.report("complete").unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "unknown outcome `complete`, expected one of: committed, nothing-to-commit, other"
/// );
/// # Ok::<(), surefire::UnknownName>(())
/// ```
pub struct Position<R: Recipe> {
    step: usize,
    ledger: Ledger<R::Visits>,
}

impl<R: Recipe> Position<R> {
    /// The position of a run that has just begun.
    #[must_use]
    pub fn begin() -> Self {
        Self::begin_after(0)
    }

    /// Like [`begin`](Self::begin), in a chain with this many restarts so far.
    #[must_use]
    pub fn begin_after(restarts: u32) -> Self {
        Self { step: R::OUTLINE.initial, ledger: Ledger::begun(R::OUTLINE.initial, restarts) }
    }

    pub(crate) const fn new(step: usize, ledger: Ledger<R::Visits>) -> Self {
        Self { step, ledger }
    }

    pub(crate) const fn ledger(&self) -> &Ledger<R::Visits> {
        &self.ledger
    }

    pub(crate) const fn step_index(&self) -> usize {
        self.step
    }

    /// The current step.
    #[must_use]
    #[inline]
    pub fn step(&self) -> R::Step {
        R::Step::ALL[self.step]
    }

    /// The outline of the current step: its prompt, its outcomes.
    #[must_use]
    #[inline]
    pub fn outline(&self) -> &'static StepOutline {
        &R::OUTLINE.steps[self.step]
    }

    /// How often a step has been entered.
    #[must_use]
    pub fn visits(&self, step: R::Step) -> u32 {
        self.ledger.visits.as_ref()[step.index()]
    }

    /// How many steps the run has taken, including the current one.
    #[must_use]
    pub const fn steps(&self) -> u32 {
        self.ledger.steps
    }

    /// How often the chain this run belongs to has restarted.
    #[must_use]
    pub const fn restarts(&self) -> u32 {
        self.ledger.restarts
    }

    /// The same run in its typed form, as an enum over the steps.
    #[must_use]
    pub fn typed(self) -> R::AnyStep {
        R::any_step(self)
    }
}

// Derives would require the traits of `R`, which is only a marker type.
impl<R: Recipe> Clone for Position<R> {
    fn clone(&self) -> Self {
        Self { step: self.step, ledger: self.ledger }
    }
}

impl<R: Recipe> PartialEq for Position<R> {
    fn eq(&self, other: &Self) -> bool {
        self.step == other.step && self.ledger == other.ledger
    }
}

impl<R: Recipe> Eq for Position<R> {}

impl<R: Recipe> fmt::Debug for Position<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Position")
            .field("recipe", &R::OUTLINE.id)
            .field("step", &self.outline().name)
            .field("steps", &self.steps())
            .field("restarts", &self.restarts())
            .finish()
    }
}
