//! The exit status of a run is the registry's: each reason that the command can bring about, brought about for real.

use std::process::Stdio;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use surefire::{ExitReason, Registry};

use crate::command::{Place, Said};
use crate::own_command;
use crate::process::{begin, eventually};

/// How to get a run of the command to end for a reason.
enum Situation {
    /// The rehearsal plays this in a run of this recipe.
    Plays(&'static str, &'static str),
    /// A run with these options.
    With(&'static [&'static str]),
    /// The agent's CLI does this with every prompt.
    Does(Value),
    /// The same, and the run has these options.
    DoesWith(Value, &'static [&'static str]),
    /// In a command with recipes of its own, the agent reports this.
    Reports(&'static str, &'static str),
    /// Somebody presses Ctrl-C.
    Interrupted,
    /// The command is killed, its agent too, and the run is gone on with.
    Killed,
    /// Another process works in the session.
    Locked,
    /// Shown by another test, which is named here.
    Elsewhere(&'static str),
}

/// The reasons that a command can bring about, each with how. The engine's `producers.rs` has all of the registry.
fn situations() -> Vec<(ExitReason, Situation)> {
    use Situation::{Does, DoesWith, Elsewhere, Interrupted, Killed, Locked, Plays, Reports, With};

    let task = |script| Plays("implement-and-review", script);
    let check = |outcome| Reports("check-release", outcome);
    vec![
        (ExitReason::TaskCommitted, task("happy")),
        (ExitReason::ChangesCommitted, Plays("review-and-commit", "happy")),
        (ExitReason::DesignCommitted, Plays("document-design", "happy")),
        (ExitReason::DesignRefinedAndCommitted, Plays("refine-design", "happy")),
        (ExitReason::TasksCommitted, Plays("break-down-tasks", "happy")),
        (ExitReason::NoChangesToCommit, task("nothing-to-commit")),
        (ExitReason::NoTasksAvailable, task("no-tasks")),
        (ExitReason::RebaseComplete, Plays("rebase", "happy")),
        (ExitReason::RetrospectiveComplete, Plays("retrospective", "happy")),
        (ExitReason::RestartNewSession, Elsewhere("a_chain_of_runs_is_followed_to_its_end")),
        (ExitReason::ClarificationNeeded, Plays("rebase", "questions")),
        (ExitReason::ImplementationBlocked, task("blocked")),
        (ExitReason::NoDesignDocumentFound, Plays("refine-design", "not-found")),
        (ExitReason::ConflictsRequireHumanIntervention, Plays("rebase", "blocked")),
        (ExitReason::UserProvidedOther, task("other")),
        (ExitReason::UserRequested, Elsewhere("a_run_that_somebody_else_ends_says_so")),
        (ExitReason::UserStopped, Interrupted),
        (ExitReason::OrchestrationDisabled, Elsewhere("where_recipes_are_switched_off_nothing_starts")),
        (ExitReason::MaxTotalSteps, check("mended")),
        (ExitReason::MaxStepVisitsExceeded, task("never-satisfied")),
        (ExitReason::MaxRestarts, Reports("check-all-releases", "checked")),
        (
            ExitReason::CostBudget,
            DoesWith(json!({ "cost_usd": 2.0, "pick": "issues-found" }), &["--budget-usd", "1.50"]),
        ),
        (ExitReason::Timeout, With(&["--rehearse", "slow", "--time", "100ms"])),
        (ExitReason::MaxTicks, With(&["--rehearse", "happy", "--max-ticks", "1"])),
        (ExitReason::Stalled, DoesWith(json!({ "act": "silence" }), &["--silence", "200ms"])),
        (ExitReason::GuardViolation, check("out-of-scope")),
        (ExitReason::LockfileViolation, check("lockfile-changed")),
        (ExitReason::DirtyWorktree, check("dirty")),
        (ExitReason::FileCollision, check("overlaps")),
        (ExitReason::PermissionDenied, task("denied")),
        (ExitReason::SessionLocked, Locked),
        (ExitReason::OutputLimit, Does(json!({ "act": "huge-line", "megabytes": 9 }))),
        (ExitReason::ReviewLoopDetected, check("review-goes-round")),
        (ExitReason::ReviewRejected, check("rejected")),
        (ExitReason::OrchestrationError, task("garbage")),
        (ExitReason::Error, Does(json!({ "act": "wrong-session" }))),
        // A run can only break by a mistake of ours, and none of the bundled recipes has a step without a prompt.
        (ExitReason::InternalError, Elsewhere("every_reason_has_a_producer")),
        (ExitReason::NoPrompt, Elsewhere("a_step_with_nothing_to_say_ends_the_run")),
        (ExitReason::Interrupted, Killed),
        (ExitReason::StorageError, Elsewhere("a_full_disk_pauses_the_run_and_nothing_unsaved_is_announced")),
        (ExitReason::RateLimited, task("rate-limited")),
        (ExitReason::AuthRequired, Does(json!({ "act": "auth" }))),
        (ExitReason::ApiOverloaded, task("overloaded")),
        (ExitReason::ContextExhausted, task("context-full")),
        (ExitReason::VerificationFailed, check("tests-fail")),
        (ExitReason::VerificationTimeout, check("tests-hang")),
        (ExitReason::WorkerBlocked, check("stuck")),
        (ExitReason::WorkerFailed, task("crash")),
        (ExitReason::WorkerTimeout, With(&["--rehearse", "slow", "--turn-time", "100ms"])),
    ]
}

/// Brings a run about, and gives back what it printed as messages; `None` where that is done elsewhere.
fn play(situation: Situation) -> Option<Said> {
    let place = Place::new();
    let run = ["run", "implement-and-review", "--json", "--pace-ms", "0"];
    let said = match situation {
        Situation::Plays(recipe, script) => {
            place.run(&["run", recipe, "--json", "--pace-ms", "0", "--rehearse", script])
        }
        Situation::With(options) => place.run(&[&run[..], options].concat()),
        Situation::Does(answer) => Said::of(&mut place.with_agent(&answer, &run), &place),
        Situation::DoesWith(answer, options) => {
            Said::of(&mut place.with_agent(&answer, &[&run[..], options].concat()), &place)
        }
        Situation::Reports(recipe, outcome) => {
            let words = ["run", recipe, "--json"];
            let mut command = place.program(&own_command(), &words);
            Said::of(place.hire(&mut command, &json!({ "pick": outcome })), &place)
        }
        Situation::Interrupted => interrupted(&place),
        Situation::Killed => killed(&place),
        Situation::Locked => locked(&place),
        Situation::Elsewhere(test) => {
            assert!(elsewhere().contains(&format!("fn {test}(")), "{test}");
            return None;
        }
    };
    Some(said)
}

fn interrupted(place: &Place) -> Said {
    let mut running = place.begin(&["run", "implement-and-review", "--json", "--rehearse", "slow"]);
    running.until("recipe_step_started");
    running.signal(Signal::INT);
    running.ended()
}

/// Both the command and its agent end without a word, as if the machine had lost its power.
fn killed(place: &Place) -> Said {
    let mut command =
        place.with_agent(&json!({ "act": "silence" }), &["run", "implement-and-review", "--json"]);
    let mut running = begin(&mut command);
    running.until("recipe_step_started");
    let calls = place.path().join("calls.jsonl");
    let agent = eventually(|| fake_claude::calls(&calls).iter().find_map(|call| call["pid"].as_i64()));
    running.signal(Signal::KILL);
    running.ended_somehow();
    let agent = Pid::from_raw(i32::try_from(agent).expect("it is a pid")).expect("it is one");
    kill_process(agent, Signal::KILL).expect("it still works");
    Said::of(&mut place.with_agent(&json!({}), &["resume", "--json"]), place)
}

fn locked(place: &Place) -> Said {
    let session = "3f2a8c1e-5b7d-4e90-a1c6-9d8e7f6a5b4c";
    let words = ["run", "implement-and-review", "--json", "--session", session];
    let mut first = begin(&mut place.with_agent(&json!({ "act": "interruptible" }), &words));
    first.until("recipe_step_started");
    let calls = place.path().join("calls.jsonl");
    eventually(|| (fake_claude::count(&calls, "began") > 0).then_some(()));
    let mut second = place.with_agent(&json!({}), &words);
    let said = Said::of(second.env("SUREFIRE_DATA", place.path().join("other")), place);
    first.signal(Signal::INT);
    assert_eq!(first.ended().status, 130);
    said
}

/// The sources of the tests that are named above.
fn elsewhere() -> String {
    [
        include_str!("running.rs"),
        include_str!("guests.rs"),
        include_str!("../engine/producers.rs"),
        include_str!("../engine/storage.rs"),
        include_str!("../pure/run/decisions.rs"),
    ]
    .concat()
}

#[test]
fn every_run_ends_with_the_exit_status_of_its_reason() {
    // Three at a time: each is a process that mostly waits.
    let mut parts: [Vec<_>; 3] = Default::default();
    for (index, case) in situations().into_iter().enumerate() {
        parts[index % 3].push(case);
    }
    std::thread::scope(|scope| {
        for part in parts {
            scope.spawn(|| part.into_iter().for_each(|(reason, situation)| ends_in(reason, situation)));
        }
    });
}

fn ends_in(reason: ExitReason, situation: Situation) {
    let Some(said) = play(situation) else { return };
    let last = said.out.lines().rev().find(|line| line.contains(r#""type":"recipe_exited""#));
    let exited: Value = serde_json::from_str(last.unwrap_or_else(|| panic!("{reason}: {said:?}"))).unwrap();
    let found = ExitReason::lookup(exited["reason"].as_str().expect("it has a reason"));
    assert_eq!(found, Some(reason), "{said:?}");
    let expected = i32::from(reason.definition().exit_code);
    assert_eq!((said.status, &exited["exit_code"]), (expected, &json!(expected)), "{reason}: {}", said.err);
}

/// A script that asks for nothing but the status gets it from the card as well.
#[test]
fn the_status_does_not_depend_on_how_the_run_is_shown() {
    for (script, status) in [("happy", 0), ("blocked", 33), ("garbage", 13), ("never-satisfied", 129)] {
        let place = Place::new();
        let words = ["run", "implement-and-review", "--pace-ms", "0", "--rehearse", script];
        let mut silent = place.surefire(&words);
        silent.stdout(Stdio::null());
        assert_eq!(silent.status().unwrap().code(), Some(status), "{script}");
    }
}
