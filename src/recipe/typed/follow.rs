//! Takes an outcome: asks the generated code where it leads, and counts the entry.

use super::{Position, Recipe};
use crate::recipe::erased::{AnyRecipe, AnyRestart, Next};
use crate::recipe::exit::Exit;
use crate::recipe::guardrail::{Guardrails, within_step};
use crate::recipe::leads_to::LeadsTo;
use crate::recipe::step_limits::{AfterLimit, VisitLimit};
use crate::recipe::wire_enum::UnknownName;

impl<R: Recipe> Position<R> {
    /// Takes the outcome at this index of the step's [`outcomes`](crate::StepOutline::outcomes);
    /// `None` if the index is out of range.
    ///
    /// Only entering a step moves the position: an exit or a restart leaves it where the run ended.
    #[inline]
    pub fn take(&mut self, outcome: usize) -> Option<Next> {
        self.follow(outcome, &R::OUTLINE.guardrails)
    }

    /// Takes the outcome with this name. As with [`take`](Self::take), only entering a step moves
    /// the position.
    ///
    /// # Errors
    /// The current step has no such outcome; the position is then unchanged.
    #[expect(clippy::inline_always, reason = "otherwise its result is passed through memory")]
    #[inline(always)]
    pub fn report(&mut self, outcome: &str) -> Result<Next, UnknownName> {
        self.report_within(outcome, &R::OUTLINE.guardrails)
    }

    /// Like [`report`](Self::report), with other limits than the recipe's own: see
    /// [`Guardrails::raised_by`].
    ///
    /// # Errors
    /// The current step has no such outcome; the position is then unchanged.
    #[expect(clippy::inline_always, reason = "otherwise its result is passed through memory")]
    #[inline(always)]
    pub fn report_within(
        &mut self,
        outcome: &str,
        limits: &Guardrails,
    ) -> Result<Next, UnknownName> {
        let Some(index) = R::outcome_index(self.step, outcome) else {
            return Err(self.unknown(outcome));
        };
        match self.follow(index, limits) {
            Some(next) => Ok(next),
            None => Err(self.unknown(outcome)),
        }
    }

    /// Leaves the current step because its visit has used up this limit; `None` if that leads
    /// nowhere.
    ///
    /// A position counts visits and steps. Time, retries and cost are known to the code that takes
    /// the turns, which decides when a limit is used up.
    pub fn exceed(&mut self, limit: VisitLimit) -> Option<Next> {
        self.exceed_within(limit, &R::OUTLINE.guardrails)
    }

    /// Like [`exceed`](Self::exceed), with other guardrails than the recipe's own: see
    /// [`Guardrails::raised_by`].
    pub fn exceed_within(&mut self, limit: VisitLimit, limits: &Guardrails) -> Option<Next> {
        Some(match self.outline().limits.after(limit)? {
            AfterLimit::Step(index) => self.enter_limited(index, limits),
            AfterLimit::Exit(reason) => Next::Exit(Exit::at(reason)),
        })
    }

    #[inline]
    fn follow(&mut self, outcome: usize, limits: &Guardrails) -> Option<Next> {
        match R::leads_to(self.step, outcome) {
            LeadsTo::Step(index) => Some(self.enter(index, limits)),
            LeadsTo::LimitedStep(index) => Some(self.enter_limited(index, limits)),
            LeadsTo::Exit(index) => Some(Next::Exit(Exit::at(R::EXITS[index]))),
            LeadsTo::Restart(recipe) => Some(self.restart(recipe, limits)),
            LeadsTo::Nowhere => None,
        }
    }

    #[inline]
    fn enter(&mut self, index: usize, limits: &Guardrails) -> Next {
        let step = &R::OUTLINE.steps[index];
        match self.ledger.enter(index, &step.name, limits) {
            Ok(()) => {
                self.step = index;
                Next::Step(step)
            }
            Err(tripped) => Next::Exit(tripped.into()),
        }
    }

    /// Enters a step that may have a limit of its own, or goes where that leads.
    fn enter_limited(&mut self, index: usize, limits: &Guardrails) -> Next {
        let mut index = index;
        // Limits do not lead to each other in a circle, so this ends.
        loop {
            let step = &R::OUTLINE.steps[index];
            let own = step.limits.max_visits.map(|visits| within_step(*limits, visits));
            let is_full = own
                .and_then(|own| own.max_step_visits)
                .is_some_and(|visits| self.ledger.is_full(index, visits));
            match step.limits.when_full.filter(|_| is_full) {
                Some(AfterLimit::Step(other)) => index = other,
                Some(AfterLimit::Exit(reason)) => return Next::Exit(Exit::at(reason)),
                None => return self.enter(index, own.as_ref().unwrap_or(limits)),
            }
        }
    }

    fn restart(&self, recipe: &'static dyn AnyRecipe, limits: &Guardrails) -> Next {
        match self.ledger.restart(&self.outline().name, limits) {
            Ok(restarts) => Next::Restart(AnyRestart { recipe, restarts }),
            Err(tripped) => Next::Exit(tripped.into()),
        }
    }

    #[cold]
    fn unknown(&self, outcome: &str) -> UnknownName {
        let expected = self.outline().outcomes.iter().map(|known| known.name).collect();
        UnknownName::new("outcome", outcome, expected)
    }
}
