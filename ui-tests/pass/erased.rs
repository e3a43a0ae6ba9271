//! The erased form, through a catalog and `dyn`, and back to the typed form.
#![deny(warnings)]

use surefire::{AnyPosition, Catalog, Next, Position};

surefire::recipe! {
    recipe Example {
        initial: Work,
        guardrails: { max_total_steps: 3 },
        step Work { prompt: "Work.", outcomes: [Complete], Complete => Review }
        step Review {
            prompt: "Review.",
            outcomes: [NoIssues, IssuesFound],
            NoIssues => exit TaskCommitted,
            IssuesFound => Work,
        }
    }
}

static CATALOG: Catalog = surefire::catalog![Example];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let recipe = CATALOG.find("example")?;
    let mut position: Box<dyn AnyPosition> = recipe.begin(0);
    assert!(matches!(position.report("complete")?, Next::Step(step) if step.name == "review"));
    assert!(matches!(position.report("issues-found")?, Next::Step(step) if step.name == "work"));
    assert_eq!((position.steps(), position.visits("work"), position.visits("lunch")), (3, 2, 0));
    let Next::Exit(exit) = position.report("complete")? else { panic!("three steps were allowed") };
    assert_eq!(exit.message(), "Recipe stopped: reached maximum step limit (3 steps)");

    let snapshot = position.snapshot();
    let example::AnyStep::Work(work) = Example::resume(&snapshot)? else { panic!("it is at work") };
    assert_eq!(surefire::Exit::from(work.complete().unwrap_err()), exit);

    let typed = Example::begin().complete()?;
    let erased: Position<Example> = typed.position();
    let example::AnyStep::Review(typed) = erased.typed() else { panic!("it is at review") };
    assert_eq!(typed.no_issues().code(), "task-committed");
    Ok(())
}
