//! A command with recipes for exit reasons that neither a bundled recipe nor an example for users
//! can reach.

use std::process::ExitCode;

use surefire::__private::Sealed;
use surefire::{
    AnyPosition, AnyRecipe, Catalog, Guardrails, Next, Outline, Snapshot, SnapshotError,
    StepOutline, UnknownName, catalog,
};

surefire::recipe! {
    /// Changes files, but none that is secret.
    recipe KeepSecrets {
        scope: { deny: ["secrets/**"] },
        initial: Work,
        step Work {
            prompt: "Work.",
            tools: [edit],
            outcomes: [Complete],
            Complete => exit ChangesCommitted if changed,
        }
    }
}

surefire::recipe! {
    /// Runs a command that takes longer than it may.
    recipe CheckSlowly {
        initial: Test,
        step Test { run: "sleep 600", time: 1s, Passed => exit RetrospectiveComplete, Failed => exit WorkerBlocked }
    }
}

surefire::recipe! {
    /// One step, for the custom recipes to wrap.
    recipe OneStep {
        initial: Work,
        step Work { prompt: "Work.", outcomes: [Complete], Complete => exit RetrospectiveComplete }
    }
}

/// The defect of a recipe that implements the traits itself. The macro rejects the first, and
/// cannot produce the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mistake {
    NoPrompt,
    Panic,
    /// It also rejects its own snapshots.
    PanicForGood,
}

/// A recipe that implements the traits itself, around one from the macro.
#[derive(Debug)]
struct CustomRecipe {
    outline: &'static Outline,
    mistake: Mistake,
}

impl CustomRecipe {
    fn leaked(id: &'static str, mistake: Mistake) -> &'static dyn AnyRecipe {
        let model = inner().outline();
        let step = |mut step: StepOutline| {
            if mistake == Mistake::NoPrompt {
                step.prompt = "";
            }
            step
        };
        let mut outline = *model;
        outline.id = id;
        outline.steps = model.steps.iter().copied().map(step).collect::<Vec<_>>().leak();
        Box::leak(Box::new(Self { outline: Box::leak(Box::new(outline)), mistake }))
    }

    fn at(&self, inner: Box<dyn AnyPosition>) -> Box<dyn AnyPosition> {
        Box::new(Position { inner, outline: self.outline, mistake: self.mistake })
    }
}

fn inner() -> &'static dyn AnyRecipe {
    catalog![OneStep].get("one-step").expect("it was just put in")
}

impl Sealed for CustomRecipe {}

impl AnyRecipe for CustomRecipe {
    fn outline(&self) -> &'static Outline {
        self.outline
    }

    fn begin(&self, restarts: u32) -> Box<dyn AnyPosition> {
        self.at(inner().begin(restarts))
    }

    fn resume_within(
        &self,
        snapshot: &Snapshot,
        limits: &Guardrails,
    ) -> Result<Box<dyn AnyPosition>, SnapshotError> {
        if self.mistake == Mistake::PanicForGood {
            return Err(SnapshotError::NeverEntered { step: "work" });
        }
        let snapshot = Snapshot { recipe: inner().outline().id.to_owned(), ..snapshot.clone() };
        inner().resume_within(&snapshot, limits).map(|position| self.at(position))
    }
}

/// A position in such a recipe.
#[derive(Debug)]
struct Position {
    inner: Box<dyn AnyPosition>,
    outline: &'static Outline,
    mistake: Mistake,
}

impl Sealed for Position {}

impl AnyPosition for Position {
    fn recipe(&self) -> &'static Outline {
        self.outline
    }

    fn outline(&self) -> &'static StepOutline {
        self.outline.step(self.inner.outline().name).expect("it has the same steps")
    }

    fn visits(&self, step: &str) -> u32 {
        self.inner.visits(step)
    }

    fn steps(&self) -> u32 {
        self.inner.steps()
    }

    fn restarts(&self) -> u32 {
        self.inner.restarts()
    }

    fn report(&mut self, outcome: &str) -> Result<Next, UnknownName> {
        assert!(self.mistake == Mistake::NoPrompt, "this recipe breaks");
        self.inner.report(outcome)
    }

    fn report_within(&mut self, outcome: &str, limits: &Guardrails) -> Result<Next, UnknownName> {
        assert!(self.mistake == Mistake::NoPrompt, "this recipe breaks");
        self.inner.report_within(outcome, limits)
    }

    fn duplicate(&self) -> Box<dyn AnyPosition> {
        Box::new(Self { inner: self.inner.duplicate(), ..*self })
    }
    fn snapshot(&self) -> Snapshot {
        self.inner.snapshot()
    }
}

fn main() -> ExitCode {
    let by_macro = catalog![KeepSecrets, CheckSlowly];
    let custom = [
        CustomRecipe::leaked("say-nothing", Mistake::NoPrompt),
        CustomRecipe::leaked("panic", Mistake::Panic),
        CustomRecipe::leaked("panic-for-good", Mistake::PanicForGood),
    ];
    let recipes: Vec<_> = by_macro.iter().chain(custom).collect();
    surefire::cli::main(Catalog::new(recipes.leak()))
}
