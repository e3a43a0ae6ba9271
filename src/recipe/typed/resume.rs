//! Converts a position into a snapshot, and back.

use super::{Position, Recipe};
use crate::recipe::ledger::{Ledger, Visits};
use crate::recipe::snapshot::{Snapshot, SnapshotError};
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

    /// Resumes a run from a snapshot.
    ///
    /// # Errors
    /// The snapshot is of another recipe, of another version of this one, or damaged.
    pub fn resume(snapshot: &Snapshot) -> Result<Self, SnapshotError> {
        let outline = R::OUTLINE;
        if snapshot.recipe != outline.id {
            return Err(SnapshotError::OtherRecipe {
                expected: outline.id,
                found: snapshot.recipe.clone(),
            });
        }
        let fingerprint = outline.fingerprint.to_string();
        if snapshot.fingerprint != fingerprint {
            return Err(SnapshotError::OtherVersion {
                recipe: outline.id,
                expected: fingerprint,
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
        let ledger = Ledger { visits, steps: snapshot.steps, restarts: snapshot.restarts };
        Ok(Self::new(step.index(), ledger))
    }
}
