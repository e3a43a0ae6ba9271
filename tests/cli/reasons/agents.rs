//! What an agent's CLI prints, or does not, when something is wrong with it.

use rustix::process::Signal;
use serde_json::json;
use surefire_testkit::make_work_tree;

use super::scene::{End, Scene, always};
use crate::process::{begin, eventually};

/// The CLI does this with every prompt, as the real one does; `fake_claude::Act` says what.
pub(super) fn acts(act: &str) -> End {
    Scene::new(always(&json!({ "act": act }))).run(&["implement-and-review"])
}

/// The CLI works in the session for a process with another data directory, and in another work tree.
pub(super) fn works_for_another_process() -> End {
    let session = "3f2a8c1e-5b7d-4e90-a1c6-9d8e7f6a5b4c";
    let words = ["run", "implement-and-review", "--json", "--session", session];
    let scene = Scene::new(always(&json!({ "act": "interruptible" })));
    let (data, project) = (scene.place.path().join("other-data"), scene.place.path().join("other-project"));
    std::fs::create_dir(&project).expect("there is room");
    make_work_tree(&project, &[]);
    let mut first = scene.command(&words);
    let mut first = begin(first.env("SUREFIRE_DATA", &data).current_dir(&project));
    first.until("recipe_step_started");
    eventually(|| (fake_claude::count(&scene.calls(), "began") > 0).then_some(()));
    let said = scene.says(&words);
    first.signal(Signal::INT);
    assert_eq!(first.ended().status, 130);
    End::of(scene, &said)
}
