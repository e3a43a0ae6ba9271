//! How a run handles the limits that a step has of its own.

use surefire::AnyRecipe;
use surefire::run::{Event, Limits, PendingPrompts, Resume, ResumedBy, Run};

use super::one_run::OneRun;

surefire::recipe! {
    /// Fixes; asks for another view after two attempts, and a person after that.
    recipe Limited {
        initial: Work,

        step Work {
            prompt: "Work.",
            outcomes: [Complete],
            Complete => Fix,
        }
        step Fix {
            prompt: "Fix it.",
            max_visits: 2 => Rethink,
            outcomes: [Done, Again],
            Done => exit TaskCommitted,
            Again => Fix,
        }
        step Rethink {
            prompt: "Look at it from another side.",
            max_visits: 1 => exit ClarificationNeeded,
            outcomes: [Idea],
            Idea => Fix,
        }
    }
}

surefire::recipe! {
    recipe Poll {
        initial: Wait,
        step Wait { prompt: "Wait.", max_visits: 2, outcomes: [Ready, NotYet], Ready => exit TaskCommitted, NotYet => Wait }
    }
}

fn run(recipe: &'static dyn AnyRecipe, outcomes: &[&str]) -> OneRun {
    let mut run = OneRun::start(recipe, Limits::default());
    for outcome in outcomes {
        run.report(outcome);
    }
    run
}

fn moves(run: &OneRun) -> Vec<(&str, Option<&str>)> {
    let moved = run.events.iter().filter_map(|event| match event {
        Event::Moved { to, instead_of, .. } => Some((to.as_str(), instead_of.as_deref())),
        _ => None,
    });
    moved.collect()
}

#[test]
fn a_full_step_leads_elsewhere_and_the_event_says_so() {
    let run = run(&Limited, &["complete", "again", "again"]);
    assert_eq!(run.ask().step, "rethink");
    assert_eq!(moves(&run), [("fix", None), ("fix", None), ("rethink", Some("fix"))]);
    let replayed = Run::replay(&Limited, &run.events).unwrap();
    assert_eq!(replayed.position().snapshot(), run.run.position().snapshot());

    // A store written before has no such field.
    let old =
        r#"{"event":"moved","from":"work","outcome":"complete","to":"fix","number":2,"visit":1}"#;
    let event: Event = serde_json::from_str(old).unwrap();
    assert_eq!(serde_json::to_string(&event).unwrap(), old);
}

#[test]
fn an_exit_at_a_limit_names_the_step() {
    let run = run(&Limited, &["complete", "again", "again", "idea"]);
    assert_eq!(run.reason(), "clarification-needed");
    let ending = run.run.ending().unwrap();
    let description = ending.description.as_deref();
    assert_eq!(description, Some("the run had visited step `fix` as often as it may"));
    assert_eq!((ending.step.as_str(), ending.outcome.as_deref()), ("rethink", Some("idea")));
}

#[test]
fn a_resumed_run_may_get_more_visits_of_such_a_step() {
    let mut run = run(&Poll, &["not-yet", "not-yet"]);
    assert_eq!(run.reason(), "max-step-visits-exceeded:wait");
    let fresh = run.fresh();
    let again = Resume::by(ResumedBy::User);
    let refused = run.run.resume(again.clone(), PendingPrompts::default(), fresh).unwrap_err();
    assert!(refused.to_string().contains("would stop again"), "{refused}");
    let more = again.allow_visits(1);
    let decision = run.run.resume(more, PendingPrompts::default(), fresh).unwrap();
    run.events.extend(decision.events);
    assert_eq!((run.ask().step, run.run.position().visits("wait")), ("wait", 3));
}
