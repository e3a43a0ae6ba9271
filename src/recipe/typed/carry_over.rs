//! Resumes a run that an earlier version of the recipe began.

use super::{Position, Recipe};
use crate::recipe::change::Comparison;
use crate::recipe::graph::RecipeGraph;
use crate::recipe::ledger::{Ledger, Visits};
use crate::recipe::snapshot::{Snapshot, SnapshotError};

impl<R: Recipe> Position<R> {
    /// The position of a run that began with the graph `from`, if nothing that it can still reach
    /// has changed since.
    ///
    /// Visits of steps that are gone no longer count towards a limit on visits, but towards the one
    /// on all steps. It is not public: the way to this position is not a path through the graph of
    /// today, so it must not become an `At`.
    pub(super) fn carry_over(
        snapshot: &Snapshot,
        from: &RecipeGraph,
    ) -> Result<Self, SnapshotError> {
        let outline = R::OUTLINE;
        let comparison = Comparison::new(from, outline);
        let changes = comparison.changes_from(&snapshot.step);
        let step = comparison.step(&snapshot.step).filter(|_| changes.is_empty());
        let Some(step) = step else {
            let (recipe, step) = (outline.id, snapshot.step.clone());
            return Err(SnapshotError::Changed { recipe, step, changes });
        };
        let mut visits = R::Visits::NONE;
        for (name, count) in &snapshot.visits {
            if let Some(index) = comparison.step(name) {
                let visits = &mut visits.as_mut()[index];
                *visits = visits.saturating_add(*count);
            }
        }
        let ledger = Ledger { visits, steps: snapshot.steps, restarts: snapshot.restarts };
        Ok(Self::new(step, ledger))
    }
}
