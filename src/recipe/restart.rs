//! Continuing with another recipe, in a fresh session.

use std::fmt;
use std::marker::PhantomData;

use super::exit::Exit;
use super::exit_reason::ExitReason;
use super::typed::Recipe;

/// A run that ended so that a run of `R` can begin in a fresh session.
///
/// ```
/// use surefire::recipes::ImplementAndReviewAll;
///
/// let restart = ImplementAndReviewAll::begin().complete()?.no_issues()?.committed()?;
/// assert_eq!(restart.exit().code(), "restart-new-session");
/// assert_eq!(restart.begin().position().restarts(), 1);
/// # Ok::<(), surefire::Exit>(())
/// ```
#[must_use = "the chain continues only when the next run is begun"]
pub struct Restart<R> {
    restarts: u32,
    recipe: PhantomData<R>,
}

impl<R> Restart<R> {
    pub(crate) const fn new(restarts: u32) -> Self {
        Self { restarts, recipe: PhantomData }
    }
}

impl<R: Recipe> Restart<R> {
    /// Begins the next run; it carries the chain's restart count.
    #[must_use]
    pub fn begin(self) -> R::Start {
        R::begin_after(self.restarts)
    }

    /// How often the chain has restarted, including this time.
    #[must_use]
    pub const fn restarts(&self) -> u32 {
        self.restarts
    }

    /// How the run that asked for the restart ended.
    pub fn exit(&self) -> Exit {
        Exit::because(ExitReason::RestartNewSession)
    }
}

// No bound on `R`: a target that is not a recipe then causes one error instead of two.
impl<R> PartialEq for Restart<R> {
    fn eq(&self, other: &Self) -> bool {
        self.restarts == other.restarts
    }
}

impl<R> Eq for Restart<R> {}

impl<R> fmt::Debug for Restart<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Restart").field("restarts", &self.restarts).finish_non_exhaustive()
    }
}
