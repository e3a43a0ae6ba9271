//! The bundled recipes without their evidence, for tests of something else: checking a git work
//! tree takes longer than the rest of such a test.

use std::sync::LazyLock;

use surefire::__private::Sealed;
use surefire::recipes::BUNDLED;
use surefire::{
    AnyPosition, AnyRecipe, Catalog, Guardrails, Needs, Next, OutcomeOutline, Outline, Snapshot,
    SnapshotError, StepOutline, UnknownName, VisitLimit,
};

/// The bundled recipes, but outcomes need no evidence. The agent's report is enough, and neither a
/// git repository nor a task is needed.
///
/// ```
/// let recipes = surefire_testkit::unproved();
/// let commit = recipes.get("implement-and-review").unwrap().outline().step("commit").unwrap();
/// assert!(commit.outcomes.iter().all(|outcome| outcome.evidence.is_empty()));
/// ```
#[must_use]
pub fn unproved() -> Catalog {
    *UNPROVED
}

static UNPROVED: LazyLock<Catalog> = LazyLock::new(|| {
    let recipes: Vec<&'static dyn AnyRecipe> = BUNDLED.iter().map(without_evidence).collect();
    Catalog::new(recipes.leak())
});

fn without_evidence(proved: &'static dyn AnyRecipe) -> &'static dyn AnyRecipe {
    let mut outline = *proved.outline();
    outline.steps = outline.steps.iter().map(step).collect::<Vec<_>>().leak();
    // Their preconditions are dropped, too: those are checked in git and on the `PATH`.
    outline.needs = Needs::default();
    Box::leak(Box::new(Unproved { proved, outline: Box::leak(Box::new(outline)) }))
}

fn step(step: &StepOutline) -> StepOutline {
    let mut step = *step;
    step.outcomes = step.outcomes.iter().map(outcome).collect::<Vec<_>>().leak();
    step
}

fn outcome(outcome: &OutcomeOutline) -> OutcomeOutline {
    let mut outcome = *outcome;
    outcome.evidence = &[];
    outcome
}

/// A recipe without its evidence.
struct Unproved {
    proved: &'static dyn AnyRecipe,
    outline: &'static Outline,
}

impl Unproved {
    fn position(&self, proved: Box<dyn AnyPosition>) -> Box<dyn AnyPosition> {
        Box::new(Position { proved, outline: self.outline })
    }
}

impl Sealed for Unproved {}

impl AnyRecipe for Unproved {
    fn outline(&self) -> &'static Outline {
        self.outline
    }

    fn begin(&self, restarts: u32) -> Box<dyn AnyPosition> {
        self.position(self.proved.begin(restarts))
    }

    fn resume_within(
        &self,
        snapshot: &Snapshot,
        limits: &Guardrails,
    ) -> Result<Box<dyn AnyPosition>, SnapshotError> {
        Ok(self.position(self.proved.resume_within(snapshot, limits)?))
    }
}

/// A position in such a recipe.
#[derive(Debug)]
struct Position {
    proved: Box<dyn AnyPosition>,
    outline: &'static Outline,
}

impl Position {
    /// What follows, in the recipes without evidence.
    fn next(&self, next: Next) -> Next {
        match next {
            Next::Step(step) => {
                Next::Step(self.outline.step(step.name).expect("it has the same steps"))
            }
            Next::Exit(exit) => Next::Exit(exit),
            Next::Restart(mut restart) => {
                restart.recipe = unproved()
                    .get(restart.recipe.outline().id)
                    .expect("bundled recipes restart bundled ones");
                Next::Restart(restart)
            }
        }
    }
}

impl Sealed for Position {}

impl AnyPosition for Position {
    fn recipe(&self) -> &'static Outline {
        self.outline
    }

    fn outline(&self) -> &'static StepOutline {
        self.outline.step(self.proved.outline().name).expect("it has the same steps")
    }

    fn visits(&self, step: &str) -> u32 {
        self.proved.visits(step)
    }

    fn steps(&self) -> u32 {
        self.proved.steps()
    }

    fn restarts(&self) -> u32 {
        self.proved.restarts()
    }

    fn report(&mut self, outcome: &str) -> Result<Next, UnknownName> {
        let next = self.proved.report(outcome)?;
        Ok(self.next(next))
    }

    fn report_within(&mut self, outcome: &str, limits: &Guardrails) -> Result<Next, UnknownName> {
        let next = self.proved.report_within(outcome, limits)?;
        Ok(self.next(next))
    }

    fn exceed_within(&mut self, limit: VisitLimit, limits: &Guardrails) -> Option<Next> {
        let next = self.proved.exceed_within(limit, limits)?;
        Some(self.next(next))
    }

    fn duplicate(&self) -> Box<dyn AnyPosition> {
        Box::new(Self { proved: self.proved.duplicate(), ..*self })
    }
    fn snapshot(&self) -> Snapshot {
        self.proved.snapshot()
    }
}
