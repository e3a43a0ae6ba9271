//! A limit that was hit.

use std::fmt;

use serde::Serialize;

use super::guardrail::Guardrail;
use super::registry::Registry as _;

/// A limit that ended a run: which one, where, and by how much.
///
/// It is the error of the typed run's methods, and a type of its own, so that a run that a limit
/// ended is never taken for one that an outcome ended. In a function that returns any
/// [`Exit`](crate::Exit), `?` converts it.
///
/// ```
/// use surefire::recipes::ImplementAndReview;
/// use surefire::{Exit, Guardrail, Tripped};
///
/// fn never_clean() -> Result<Exit, Tripped> {
///     let mut review = ImplementAndReview::begin().complete()?;
///     loop {
///         review = review.issues_found()?.complete()?;
///     }
/// }
///
/// let tripped = never_clean().unwrap_err();
/// assert_eq!(tripped.guardrail, Guardrail::MaxStepVisits);
/// assert_eq!((tripped.step(), tripped.limit, tripped.observed), ("code-review", 3, 4));
/// assert_eq!(
///     tripped.to_string(),
///     "Recipe stopped: step 'code-review' visited too many times (limit 3)"
/// );
/// assert_eq!(Exit::from(tripped).code(), "max-step-visits-exceeded:code-review");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[must_use = "it says which limit ended the run"]
pub struct Tripped {
    /// The limit.
    pub guardrail: Guardrail,
    // By reference, so that it is no larger than an exit: every transition may return it.
    step: &'static &'static str,
    /// What the recipe allows.
    pub limit: u32,
    /// The value that would have exceeded the limit.
    pub observed: u32,
}

impl Tripped {
    #[inline]
    pub(super) const fn new(
        guardrail: Guardrail,
        limit: u32,
        so_far: u32,
        step: &'static &'static str,
    ) -> Self {
        Self { guardrail, step, limit, observed: so_far.saturating_add(1) }
    }

    /// The step that was not entered or, for a restart, the step that asked for it.
    #[must_use]
    pub const fn step(&self) -> &'static str {
        self.step
    }
}

impl fmt::Display for Tripped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let definition = self.guardrail.exit_reason().definition();
        f.write_str(&definition.message_with(Some(self.step), Some(&self.limit.to_string())))
    }
}

impl std::error::Error for Tripped {}
