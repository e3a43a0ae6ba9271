//! A snapshot resumes where it was taken, or the error says why it cannot.

#![cfg(feature = "recipes")]

use std::collections::{BTreeMap, BTreeSet};

use surefire::recipes::{ImplementAndReview, RebaseOnMain};
use surefire::{AnyRecipe, Exit, Next, Position, Snapshot, SnapshotError};

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

/// A snapshot of `implement-and-review` with these visits.
fn visited(step: &str, visits: &[(&str, u32)]) -> Snapshot {
    let visits: BTreeMap<_, _> =
        visits.iter().map(|(step, count)| ((*step).to_owned(), *count)).collect();
    let steps = visits.values().sum();
    Snapshot { step: step.to_owned(), visits, steps, ..at_fix() }
}

#[test]
fn what_no_run_can_reach_is_refused() {
    let refused = |step: &str, visits: &[(&str, u32)]| {
        ImplementAndReview::resume(&visited(step, visits)).map(|_| ()).unwrap_err().to_string()
    };
    assert_eq!(
        refused("commit", &[("implement", 1), ("commit", 1)]),
        "the snapshot is damaged: step `commit` was entered, but none of the steps before it leads there"
    );
    assert_eq!(
        refused("code-review", &[("implement", 1), ("code-review", 1), ("commit", 1)]),
        "the snapshot is damaged: step `commit` was entered, but from there no step that was entered leads to `code-review`, where the run was"
    );
    assert_eq!(
        refused("commit", &[("implement", 1), ("code-review", 1), ("commit", 2)]),
        "the snapshot is damaged: step `commit` was entered 2 times, but no step that was entered leads back to it"
    );
    assert_eq!(
        refused("fix", &[("implement", 1), ("code-review", 1), ("fix", 3)]),
        "the snapshot is damaged: step `fix` was entered 3 times, but the steps before it allow only 1"
    );
    assert_eq!(
        refused("fix", &[("implement", 1), ("code-review", 3), ("fix", 2)]),
        "the snapshot is damaged: step `code-review` was entered 3 times, but the steps before it allow only 2"
    );
    assert_eq!(
        refused("code-review", &[("implement", 1), ("code-review", 1), ("fix", 1)]),
        "the snapshot is damaged: step `fix` was entered once, but the steps before it allow only 0"
    );
    assert_eq!(
        refused("implement", &[("implement", 1), ("code-review", 1)]),
        "the snapshot is damaged: step `code-review` was entered, but from there no step that was entered leads to `implement`, where the run was"
    );
    assert_eq!(
        refused("code-review", &[("implement", 1), ("code-review", 900), ("fix", 899)]),
        "step `code-review` was entered 900 times, and its limit is 3; resume it within the limits that its run had"
    );
}

mod branches {
    surefire::recipe! {
        pub(crate) recipe Branches {
            initial: Sort,
            guardrails: { max_total_steps: 4 },
            step Sort { prompt: "Sort it.", outcomes: [Small, Large], Small => Patch, Large => Rewrite }
            step Patch { prompt: "Patch it.", outcomes: [Done, Wrong], Done => Ship, Wrong => Sort }
            step Rewrite { prompt: "Rewrite it.", outcomes: [Done], Done => Ship }
            step Ship { prompt: "Ship it.", outcomes: [Done], Done => exit TaskCommitted }
        }
    }
}

#[test]
fn steps_that_exclude_each_other_and_too_many_steps_are_refused() {
    use branches::Branches;
    let taken = |step: &str, visits: &[(&str, u32)]| {
        let outline = Branches::OUTLINE;
        Snapshot {
            recipe: outline.id.to_owned(),
            fingerprint: outline.fingerprint.to_string(),
            ..visited(step, visits)
        }
    };
    let refused = |snapshot: &Snapshot| Branches::resume(snapshot).map(|_| ()).unwrap_err();
    // `sort` leads to each of them, so it was entered twice.
    let skipped = taken("ship", &[("sort", 1), ("rewrite", 1), ("patch", 1), ("ship", 1)]);
    assert_eq!(
        refused(&skipped).to_string(),
        "the snapshot is damaged: step `patch` was entered once, but the steps before it allow only 0"
    );
    let long = taken("ship", &[("sort", 2), ("rewrite", 1), ("patch", 1), ("ship", 1)]);
    assert_eq!(
        refused(&long).to_string(),
        "the run took 5 steps, and its limit is 4; resume it within the limits that its run had"
    );
    let raised = Branches::OUTLINE.guardrails.raised_by(0, 1);
    assert!(Position::<Branches>::resume_within(&long, &raised).is_ok());
}

mod fork {
    surefire::recipe! {
        pub(crate) recipe Fork {
            initial: Sort,
            step Sort { prompt: "Sort it.", outcomes: [Small, Large], Small => Patch, Large => Rewrite }
            step Patch { prompt: "Patch it.", outcomes: [Done], Done => Ship }
            step Rewrite { prompt: "Rewrite it.", outcomes: [Done], Done => Ship }
            step Ship { prompt: "Ship it.", outcomes: [Done], Done => exit TaskCommitted }
        }
    }
}

#[test]
fn both_branches_of_a_fork_are_refused() {
    let outline = fork::Fork::OUTLINE;
    let both = Snapshot {
        recipe: outline.id.to_owned(),
        fingerprint: outline.fingerprint.to_string(),
        ..visited("ship", &[("sort", 1), ("rewrite", 1), ("patch", 1), ("ship", 1)])
    };
    let error = fork::Fork::resume(&both).map(|_| ()).unwrap_err();
    assert!(matches!(error, SnapshotError::NeverBoth { .. }), "{error}");
    assert!(error.to_string().contains("`rewrite`") && error.to_string().contains("`patch`"));
}

mod hub {
    surefire::recipe! {
        pub(crate) recipe Hub {
            initial: Sort,
            guardrails: { max_total_steps: 30 },
            step Sort {
                prompt: "Sort it.",
                outcomes: [Bug, Question, Nothing],
                Bug => Fix,
                Question => Answer,
                Nothing => exit NoTasksAvailable,
            }
            step Answer { prompt: "Answer it.", outcomes: [Done], Done => Sort }
            step Fix { prompt: "Fix it.", outcomes: [Done], Done => Test }
            step Test { prompt: "Test it.", outcomes: [Done], Done => Sort }
        }
    }
}

#[test]
fn a_step_that_was_left_for_nowhere_is_refused() {
    let outline = hub::Hub::OUTLINE;
    let left = Snapshot {
        recipe: outline.id.to_owned(),
        fingerprint: outline.fingerprint.to_string(),
        ..visited("sort", &[("sort", 3), ("answer", 1), ("fix", 2), ("test", 1)])
    };
    assert_eq!(
        hub::Hub::resume(&left).map(|_| ()).unwrap_err().to_string(),
        "the snapshot is damaged: step `fix` was left 2 times, but the steps after it allow only 1"
    );
}

/// For every count up to the limit: what resumes is what a run can reach, and nothing else.
#[test]
fn exactly_what_a_run_can_reach_resumes() {
    let names = ImplementAndReview::OUTLINE.steps.iter().map(|step| step.name);
    let names: Vec<_> = names.collect();
    let (mut reachable, mut open) = (BTreeSet::new(), vec![Position::begin()]);
    while let Some(position) = open.pop() {
        let position: Position<ImplementAndReview> = position;
        for outcome in 0..position.outline().outcomes.len() {
            let mut next = position.clone();
            if let Some(Next::Step(_)) = next.take(outcome) {
                open.push(next);
            }
        }
        let Snapshot { step, visits, .. } = position.snapshot();
        reachable.insert((step, visits));
    }
    let mut resumed = BTreeSet::new();
    for code in 0..5_u32.pow(4) {
        let counts = names.iter().zip([1, 5, 25, 125]);
        let counts = counts.map(|(step, place)| (*step, code / place % 5));
        let counts: Vec<_> = counts.filter(|(_, count)| *count > 0).collect();
        for step in &names {
            let snapshot = visited(step, &counts);
            if ImplementAndReview::resume(&snapshot).is_ok() {
                resumed.insert((snapshot.step, snapshot.visits));
            }
        }
    }
    assert_eq!(resumed, reachable);
}

#[test]
fn a_run_beyond_a_lowered_limit_trips_with_what_was_observed() -> Result<(), SnapshotError> {
    let snapshot = visited("fix", &[("implement", 1), ("code-review", 7), ("fix", 7)]);
    let raised = ImplementAndReview::OUTLINE.guardrails.raised_by(4, 0);
    let mut position = Position::<ImplementAndReview>::resume_within(&snapshot, &raised)?;
    let surefire::Next::Exit(exit) = position.report("complete").expect("`fix` has this outcome")
    else {
        panic!("the guardrail did not trip")
    };
    let tripped = exit.tripped().expect("a guardrail tripped");
    assert_eq!((tripped.limit, tripped.observed), (3, 8));
    Ok(())
}

mod in_another_order {
    surefire::recipe! {
        pub(crate) recipe Branches {
            initial: Sort,
            step Ship { prompt: "Ship it.", outcomes: [Done], Done => exit TaskCommitted }
            step Patch { prompt: "Patch it.", outcomes: [Wrong, Done], Done => Ship, Wrong => Sort }
            step Sort { prompt: "Sort it.", outcomes: [Large, Small], Small => Patch, Large => Rewrite }
            step Rewrite { prompt: "Rewrite it.", outcomes: [Done], Done => Ship }
            guardrails: { max_total_steps: 4 },
        }
    }
}

mod beginning_elsewhere {
    surefire::recipe! {
        pub(crate) recipe Branches {
            initial: Patch,
            guardrails: { max_total_steps: 4 },
            step Sort { prompt: "Sort it.", outcomes: [Small, Large], Small => Patch, Large => Rewrite }
            step Patch { prompt: "Patch it.", outcomes: [Done, Wrong], Done => Ship, Wrong => Sort }
            step Rewrite { prompt: "Rewrite it.", outcomes: [Done], Done => Ship }
            step Ship { prompt: "Ship it.", outcomes: [Done], Done => exit TaskCommitted }
        }
    }
}

#[test]
fn the_order_in_the_source_does_not_matter() {
    let (one, other) = (branches::Branches::OUTLINE, in_another_order::Branches::OUTLINE);
    assert_eq!(one.fingerprint, other.fingerprint);
    assert_ne!(one.former_fingerprint, other.former_fingerprint);
    assert_ne!(one.fingerprint, beginning_elsewhere::Branches::OUTLINE.fingerprint);
    let mut position = Position::<branches::Branches>::begin();
    let _ = position.report("small").expect("`sort` has this outcome");
    let resumed = Position::<in_another_order::Branches>::resume(&position.snapshot());
    assert_eq!(resumed.map(|resumed| resumed.outline().name), Ok("patch"));
}

/// The fingerprint of `implement-and-review` as programs wrote it before the order of the steps
/// stopped to matter.
const FORMER: &str = "4c6816098f09fb14";

#[test]
fn a_snapshot_with_the_former_fingerprint_resumes() {
    let former = Snapshot { fingerprint: FORMER.to_owned(), ..at_fix() };
    assert_eq!(ImplementAndReview::OUTLINE.former_fingerprint.to_string(), FORMER);
    assert!(ImplementAndReview::resume(&former).is_ok());
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
