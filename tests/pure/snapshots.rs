//! A snapshot resumes where it was taken, or the error says why it cannot.

#![cfg(feature = "recipes")]

use surefire::recipes::{ImplementAndReview, RebaseOnMain};
use surefire::{AnyRecipe, Exit, Position, Snapshot, SnapshotError};

fn at_fix() -> Snapshot {
    let mut position = Position::<ImplementAndReview>::begin();
    for outcome in ["complete", "issues-found"] {
        let _ = position.report(outcome).expect("the step has this outcome");
    }
    position.snapshot()
}

#[test]
fn a_snapshot_as_json() {
    let json = serde_json::to_value(at_fix()).expect("a snapshot serializes");
    let expected = serde_json::json!({
        "recipe": "implement-and-review",
        "fingerprint": ImplementAndReview::OUTLINE.fingerprint.to_string(),
        "step": "fix",
        "visits": { "implement": 1, "code-review": 1, "fix": 1 },
        "steps": 3,
        "restarts": 0,
    });
    assert_eq!(json, expected);
}

#[test]
fn another_recipe_is_refused() {
    let error = RebaseOnMain.resume(&at_fix()).map(|_| ()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "this is a snapshot of recipe `implement-and-review`, not of `rebase`; resume it with the recipe it was taken from"
    );
}

mod before {
    surefire::recipe! {
        pub(crate) recipe Example {
            initial: Work,
            step Work { prompt: "Work.", outcomes: [Complete], Complete => exit TaskCommitted }
        }
    }
}

mod after {
    surefire::recipe! {
        pub(crate) recipe Example {
            initial: Work,
            step Work { prompt: "Work.", outcomes: [Complete], Complete => exit ChangesCommitted }
        }
    }
}

mod only_texts_changed {
    surefire::recipe! {
        /// With other texts and other limits, but the same graph.
        pub(crate) recipe Example {
            label: "Other words",
            model: "opus",
            initial: Work,
            guardrails: { max_step_visits: 1 },
            step Work { prompt: "Work harder.", outcomes: [Complete], Complete => exit TaskCommitted }
        }
    }
}

#[test]
fn another_version_of_the_recipe_is_refused() {
    let snapshot = before::Example::begin().position().snapshot();
    let error = after::Example::resume(&snapshot).map(|_| ()).unwrap_err();
    assert!(matches!(&error, SnapshotError::OtherVersion { recipe: "example", .. }));
    assert!(
        error.to_string().starts_with(
            "recipe `example` has changed since this snapshot was taken (fingerprint "
        )
    );
    assert!(
        error
            .to_string()
            .ends_with("; start the recipe again, or resume with the version that took it")
    );
    assert!(only_texts_changed::Example::resume(&snapshot).is_ok(), "the graph is the same");
}

#[test]
fn damaged_snapshots_are_refused() {
    let good = at_fix();
    let with = |change: fn(&mut Snapshot)| {
        let mut damaged = good.clone();
        change(&mut damaged);
        ImplementAndReview::resume(&damaged).map(|_| ()).unwrap_err().to_string()
    };
    assert_eq!(
        with(|snapshot| snapshot.step = "lunch".to_owned()),
        "the snapshot is damaged: unknown step `lunch`, expected one of: implement, code-review, fix, commit"
    );
    assert_eq!(
        with(|snapshot| snapshot.steps = 2),
        "the snapshot is damaged: 2 steps were taken, but the visits of all steps add up to 3"
    );
    assert_eq!(
        with(|snapshot| snapshot.step = "commit".to_owned()),
        "the snapshot is damaged: the run was at step `commit`, which it says was never entered"
    );
    assert_eq!(
        with(|snapshot| {
            snapshot.visits.remove("implement");
            snapshot.steps = 2;
        }),
        "the snapshot is damaged: the run was at step `implement`, which it says was never entered"
    );
    assert_eq!(
        with(|snapshot| *snapshot.visits.entry("fix".to_owned()).or_default() = u32::MAX),
        "the snapshot is damaged: 3 steps were taken, but the visits of all steps add up to 4294967297"
    );
}

#[test]
fn a_run_beyond_a_lowered_limit_trips_with_what_was_observed() -> Result<(), SnapshotError> {
    let mut snapshot = at_fix();
    snapshot.visits.insert("code-review".to_owned(), 7);
    snapshot.steps = 9;
    let mut position = Position::<ImplementAndReview>::resume(&snapshot)?;
    let surefire::Next::Exit(exit) = position.report("complete").expect("`fix` has this outcome")
    else {
        panic!("the guardrail did not trip")
    };
    let tripped = exit.tripped().expect("a guardrail tripped");
    assert_eq!((tripped.limit, tripped.observed), (3, 8));
    Ok(())
}

#[test]
fn an_exit_displays_its_message_and_its_description() {
    fn endless() -> Result<(), Exit> {
        let mut review = ImplementAndReview::begin().complete()?;
        loop {
            review = review.issues_found()?.complete()?;
        }
    }
    let exit = endless().unwrap_err();
    assert_eq!(
        exit.to_string(),
        "Recipe stopped: step 'code-review' visited too many times (limit 3)"
    );
    assert_eq!(exit.code(), "max-step-visits-exceeded:code-review");
    let described = exit.clone().describe("the tests stay red");
    assert_eq!(
        (described.code(), described.tripped()),
        (exit.code(), exit.tripped()),
        "a description changes neither the code nor the limit"
    );
    assert_eq!(described.description(), Some("the tests stay red"));
    let other = ImplementAndReview::begin().other("no network");
    assert_eq!(other.to_string(), "Recipe exited by user choice: no network");
}
