//! Implements the `dyn` traits for every recipe and every position.

use super::{Position, Recipe};
use crate::recipe::erased::{AnyPosition, AnyRecipe, Next, Outline, StepOutline};
use crate::recipe::graph::RecipeGraph;
use crate::recipe::guardrail::Guardrails;
use crate::recipe::sealed::Sealed;
use crate::recipe::snapshot::{Snapshot, SnapshotError};
use crate::recipe::step_limits::VisitLimit;
use crate::recipe::wire_enum::UnknownName;

impl<R: Recipe> Sealed for R {}

impl<R: Recipe> AnyRecipe for R {
    fn outline(&self) -> &'static Outline {
        R::OUTLINE
    }

    fn begin(&self, restarts: u32) -> Box<dyn AnyPosition> {
        Box::new(Position::<R>::begin_after(restarts))
    }

    fn resume_within(
        &self,
        snapshot: &Snapshot,
        limits: &Guardrails,
    ) -> Result<Box<dyn AnyPosition>, SnapshotError> {
        Ok(Box::new(Position::<R>::resume_within(snapshot, limits)?))
    }

    fn carry_over(
        &self,
        snapshot: &Snapshot,
        from: &RecipeGraph,
    ) -> Result<Box<dyn AnyPosition>, SnapshotError> {
        Ok(Box::new(Position::<R>::carry_over(snapshot, from)?))
    }
}

impl<R: Recipe> Sealed for Position<R> {}

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

    fn exceed_within(&mut self, limit: VisitLimit, limits: &Guardrails) -> Option<Next> {
        self.exceed_within(limit, limits)
    }

    fn duplicate(&self) -> Box<dyn AnyPosition> {
        Box::new(self.clone())
    }

    fn snapshot(&self) -> Snapshot {
        self.snapshot()
    }
}
