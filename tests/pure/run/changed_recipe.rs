//! A run whose recipe changed: it continues where nothing that it can still reach is different, and
//! otherwise says what is.

use surefire::run::{Action, CheckVerdict, Event, Limits, Purpose, Resume, ResumedBy, Run};
use surefire::{AnyRecipe, GraphChange, SnapshotError};

use super::one_run::OneRun;

mod first {
    surefire::recipe! {
        pub(super) recipe Ship {
            initial: Build,
            guardrails: { max_step_visits: 3 },
            step Build { prompt: "Build.", outcomes: [Done], Done => Review }
            step Review {
                prompt: "Review.",
                outcomes: [Fine, Found],
                Fine => Publish,
                Found(findings) => Fix if changed,
            }
            step Fix { prompt: "Fix.", outcomes: [Done], Done => Review }
            step Publish { prompt: "Publish.", outcomes: [Done], Done => exit TaskCommitted }
        }
    }
}

/// A step before the review is new, the review has another name, and so has one of its outcomes.
mod renamed {
    surefire::recipe! {
        pub(super) recipe Ship {
            initial: Build,
            guardrails: { max_step_visits: 3 },
            step Publish { prompt: "Publish it.", outcomes: [Done], Done => exit TaskCommitted }
            step Build { prompt: "Build.", outcomes: [Done], Done => Lint }
            step Lint { prompt: "Lint.", outcomes: [Done], Done => Audit }
            step Audit {
                was: [Review, Found => IssuesFound],
                prompt: "Audit.",
                outcomes: [Fine, IssuesFound],
                Fine => Publish,
                IssuesFound(findings) => Fix if changed,
            }
            step Fix { prompt: "Fix.", outcomes: [Done], Done => Audit }
        }
    }
}

/// The same without `was`.
mod renamed_silently {
    surefire::recipe! {
        pub(super) recipe Ship {
            initial: Build,
            guardrails: { max_step_visits: 3 },
            step Build { prompt: "Build.", outcomes: [Done], Done => Audit }
            step Audit { prompt: "Audit.", outcomes: [Fine, Found], Fine => Publish, Found => Fix }
            step Fix { prompt: "Fix.", outcomes: [Fixed], Fixed => Audit }
            step Publish { prompt: "Publish.", outcomes: [Done], Done => exit TaskCommitted }
        }
    }
}

/// It ends for another reason, and one outcome more.
mod ending_otherwise {
    surefire::recipe! {
        pub(super) recipe Ship {
            initial: Build,
            guardrails: { max_step_visits: 3 },
            step Build { prompt: "Build.", outcomes: [Done, Broken], Done => Review, Broken => exit ImplementationBlocked }
            step Review { prompt: "Review.", outcomes: [Fine, Found], Fine => Publish, Found => Fix }
            step Fix { prompt: "Fix.", outcomes: [Done], Done => Publish }
            step Publish { prompt: "Publish.", outcomes: [Done, Later], Done => exit ChangesCommitted, Later => exit NoChangesToCommit }
        }
    }
}

/// The same graph with lower limits.
mod limited {
    surefire::recipe! {
        pub(super) recipe Ship {
            initial: Build,
            guardrails: { max_step_visits: 1, max_total_steps: 2 },
            step Build { prompt: "Build.", outcomes: [Done], Done => Review }
            step Review { prompt: "Review.", outcomes: [Fine, Found], Fine => Publish, Found => Fix }
            step Fix { prompt: "Fix.", outcomes: [Done], Done => Review }
            step Publish { prompt: "Publish.", outcomes: [Done], Done => exit TaskCommitted }
        }
    }
}

/// Its loop ends elsewhere.
mod escalating {
    surefire::recipe! {
        pub(super) recipe Ship {
            initial: Build,
            guardrails: { max_step_visits: 3 },
            step Build { prompt: "Build.", outcomes: [Done], Done => Review }
            step Review { prompt: "Review.", outcomes: [Fine, Found], Fine => Publish, Found => Fix }
            step Fix {
                max_visits: 1 => Escalate,
                prompt: "Fix.",
                outcomes: [Done],
                Done => Review,
            }
            step Escalate { prompt: "Ask.", outcomes: [Done], Done => Review }
            step Publish { prompt: "Publish.", outcomes: [Done], Done => exit TaskCommitted }
        }
    }
}

fn run(outcomes: &[&str]) -> OneRun {
    let mut run = OneRun::start(&first::Ship, Limits::default());
    for outcome in outcomes {
        run.report(outcome);
    }
    run
}

/// The same run, driven by a program with another version of the recipe.
fn continued(mut run: OneRun, recipe: &'static dyn AnyRecipe) -> OneRun {
    run.run = Run::replay(recipe, &run.events).expect("the run can continue");
    run.action = run.run.action();
    run
}

fn refused(run: &OneRun, recipe: &'static dyn AnyRecipe) -> String {
    Run::replay(recipe, &run.events).unwrap_err().to_string()
}

#[test]
fn a_run_continues_in_a_recipe_that_changed_behind_it() {
    let mut run = continued(run(&["done", "found"]), &renamed::Ship);
    let position = run.run.position();
    assert_eq!(
        (position.outline().name, position.visits("audit"), position.steps()),
        ("fix", 1, 3)
    );
    run.report("done");
    assert_eq!(run.run.position().visits("audit"), 2, "visits under the former name count");
    // What it did under the new names is replayed like what it did under the old ones.
    let mut run = continued(run, &renamed::Ship);
    assert_eq!(run.ask().prompt.lines().next(), Some("Audit."));
    for outcome in ["issues-found", "done", "issues-found", "done"] {
        run.report(outcome);
    }
    assert_eq!(run.reason(), "max-step-visits-exceeded:audit");
    let resumed = Resume::by(ResumedBy::User).allow_visits(1);
    let fresh = run.fresh();
    let _ = run
        .run
        .resume(resumed, surefire::run::PendingPrompts::default(), fresh)
        .expect("it resumes");
    assert_eq!(run.run.position().visits("audit"), 4);
}

#[test]
fn an_agent_that_was_asked_before_may_answer_with_the_former_name() {
    let mut run = continued(run(&["done"]), &renamed::Ship);
    run.report("found");
    assert_eq!(run.run.position().outline().name, "fix");
    let moved = run.events.iter().rev().find(|event| matches!(event, Event::Moved { .. }));
    let Some(Event::Moved { from, outcome, .. }) = moved else { unreachable!() };
    assert_eq!((from.as_str(), outcome.as_str()), ("audit", "issues-found"));
}

#[test]
fn a_check_of_an_outcome_goes_on_under_its_new_name() {
    let mut before = run(&["done"]);
    before.reply(r#"{"outcome": "found", "findings": [{"title": "a leak"}]}"#);
    assert!(matches!(before.action, Action::Check(_)));
    let mut run = continued(before, &renamed::Ship);
    run.checked(CheckVerdict::Passed, "changed");
    assert_eq!(run.run.position().outline().name, "fix");
    // The findings of the review are still its findings.
    assert!(run.ask().prompt.contains("a leak"), "{}", run.ask().prompt);
}

#[test]
fn a_run_that_can_still_reach_a_change_stops_and_says_what_changed() {
    let at_first = run(&[]);
    assert_eq!(
        refused(&at_first, &renamed::Ship),
        "recipe `ship` has changed since this run began, and the run cannot continue from step `build`: \
         outcome `done` of step `build` leads to `lint` and not to `review`; start the recipe again, \
         or resume with the version that began the run"
    );
    let at_fix = run(&["done", "found"]);
    let error = refused(&at_fix, &ending_otherwise::Ship);
    for change in [
        "outcome `done` of step `fix` leads to `publish` and not to `review`, ",
        "outcome `done` of step `publish` leads to `exit changes-committed` and not to `exit task-committed`, ",
        "outcome `later` of step `publish` was added; ",
    ] {
        assert!(error.contains(change), "{error}");
    }
    assert!(!error.contains("`broken`"), "`build` is behind it: {error}");
}

#[test]
fn what_was_probably_renamed_is_suggested() {
    let Err(surefire::run::ReplayError::Changed(SnapshotError::Changed { changes, .. })) =
        Run::replay(&renamed_silently::Ship, &run(&["done", "found"]).events)
    else {
        panic!("it has changed")
    };
    assert!(changes.iter().all(GraphChange::is_rename), "{changes:?}");
    let words: Vec<_> = changes.iter().map(ToString::to_string).collect();
    assert_eq!(
        words,
        [
            "outcome `done` of step `fix` is gone (if it is `fixed` now, add `was: [Done => Fixed]` to the step)",
            "step `review` is gone (if it is `audit` now, add `was: [Review]` to that)",
        ]
    );
}

#[test]
fn a_lowered_limit_does_not_strand_a_run() {
    let mut run = continued(run(&["done", "found", "done"]), &limited::Ship);
    assert_eq!(run.run.position().steps(), 4);
    run.report("fine");
    assert_eq!(run.reason(), "max-total-steps", "the lower limit holds from here on");
}

#[test]
fn a_run_that_did_not_record_its_graph_only_goes_on_if_nothing_changed() {
    let mut run = run(&["done", "found"]);
    let Event::Started { graph, fingerprint, .. } = &mut run.events[0] else { unreachable!() };
    assert!(graph.take().is_some());
    // As stores of before have it.
    *fingerprint = first::Ship.outline().former_fingerprint.to_string();
    assert!(refused(&run, &renamed::Ship).contains("has changed since this snapshot was taken"));
    let json = serde_json::to_string(&run.events[0]).expect("it serializes");
    assert!(!json.contains("graph"));
    run.events[0] = serde_json::from_str(&json).expect("it was just serialized");
    let run = continued(run, &first::Ship);
    assert!(matches!(&run.action, Action::Ask(ask) if ask.purpose == Purpose::Step));
}

#[test]
fn where_a_limit_leads_belongs_to_the_graph() {
    let at_fix = run(&["done", "found"]);
    let error = refused(&at_fix, &escalating::Ship);
    assert!(error.contains("the way on from `max_visits` of step `fix` was added"), "{error}");
    let mut run = OneRun::start(&escalating::Ship, Limits::default());
    for outcome in ["done", "found", "done", "found"] {
        run.report(outcome);
    }
    assert_eq!(run.run.position().outline().name, "escalate");
    let run = continued(run, &escalating::Ship);
    assert_eq!(run.run.position().outline().name, "escalate", "that way counts as a way");
    assert!(refused(&run, &first::Ship).contains("step `escalate` was removed"));
}
