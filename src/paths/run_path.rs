//! A path: outcomes, one after the other, and where each one led.

use std::fmt;

use crate::{AnyRecipe, GraphNext, Next, OutcomeOutline, Outline, StepOutline};

/// A way through a recipe: the outcomes that a run reports, one after the other, and where each one
/// led.
///
/// It begins at the first step and may stop anywhere. A path that exists is one that a run can
/// take: it is walked with the recipe's own position, within the recipe's limits. After a restart
/// it continues in the recipe that was restarted, as a chain of runs does.
///
/// ```
/// use surefire::paths::RunPath;
/// use surefire::recipes::ImplementAndReview;
///
/// let path = RunPath::parse(&ImplementAndReview, "complete, no-issues, committed")?;
/// assert!(path.is_over());
/// assert_eq!(path.steps().collect::<Vec<_>>(), ["implement", "code-review", "commit"]);
/// assert_eq!(
///     path.to_string(),
///     "implement (complete) → code-review (no-issues) → commit (committed) \
///      → exit task-committed"
/// );
///
/// let error = RunPath::parse(&ImplementAndReview, "complete, no-isues").unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "outcome 2 is `no-isues`, but step `code-review` has only no-issues, issues-found, other; \
///      did you mean `no-issues`?"
/// );
/// # Ok::<_, surefire::paths::PathError>(())
/// ```
#[derive(Debug, Clone)]
pub struct RunPath {
    recipe: &'static dyn AnyRecipe,
    moves: Vec<PathMove>,
}

/// One outcome on a path, and where it led.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct PathMove {
    /// The recipe of the step; another one than the path's after a restart.
    pub recipe: &'static Outline,
    /// The step that the outcome was reported at.
    pub step: &'static StepOutline,
    /// The outcome.
    pub outcome: &'static OutcomeOutline,
    /// Where it led, which is not where it is mapped to if a limit was reached.
    pub next: Next,
}

impl RunPath {
    pub(super) fn begun(recipe: &'static dyn AnyRecipe) -> Self {
        Self { recipe, moves: Vec::new() }
    }

    pub(super) fn add(&mut self, taken: PathMove) {
        self.moves.push(taken);
    }

    /// The recipe that it begins in.
    #[must_use]
    pub fn recipe(&self) -> &'static dyn AnyRecipe {
        self.recipe
    }

    /// Its outcomes, and where each one led.
    #[must_use]
    pub fn moves(&self) -> &[PathMove] {
        &self.moves
    }

    /// The names of its outcomes, as [`parse`](Self::parse) takes them.
    pub fn outcomes(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.moves.iter().map(|taken| taken.outcome.name)
    }

    /// The names of the steps that it enters, in order.
    pub fn steps(&self) -> impl Iterator<Item = &'static str> + '_ {
        let last = match self.end() {
            Next::Step(step) => Some(step.name),
            Next::Exit(_) | Next::Restart(_) => None,
        };
        self.moves.iter().map(|taken| taken.step.name).chain(last)
    }

    /// Where it ends: at a step, if the run continues.
    pub fn end(&self) -> Next {
        match self.moves.last() {
            Some(last) => last.next.clone(),
            None => Next::Step(self.recipe.outline().first_step()),
        }
    }

    /// Whether the run has ended. One that restarts a recipe has.
    #[must_use]
    pub fn is_over(&self) -> bool {
        !matches!(self.end(), Next::Step(_))
    }

    /// Whether this one begins with all the outcomes of the other.
    pub(super) fn begins_with(&self, other: &Self) -> bool {
        let mut pairs = self.outcomes().zip(other.outcomes());
        self.moves.len() >= other.moves.len() && pairs.all(|(one, other)| one == other)
    }
}

/// `implement (complete) → code-review (no-issues) → exit …`
impl fmt::Display for RunPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, taken) in self.moves.iter().enumerate() {
            let before = index.checked_sub(1).map(|before| &self.moves[before].next);
            if let Some(Next::Restart(restart)) = before {
                write!(f, "restart {} → ", restart.recipe.outline().id)?;
            }
            write!(f, "{} ({}) → ", taken.step.name, taken.outcome.name)?;
        }
        write!(f, "{}", GraphNext::from(&self.end()))
    }
}
