//! Whether a path ends for good, as that of a rehearsal has to.

use super::error::PathError;
use super::onward::nearest_exit;
use super::run_path::RunPath;
use super::walker::Walker;
use crate::Next;

impl RunPath {
    /// The path, if it ends with an exit. One that ends at a step does not, nor one that ends with
    /// a restart: the chain of runs continues in the recipe that it restarts.
    ///
    /// # Errors
    /// The run continues; the error has outcomes that would end it.
    ///
    /// ```
    /// use surefire::paths::RunPath;
    /// use surefire::recipes::ImplementAndReview;
    ///
    /// let path = RunPath::parse(&ImplementAndReview, "complete, issues-found")?;
    /// assert_eq!(
    ///     path.finished().unwrap_err().to_string(),
    ///     "after the last outcome, the run continues at step `fix`, which has complete, other; \
    ///      add, for example: complete, no-issues, committed"
    /// );
    /// # Ok::<_, surefire::paths::PathError>(())
    /// ```
    pub fn finished(self) -> Result<Self, PathError> {
        if let Next::Exit(_) = self.end() {
            return Ok(self);
        }
        let mut walker = Walker::follow(self.recipe(), self.outcomes())?;
        let Some(step) = walker.enter() else { return Ok(self) };
        let onward = nearest_exit(walker.recipe());
        walker.go_on(step, &onward);
        let missing = match walker.path.end() {
            Next::Exit(_) => walker.path.outcomes().skip(self.moves().len()).collect(),
            Next::Step(_) | Next::Restart(_) => Vec::new(),
        };
        Err(PathError::Unfinished {
            step: step.name,
            possible: step.outcomes.iter().map(|outcome| outcome.name).collect(),
            missing,
            path: self.to_string(),
        })
    }
}
