//! Implements the `dyn` traits for every recipe and every position.

use super::{Position, Recipe};
use crate::recipe::erased::{AnyPosition, AnyRecipe, Next, Outline, StepOutline};
use crate::recipe::guardrail::Guardrails;
use crate::recipe::snapshot::{Snapshot, SnapshotError};
use crate::recipe::wire_enum::UnknownName;

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
