//! Converts a position into a snapshot, and back.

use super::{Position, Recipe};
use crate::recipe::erased::Outline;
use crate::recipe::guardrail::{Guardrails, within_step};
use crate::recipe::ledger::{Ledger, Visits};
use crate::recipe::snapshot::{Snapshot, SnapshotError};
use crate::recipe::walk;
use crate::recipe::wire_enum::WireEnum;

impl<R: Recipe> Position<R> {
    /// A snapshot, from which the run can be resumed later.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        let outline = R::OUTLINE;
        let visits = outline.steps.iter().zip(self.ledger().visits.as_ref());
        Snapshot {
            recipe: outline.id.to_owned(),
            fingerprint: outline.fingerprint.to_string(),
            step: self.outline().name.to_owned(),
            visits: visits
                .filter(|(_, n)| **n > 0)
                .map(|(step, n)| (step.name.to_owned(), *n))
                .collect(),
            steps: self.steps(),
            restarts: self.restarts(),
        }
    }

    /// Resumes a run from a snapshot, within the recipe's own limits.
    ///
    /// # Errors
    /// The snapshot is of another recipe, of another version of this one, or no run can have taken
    /// it.
    pub fn resume(snapshot: &Snapshot) -> Result<Self, SnapshotError> {
        Self::resume_within(snapshot, &R::OUTLINE.guardrails)
    }

    /// Like [`resume`](Self::resume), for a run whose limits were raised: see
    /// [`Guardrails::raised_by`].
    ///
    /// # Errors
    /// The snapshot is of another recipe, of another version of this one, or no run within these
    /// limits can have taken it.
    pub fn resume_within(snapshot: &Snapshot, limits: &Guardrails) -> Result<Self, SnapshotError> {
        let outline = R::OUTLINE;
        if snapshot.recipe != outline.id {
            return Err(SnapshotError::OtherRecipe {
                expected: outline.id,
                found: snapshot.recipe.clone(),
            });
        }
        if !outline.has_fingerprint(&snapshot.fingerprint) {
            return Err(SnapshotError::OtherVersion {
                recipe: outline.id,
                expected: outline.fingerprint.to_string(),
                found: snapshot.fingerprint.clone(),
            });
        }
        let step = R::Step::from_name(&snapshot.step)?;
        let mut visits = R::Visits::NONE;
        for (name, count) in &snapshot.visits {
            visits.as_mut()[R::Step::from_name(name)?.index()] = *count;
        }
        let sum = visits.as_ref().iter().copied().map(u64::from).sum();
        if sum != u64::from(snapshot.steps) {
            return Err(SnapshotError::Miscounted { steps: snapshot.steps, visits: sum });
        }
        let entered = |index: usize| visits.as_ref()[index] > 0;
        if let Some(never) =
            [step.index(), outline.initial].into_iter().find(|index| !entered(*index))
        {
            return Err(SnapshotError::NeverEntered { step: outline.steps[never].name });
        }
        walk::check(outline, visits.as_ref(), step.index())?;
        let ledger = Ledger { visits, steps: snapshot.steps, restarts: snapshot.restarts };
        within(outline, &ledger, limits)?;
        Ok(Self::new(step.index(), ledger))
    }
}

/// Whether the counts are within the limits. Restarts are not compared: they are those of a chain,
/// and the recipe that restarted it may have had a higher limit.
fn within<V: Visits>(
    outline: &'static Outline,
    ledger: &Ledger<V>,
    limits: &Guardrails,
) -> Result<(), SnapshotError> {
    for (step, visits) in outline.steps.iter().zip(ledger.visits.as_ref().iter().copied()) {
        let own = step.limits.max_visits.map(|visits| within_step(*limits, visits));
        match own.unwrap_or(*limits).max_step_visits {
            Some(limit) if visits > limit => {
                return Err(SnapshotError::TooManyVisits { step: step.name, visits, limit });
            }
            Some(_) | None => {}
        }
    }
    match limits.max_total_steps {
        Some(limit) if ledger.steps > limit => {
            Err(SnapshotError::TooManySteps { steps: ledger.steps, limit })
        }
        Some(_) | None => Ok(()),
    }
}
