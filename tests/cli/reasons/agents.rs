//! Ends that an agent's CLI causes by what it prints, or fails to print.

use rustix::process::Signal;
use serde_json::json;
use surefire_testkit::make_work_tree;

use super::scene::{End, Scene, always};
use crate::process::{begin, eventually};

/// The CLI responds to every prompt with this act of the real one, listed in `fake_claude::Act`.
pub(super) fn acts(act: &str) -> End {
    Scene::new(always(&json!({ "act": act }))).run(&["implement-and-review"])
}

/// The CLI works in the session for a process with another data directory, and in another work
/// tree.
pub(super) fn works_for_another_process() -> End {
    let session = "3f2a8c1e-5b7d-4e90-a1c6-9d8e7f6a5b4c";
    let words = ["run", "implement-and-review", "a task", "--json", "--session", session];
    let scene = Scene::new(always(&json!({ "act": "interruptible" })));
    let (data, project) =
        (scene.place.path().join("other-data"), scene.place.path().join("other-project"));
    std::fs::create_dir(&project).expect("there is room");
    make_work_tree(&project, &[]);
    let mut first = scene.command(&words);
    let mut first = begin(first.env("SUREFIRE_DATA", &data).current_dir(&project));
    first.until("recipe_step_started");
    eventually(|| (fake_claude::count(&scene.calls(), "began") > 0).then_some(()));
    let output = scene.output(&words);
    first.signal(Signal::INT);
    assert_eq!(first.ended().status, 130);
    End::of(scene, &output)
}
