//! What a run may not do, and what its work has to pass: the engine inspects the work tree, or runs
//! a command.

use std::os::unix::fs::PermissionsExt;

use rustix::process::Signal;
use serde_json::{Value, json};
use surefire::ExitReason;
use surefire::store::Sqlite;

use super::check;
use super::scene::{End, Scene, always, at_the_step_that_offers, reporting};
use super::table::Basis;
use crate::command::CommandOutput;
use crate::wire_client::ask;

/// An agent that writes this file in its first step.
fn writing(path: &str) -> Value {
    let write = json!({ "write": { "path": path, "content": "changed\n" } });
    at_the_step_that_offers("complete", &json!({ "tries": [write] }))
}

/// The recipe denies `secrets/**`.
pub(super) fn writes_a_denied_file() -> End {
    Scene::example("every_reason", writing("secrets/key")).run(&["keep-secrets"])
}

/// The recipe does not allow lockfiles to change.
pub(super) fn changes_a_lockfile() -> End {
    Scene::new(writing("Cargo.lock")).run(&["document-design"])
}

/// A tracked file has uncommitted changes before the run.
pub(super) fn begins_in_a_dirty_tree() -> End {
    let scene = Scene::new(json!({}));
    scene.write("notes.txt", "two\n");
    refused(scene, "rebase")
}

/// The recipe needs a task, none is given, and the project has no tracker.
pub(super) fn begins_without_a_task() -> End {
    let scene = Scene::new(json!({}));
    std::fs::remove_dir(scene.place.project().join(".beads")).expect("it is empty");
    let end = refused(scene, "implement-and-review");
    let words = end.exited["description"].as_str().expect("it says what is missing");
    let example = r#"`surefire run implement-and-review "fix the rounding in cart.rs"`"#;
    assert!(words.contains(example) && words.contains("install `bd`"), "{words}");
    assert_eq!(fake_claude::calls(&end.scene.calls()).len(), 0, "no turn is paid for");
    end
}

/// The agent of another run works in the same work tree.
pub(super) fn begins_where_another_run_works() -> End {
    let scene = Scene::new(always(&json!({ "act": "interruptible" })));
    let mut first = scene.begin(&["run", "implement-and-review", "--json"]);
    first.until("recipe_step_started");
    let holder =
        Sqlite::holder(&scene.place.data()).expect("it can be read").expect("the run holds it");
    let address = holder.address.expect("its process listens");
    let ready = json!({ "ws_url": format!("ws://{address}"), "key_file": holder.key_file });
    let exited = ask(&ready, &scene.start("implement-and-review"), "recipe_exited");
    let output = scene.output(&["run", "implement-and-review", "--json"]);
    first.signal(Signal::INT);
    assert_eq!(first.ended().status, 130);
    End::refused(scene, exited, &output)
}

/// The agent may not run the script that it needs, so it commits nothing.
pub(super) fn is_refused_a_tool() -> End {
    let answer = json!({ "tries": [{ "bash": "./publish" }], "claims": true });
    Scene::new(at_the_step_that_offers("committed", &answer)).run(&["implement-and-review"])
}

/// Each review reports the same findings.
pub(super) fn finds_the_same_again() -> End {
    let review = r#"{"outcome": "issues-found", "findings": ["The cart is empty."]}"#;
    let plan = at_the_step_that_offers("no-issues", &json!({ "text": review }));
    Scene::new(plan).run(&["implement-and-review"])
}

/// The project's own check fails after every retry.
pub(super) fn fails_its_check() -> End {
    let scene = Scene::example("proof_of_work", json!({}));
    scene.write("check", "#!/bin/sh\necho the cart is empty\nexit 1\n");
    let check = scene.place.project().join("check");
    std::fs::set_permissions(check, PermissionsExt::from_mode(0o755)).expect("the test created it");
    let end = scene.run(&["polish-a-file"]);
    let error = end.exited["error"].as_str().expect("it says what failed");
    assert!(error.contains("`./check quick` failed with exit status 1"), "{error}");
    end
}

/// The command of a step takes longer than it may.
pub(super) fn outlasts_its_check() -> End {
    Scene::example("every_reason", json!({})).run(&["check-slowly"])
}

/// A start that the server refuses to a client and to a command.
fn refused(scene: Scene, recipe: &str) -> End {
    let (server, ready) = scene.serve();
    let exited = ask(&ready, &scene.start(recipe), "recipe_exited");
    let output = scene.output(&["run", recipe, "--json"]);
    drop(server);
    End::refused(scene, exited, &output)
}

#[test]
fn a_run_that_changes_the_projects_own_file_violates_its_scope() {
    let end = Scene::new(writing("surefire.toml")).run(&["implement-and-review"]);
    check::holds(ExitReason::GuardViolation, Basis::Engine, &end);
}

#[test]
fn a_given_task_needs_no_tracker() {
    let scene = Scene::new(reporting(&["blocked"]));
    std::fs::remove_dir(scene.place.project().join(".beads")).expect("it is empty");
    let end = scene.run(&["implement-and-review", "fix the rounding in cart.rs"]);
    check::holds(ExitReason::ImplementationBlocked, Basis::Agent, &end);
}

#[test]
fn a_recipe_that_needs_a_repository_is_refused_outside_of_one() {
    let scene = Scene::new(json!({}));
    let mut command = scene.command(&["run", "implement-and-review", "--json"]);
    let outside = scene.place.path().join("outside");
    std::fs::create_dir(&outside).expect("there is room");
    command.current_dir(&outside).env("GIT_CEILING_DIRECTORIES", scene.place.path());
    let output = CommandOutput::of(&mut command, &scene.place);
    let (_server, ready) = scene.serve();
    let mut start = scene.start("implement-and-review");
    start["working_directory"] = json!(outside);
    let exited = ask(&ready, &start, "recipe_exited");
    check::holds(ExitReason::GuardViolation, Basis::Engine, &End::refused(scene, exited, &output));
}
