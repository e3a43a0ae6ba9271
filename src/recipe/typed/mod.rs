//! The trait that `recipe!` implements, and the position of a run in such a recipe.
//!
//! Both are in one file because each needs the other: a position belongs to a recipe, and a recipe
//! turns its positions into typed runs.

mod carry_over;
mod erase;
mod resume;

use std::fmt;

use super::erased::{
    AnyRecipe, AnyRestart, Next, NextOutline, OutcomeOutline, Outline, StepOutline,
};
use super::exit::Exit;
use super::guardrail::{Guardrails, within_step};
use super::ledger::{Ledger, Visits};
use super::step_limits::WhenFull;
use super::wire_enum::{UnknownName, WireEnum};

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
        <R::Step as strum::VariantArray>::VARIANTS[self.step]
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

    /// Takes the outcome at this index of the step's [`outcomes`](StepOutline::outcomes); `None` if
    /// the index is out of range.
    ///
    /// Only entering a step moves the position: an exit or a restart leaves it where the run ended.
    #[inline]
    pub fn take(&mut self, outcome: usize) -> Option<Next> {
        let outcome = self.outline().outcomes.get(outcome)?;
        Some(self.follow(outcome, &R::OUTLINE.guardrails))
    }

    /// Takes the outcome with this name. As with [`take`](Self::take), only entering a step moves
    /// the position.
    ///
    /// # Errors
    /// The current step has no such outcome; the position is then unchanged.
    #[inline]
    pub fn report(&mut self, outcome: &str) -> Result<Next, UnknownName> {
        self.report_within(outcome, &R::OUTLINE.guardrails)
    }

    /// Like [`report`](Self::report), with other limits than the recipe's own: see
    /// [`Guardrails::raised_by`].
    ///
    /// # Errors
    /// The current step has no such outcome; the position is then unchanged.
    #[inline]
    pub fn report_within(
        &mut self,
        outcome: &str,
        limits: &Guardrails,
    ) -> Result<Next, UnknownName> {
        match self.outline().outcomes.iter().find(|known| known.name == outcome) {
            Some(known) => Ok(self.follow(known, limits)),
            None => Err(self.unknown(outcome)),
        }
    }

    /// The same run in its typed form, as an enum over the steps.
    #[must_use]
    pub fn typed(self) -> R::AnyStep {
        R::any_step(self)
    }

    #[inline]
    fn follow(&mut self, outcome: &'static OutcomeOutline, limits: &Guardrails) -> Next {
        match outcome.next {
            NextOutline::Step(index) => {
                let step = &R::OUTLINE.steps[index];
                if step.limits.max_visits.is_some() {
                    return self.enter_limited(index, limits);
                }
                match self.ledger.enter(index, &step.name, limits) {
                    Ok(()) => {
                        self.step = index;
                        Next::Step(step)
                    }
                    Err(exit) => Next::Exit(exit),
                }
            }
            NextOutline::Exit(reason) => Next::Exit(Exit::at(reason)),
            NextOutline::Restart { recipe, .. } => {
                match self.ledger.restart(&self.outline().name, limits) {
                    Ok(restarts) => Next::Restart(AnyRestart { recipe, restarts }),
                    Err(exit) => Next::Exit(exit),
                }
            }
        }
    }

    /// Enters a step with a limit of its own, or goes where that leads.
    fn enter_limited(&mut self, index: usize, limits: &Guardrails) -> Next {
        let mut index = index;
        // Limits do not lead to each other in a circle, so this ends.
        loop {
            let step = &R::OUTLINE.steps[index];
            let own = step.limits.max_visits.map(|visits| within_step(*limits, visits));
            let limits = own.as_ref().unwrap_or(limits);
            let is_full = own
                .and_then(|own| own.max_step_visits)
                .is_some_and(|visits| self.ledger.is_full(index, visits));
            match step.limits.when_full.filter(|_| is_full) {
                Some(WhenFull::Step(other)) => index = other,
                Some(WhenFull::Exit(reason)) => return Next::Exit(Exit::at(reason)),
                None => {
                    return match self.ledger.enter(index, &step.name, limits) {
                        Ok(()) => {
                            self.step = index;
                            Next::Step(step)
                        }
                        Err(exit) => Next::Exit(exit),
                    };
                }
            }
        }
    }

    #[cold]
    fn unknown(&self, outcome: &str) -> UnknownName {
        let expected = self.outline().outcomes.iter().map(|known| known.name).collect();
        UnknownName { kind: "outcome", name: outcome.to_owned(), expected }
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
