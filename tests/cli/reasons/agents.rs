//! What an agent's CLI prints, or does not, when something is wrong with it.

use rustix::process::Signal;
use serde_json::json;

use super::scene::{End, Scene, always};
use crate::command::Said;
use crate::process::eventually;

/// The CLI does this with every prompt, as the real one does; `fake_claude::Act` says what.
pub(super) fn acts(act: &str) -> End {
    Scene::new(always(&json!({ "act": act }))).run(&["implement-and-review"])
}

/// The CLI works in the session for a process with another data directory. A recipe that changes no files shares the work tree.
pub(super) fn works_for_another_process() -> End {
    let session = "3f2a8c1e-5b7d-4e90-a1c6-9d8e7f6a5b4c";
    let words = ["run", "retrospective", "--json", "--session", session];
    let scene = Scene::new(always(&json!({ "act": "interruptible" })));
    let other = scene.place.path().join("other");
    let mut first = crate::process::begin(scene.command(&words).env("SUREFIRE_DATA", &other));
    first.until("recipe_step_started");
    eventually(|| (fake_claude::count(&scene.calls(), "began") > 0).then_some(()));
    let said = Said::of(&mut scene.command(&words), &scene.place);
    first.signal(Signal::INT);
    assert_eq!(first.ended().status, 130);
    End::of(scene, &said)
}
