//! A rehearsal of one's own: the outcomes to report, in the order of the steps.

use crate::Next;
use crate::paths::{PathError, RunPath};

/// The outcome of a command step whose command succeeds.
const PASSED: &str = "passed";

/// The outcomes of a path that ends, for each run of its chain.
///
/// The place of a step in its run identifies its outcome, so a step that is repeated, after a crash
/// for example, gets the same one.
#[derive(Debug, Clone)]
pub(super) struct Outcomes(Vec<Vec<&'static str>>);

impl Outcomes {
    pub(super) fn of(path: &RunPath) -> Result<Self, PathError> {
        path.clone().finished()?;
        let mut runs = vec![Vec::new()];
        for taken in path.moves() {
            if let Some(run) = runs.last_mut() {
                run.push(taken.outcome.name);
            }
            if let Next::Restart(_) = taken.next {
                runs.push(Vec::new());
            }
        }
        Ok(Self(runs))
    }

    /// The outcome of the step with this number, from 1, after this many restarts.
    pub(super) fn at(&self, restarts: u32, step: u32) -> Option<&'static str> {
        let run = self.0.get(usize::try_from(restarts).ok()?)?;
        run.get(usize::try_from(step.checked_sub(1)?).ok()?).copied()
    }

    /// Whether the command of that step passes.
    pub(super) fn passes(&self, restarts: u32, step: u32) -> bool {
        self.at(restarts, step) == Some(PASSED)
    }

    /// How often the run reports the outcome of this step from there on.
    pub(super) fn left(&self, restarts: u32, step: u32) -> usize {
        let later = (step..).map_while(|step| self.at(restarts, step));
        later.filter(|outcome| Some(*outcome) == self.at(restarts, step)).count()
    }
}

/// As `--rehearse` takes them.
impl std::fmt::Display for Outcomes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let all = self.0.concat();
        // Without a comma it would be the name of a script.
        let end = if all.len() == 1 { "," } else { "" };
        write!(f, "{}{end}", all.join(", "))
    }
}
