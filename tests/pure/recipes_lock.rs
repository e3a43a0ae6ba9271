//! `recipes.lock`: how a change to a recipe is graded.

use surefire::{Catalog, LockGrade, RecipesLock, catalog};

#[cfg(feature = "recipes")]
#[test]
fn runs_in_progress_can_follow_the_bundled_recipes() {
    surefire::assert_recipes_lock!(surefire::recipes::BUNDLED, "recipes.lock");
}

mod first {
    surefire::recipe! {
        pub(super) recipe Ship {
            initial: Build,
            guardrails: { max_step_visits: 3 },
            step Build { prompt: "Build.", outcomes: [Done], Done => Review }
            step Review { prompt: "Review.", outcomes: [Fine, Found], Fine => exit TaskCommitted, Found => Build }
        }
    }
    surefire::recipe! {
        pub(super) recipe Retire {
            initial: Work,
            step Work { prompt: "Work.", outcomes: [Done], Done => exit TaskCommitted }
        }
    }
}

mod renamed {
    surefire::recipe! {
        pub(super) recipe Ship {
            initial: Build,
            guardrails: { max_step_visits: 9 },
            step Audit { prompt: "Audit.", outcomes: [Fine, Found], Fine => exit TaskCommitted, Found => Build }
            step Build { prompt: "Make.", outcomes: [Done], Done => Audit }
        }
    }
}

mod mapped {
    surefire::recipe! {
        pub(super) recipe Ship {
            initial: Prepare,
            guardrails: { max_step_visits: 3 },
            step Prepare { prompt: "Prepare.", outcomes: [Done], Done => Build }
            step Build { prompt: "Build.", outcomes: [Done], Done => Audit }
            step Audit { was: [Review], prompt: "Audit.", outcomes: [Fine, Found], Fine => exit TaskCommitted, Found => Build }
        }
    }
}

mod longer {
    surefire::recipe! {
        pub(super) recipe Ship {
            initial: Build,
            guardrails: { max_step_visits: 3 },
            step Build { prompt: "Build.", outcomes: [Done], Done => Review }
            step Review { prompt: "Review.", outcomes: [Fine, Found], Fine => Push, Found => Build }
            step Push { prompt: "Push.", outcomes: [Done], Done => exit TaskCommitted }
        }
    }
}

static FIRST: Catalog = catalog![first::Ship, first::Retire];
static RENAMED: Catalog = catalog![renamed::Ship, first::Retire];
static MAPPED: Catalog = catalog![mapped::Ship, first::Retire];
static LONGER: Catalog = catalog![longer::Ship, first::Retire];
static RETIRED: Catalog = catalog![first::Ship];

const LOCK: &str = "\
# The graphs of our recipes, as runs in progress know them. Generated: see `surefire::assert_recipes_lock!`.

recipe retire, from work
  step work
    done => exit task-committed
    other => exit user-provided-other

recipe ship, from build
  step build
    done => review
    other => exit user-provided-other
  step review
    fine => exit task-committed
    found => build
    other => exit user-provided-other
";

#[test]
fn the_lock_is_a_readable_text() {
    assert_eq!(RecipesLock::of(FIRST).to_string(), LOCK);
    assert_eq!(RecipesLock::parse(LOCK), Ok(RecipesLock::of(FIRST)));
    for (damaged, error) in [
        (
            LOCK.replace(", from", " from"),
            "line 3 of the lock cannot be read: expected `recipe <id>, from <step>`",
        ),
        (
            LOCK.replace("recipe retire, from work\n", ""),
            "line 3 of the lock cannot be read: expected `recipe <id>, from <step>`",
        ),
        (
            LOCK.replace("  step work\n", ""),
            "line 4 of the lock cannot be read: expected `step <name>` before outcomes",
        ),
        (
            LOCK.replace("  step build", "<<<<<<< HEAD"),
            "line 9 of the lock cannot be read: expected `step <name>` or `<outcome> => <next>`",
        ),
    ] {
        assert_eq!(RecipesLock::parse(&damaged).unwrap_err().to_string(), error);
    }
}

#[test]
fn a_change_is_graded() {
    let grade = |now| {
        let changes = RecipesLock::of(FIRST).changes(now);
        changes.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
    };
    assert_eq!(grade(FIRST), "");
    assert_eq!(
        grade(RENAMED),
        "recipe `ship`: add `was`, or runs in progress stop\n  \
         step `review` is gone (if it is `audit` now, add `was: [Review]` to that)"
    );
    assert_eq!(
        grade(MAPPED),
        "recipe `ship`: runs in progress continue\n  \
         a run begins with step `prepare` and not with `build`\n  step `prepare` was added"
    );
    assert_eq!(
        grade(LONGER),
        "recipe `ship`: runs at these steps stop: `build`, `review`\n  \
         outcome `fine` of step `review` leads to `push` and not to `exit task-committed`\n  \
         step `push` was added"
    );
    assert_eq!(grade(RETIRED), "recipe `retire`: it is gone, and every run of it stops");
    let added = RecipesLock::of(RETIRED).changes(FIRST);
    assert_eq!(added.len(), 1);
    assert_eq!(added[0].grade, LockGrade::Compatible);
}

#[test]
fn only_a_change_that_every_run_can_follow_is_written_without_asking() {
    let verify = |now, update| RecipesLock::verify(now, Some(LOCK), update);
    let current = |catalog| Ok(Some(RecipesLock::of(catalog).to_string()));
    assert_eq!(verify(FIRST, None), Ok(None));
    assert_eq!(verify(FIRST, Some("1")), Ok(None));
    let error = verify(MAPPED, None).unwrap_err();
    assert!(
        error.ends_with("every run continues; write it with `UPDATE_RECIPES_LOCK=1 cargo test`"),
        "{error}"
    );
    assert_eq!(verify(MAPPED, Some("1")), current(MAPPED));
    for catalog in [RENAMED, LONGER, RETIRED] {
        assert!(verify(catalog, None).is_err());
        assert!(
            verify(catalog, Some("1")).unwrap_err().starts_with("runs in progress cannot follow")
        );
        assert_eq!(verify(catalog, Some("breaking")), current(catalog));
    }
    assert!(RecipesLock::verify(FIRST, None, None).unwrap_err().contains("there is no lock"));
    assert_eq!(RecipesLock::verify(FIRST, None, Some("1")), current(FIRST));
    let conflict = RecipesLock::verify(FIRST, Some("<<<<<<<"), Some("1")).unwrap_err();
    assert!(conflict.contains("restore it"), "{conflict}");
    assert_eq!(RecipesLock::verify(FIRST, Some("<<<<<<<"), Some("breaking")), current(FIRST));
}
