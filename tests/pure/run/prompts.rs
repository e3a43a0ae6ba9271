//! The prompts that the operator changed: they are part of what a run is started with.

use super::one_run::OneRun;
use surefire::recipes::{ImplementAndReview, ImplementAndReviewAll};
use surefire::run::{
    Action, ChangedPrompts, Event, NewIds, PendingPrompts, Purpose, Resume, ResumedBy, Run,
    first_prompt,
};
use surefire::{AnyRecipe, ExitReason};
use uuid::Uuid;

const OURS: &str = "Implement it our way.";

/// A run with changed prompts for its first two steps.
fn changed(recipe: &'static dyn AnyRecipe) -> OneRun {
    OneRun::spec(recipe, |spec| {
        spec.task = Some("the login page".to_owned());
        spec.prompts.insert(recipe.outline().id, "implement", OURS);
        spec.prompts.insert(recipe.outline().id, "code-review", " Review it our way.\n");
        spec.prompts.insert("another-recipe", "fix", "Never asked.");
    })
}

/// The events as the store gives them back.
fn stored(events: &[Event]) -> Vec<Event> {
    let text = serde_json::to_string(events).unwrap();
    serde_json::from_str(&text).unwrap()
}

#[test]
fn a_changed_prompt_replaces_the_compiled_one_and_nothing_else() {
    let mut compiled = OneRun::spec(&ImplementAndReview, |spec| {
        spec.task = Some("the login page".to_owned());
    });
    let mut run = changed(&ImplementAndReview);
    let [implement, review, fix, ..] = ImplementAndReview::OUTLINE.steps else { unreachable!() };
    for (step, ours) in [(implement, OURS), (review, "Review it our way.")] {
        let expected = compiled.ask().prompt.replace(step.prompt.trim(), ours);
        assert_eq!(run.ask().prompt, expected, "task, permissions and outcomes stay");
        assert!(!run.ask().prompt.contains(step.prompt.trim()));
        let outcome = if step.name == "implement" { "complete" } else { "issues-found" };
        compiled.report(outcome);
        run.report(outcome);
    }
    assert!(run.ask().prompt.contains(fix.prompt.trim()), "another recipe's prompt is not used");
    let preview =
        first_prompt(ImplementAndReview::OUTLINE, Some("the login page"), &run.run.spec().prompts);
    assert_eq!(preview, changed(&ImplementAndReview).ask().prompt);
}

#[test]
fn a_run_that_is_replayed_or_resumed_gives_the_agent_the_same_prompt() {
    let mut run = changed(&ImplementAndReview);
    let replayed = Run::replay(&ImplementAndReview, &stored(&run.events)).unwrap();
    let Action::Ask(ask) = replayed.action() else { panic!("it asks") };
    assert_eq!(*ask, run.ask(), "the same attempt always gives the same turn");

    run.handle(surefire::run::Input::Stopped {
        exit: surefire::Exit::because(ExitReason::UserStopped),
        took: std::time::Duration::ZERO,
    });
    let mut resumed = Run::replay(&ImplementAndReview, &stored(&run.events)).unwrap();
    let id = |n| Uuid::from_u128(n);
    let fresh = NewIds { attempt: id(1).into(), run: id(2).into(), session: id(3).into() };
    let resume = Resume::by(ResumedBy::User);
    let _ = resumed.resume(resume, PendingPrompts::default(), fresh).unwrap();
    let Action::Ask(ask) = resumed.action() else { panic!("it asks") };
    assert_eq!(ask.purpose, Purpose::Continue);
    assert!(ask.prompt.contains(OURS), "{}", ask.prompt);
}

#[test]
fn the_runs_of_a_chain_have_the_same_prompts() {
    let mut run = changed(&ImplementAndReviewAll);
    for outcome in ["complete", "no-issues", "committed"] {
        run.report(outcome);
    }
    let Action::Restart(next) = &run.action else { panic!("{:?}", run.action) };
    assert_eq!(next.spec.prompts, run.run.spec().prompts);
    let next = OneRun::spec(next.recipe, |spec| *spec = next.spec.clone());
    assert!(next.ask().prompt.contains(OURS), "{}", next.ask().prompt);
}

#[test]
fn a_run_that_was_stored_before_there_were_changed_prompts_has_none() {
    let run = OneRun::spec(&ImplementAndReview, |_| ());
    let text = serde_json::to_string(&run.events).unwrap();
    assert!(!text.contains("prompts"), "nothing is written where nothing is changed: {text}");
    let events: Vec<Event> = serde_json::from_str(&text).unwrap();
    let Some(Event::Started { spec, .. }) = events.first() else { panic!("{events:?}") };
    assert_eq!(spec.prompts, ChangedPrompts::default());
}
