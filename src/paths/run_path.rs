//! A path: outcomes, one after the other, and where each one led.

use std::fmt;

use super::error::PathError;
use crate::{AnyPosition, AnyRecipe, GraphNext, Next, OutcomeOutline, Outline, StepOutline};

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
    recipe: &'static Outline,
    moves: Vec<PathMove>,
}

/// One outcome on a path, and where it led.
#[derive(Debug, Clone)]
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
    /// The path that takes these outcomes, by their names.
    ///
    /// # Errors
    /// One of them cannot be reported where it is, or the run has ended before it.
    pub fn follow<'o>(
        recipe: &dyn AnyRecipe,
        outcomes: impl IntoIterator<Item = &'o str>,
    ) -> Result<Self, PathError> {
        let mut walker = Walker::new(recipe);
        for outcome in outcomes {
            walker.take(outcome)?;
        }
        Ok(walker.path)
    }

    /// The path that takes these outcomes, by their names and separated by commas. An empty text is
    /// the path of a run that has only begun.
    ///
    /// # Errors
    /// One of them cannot be reported where it is, or the run has ended before it.
    pub fn parse(recipe: &dyn AnyRecipe, outcomes: &str) -> Result<Self, PathError> {
        let names = outcomes.split(',').map(str::trim);
        Self::follow(recipe, names.filter(|_| !outcomes.trim().is_empty()))
    }

    /// The recipe that it begins in.
    #[must_use]
    pub fn recipe(&self) -> &'static Outline {
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

    /// Where it ends: at a step, if the run goes on.
    pub fn end(&self) -> Next {
        match self.moves.last() {
            Some(last) => last.next.clone(),
            None => Next::Step(self.recipe.first_step()),
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

    fn cannot_take(&self, outcome: &str, step: &'static StepOutline) -> PathError {
        PathError::UnknownOutcome {
            number: self.moves.len() + 1,
            outcome: outcome.to_owned(),
            step: step.name,
            possible: step.outcomes.iter().map(|known| known.name).collect(),
            path: self.to_string(),
        }
    }

    fn is_over_before(&self, outcome: &str) -> PathError {
        PathError::AfterTheEnd {
            number: self.moves.len() + 1,
            outcome: outcome.to_owned(),
            end: GraphNext::from(&self.end()).to_string(),
            path: self.to_string(),
        }
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

/// A path that is being walked.
pub(super) struct Walker {
    pub(super) path: RunPath,
    position: Box<dyn AnyPosition>,
}

impl Walker {
    pub(super) fn new(recipe: &dyn AnyRecipe) -> Self {
        let path = RunPath { recipe: recipe.outline(), moves: Vec::new() };
        Self { path, position: recipe.begin(0) }
    }

    /// The step at which the next outcome is reported; `None` after an exit. After a restart it is
    /// the first one of that recipe.
    pub(super) fn enter(&mut self) -> Option<&'static StepOutline> {
        match self.path.end() {
            Next::Step(step) => Some(step),
            Next::Restart(restart) => {
                self.position = restart.recipe.begin(restart.restarts);
                Some(self.position.outline())
            }
            Next::Exit(_) => None,
        }
    }

    pub(super) fn take(&mut self, outcome: &str) -> Result<(), PathError> {
        let Some(step) = self.enter() else {
            return Err(self.path.is_over_before(outcome));
        };
        let known = step.outcomes.iter().find(|known| known.name == outcome);
        // Only a recipe that is implemented by hand can deny what its outline has.
        match known.zip(self.position.report(outcome).ok()) {
            Some((outcome, next)) => {
                let recipe = self.position.recipe();
                self.path.moves.push(PathMove { recipe, step, outcome, next });
                Ok(())
            }
            None => Err(self.path.cannot_take(outcome, step)),
        }
    }
}

impl Clone for Walker {
    fn clone(&self) -> Self {
        Self { path: self.path.clone(), position: self.position.duplicate() }
    }
}
