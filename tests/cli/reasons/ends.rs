//! Ends with an outside cause: a person, another client, a process that dies, a full disk, a panic
//! in a recipe.

use std::path::Path;

use rustix::fs::{CWD, Mode, mkfifoat};
use rustix::process::{Pid, Resource, Rlimit, Signal, kill_process, prlimit};
use serde_json::{Value, json};
use surefire::ExitReason;

use super::check;
use super::scene::{End, Left, Scene, always};
use super::table::Basis;
use crate::process::{begin, eventually};
use crate::wire_client::ask;

const TASK: [&str; 3] = ["run", "implement-and-review", "--json"];

/// An agent that works until it is stopped.
fn busy() -> Scene {
    Scene::new(always(&json!({ "act": "interruptible" })))
}

/// The agent's process, once it runs.
fn agent(scene: &Scene) -> Pid {
    let pid = eventually(|| {
        fake_claude::calls(&scene.calls()).iter().find_map(|call| call["pid"].as_i64())
    });
    Pid::from_raw(i32::try_from(pid).expect("pids are small")).expect("and not zero")
}

/// A person presses Ctrl-C while the agent works.
pub(super) fn stopped_with_ctrl_c() -> End {
    let scene = busy();
    let mut running = scene.begin(&TASK);
    running.until("recipe_step_started");
    agent(&scene);
    running.signal(Signal::INT);
    let output = running.ended();
    End::of(scene, &output)
}

/// Another client of the server ends the run.
pub(super) fn asked_for_by_a_client() -> End {
    let scene = busy();
    let (server, ready) = scene.serve();
    let mut remote = scene.begin(&TASK);
    let session = remote.until("recipe_step_started")["session_id"].clone();
    agent(&scene);
    ask(&ready, &json!({ "type": "exit_recipe", "session_id": session }), "recipe_exited");
    let output = remote.ended();
    server.signal(Signal::INT);
    assert_eq!(server.ended().status, 0);
    End::of(scene, &output)
}

/// A client has switched recipes off.
pub(super) fn switched_off_by_a_client() -> End {
    let scene = Scene::new(json!({}));
    let (server, ready) = scene.serve();
    ask(&ready, &json!({ "type": "set_orchestration", "enabled": false }), "orchestration_set");
    let exited = ask(&ready, &scene.start("implement-and-review"), "recipe_exited");
    let output = scene.output(&TASK);
    drop(server);
    End::refused(scene, exited, &output)
}

/// The command and its agent are killed, as if the machine had lost its power, and the run is
/// resumed.
pub(super) fn killed() -> End {
    let scene = Scene::new(always(&json!({ "act": "silence" })));
    let mut running = scene.begin(&TASK);
    running.until("recipe_step_started");
    let agent = agent(&scene);
    running.signal(Signal::KILL);
    running.ended_somehow();
    kill_process(agent, Signal::KILL).expect("it still works");
    let output = scene.output(&["resume", "--json"]);
    End::of(scene, &output)
}

/// The code of the recipe panics when the agent reports its outcome.
pub(super) fn broken_by_a_panic() -> End {
    Scene::example("every_reason", json!({})).run(&["panic"])
}

/// While the agent works, the files of the command can no longer grow, as on a full disk.
pub(super) fn not_persisted() -> End {
    let plan =
        |gate: &Path| always(&json!({ "tries": [{ "bash": format!("cat {}", gate.display()) }] }));
    let scene = Scene::new(Value::Null);
    let gate = scene.place.path().join("gate");
    make_fifo(&gate);
    let program = env!("CARGO_BIN_EXE_surefire");
    // Without the signal, a write beyond the limit is an error.
    let words = [&["-c", "trap '' XFSZ; exec \"$0\" \"$@\"", program], &TASK[..]].concat();
    let mut command = scene.place.program(Path::new("/bin/bash"), &words);
    scene.place.add_agent(&mut command, &Value::Null);
    scene.follow(&plan(&gate));
    let mut running = begin(&mut command);
    running.until("recipe_step_started");
    // Opening the gate for writing blocks until the agent reads it.
    let gate = std::fs::OpenOptions::new().write(true).open(&gate).expect("the agent reads it");
    let full = Rlimit { current: Some(0), maximum: None };
    prlimit(Some(running.pid()), Resource::Fsize, full).expect("it is our child");
    drop(gate);
    let output = running.ended();
    End { left: Left::NoEnd, ..End::of(scene, &output) }
}

fn make_fifo(path: &Path) {
    let owner = Mode::RUSR | Mode::WUSR;
    mkfifoat(CWD, path, owner).expect("there is room");
}

#[test]
fn a_step_without_a_prompt_ends_its_run() {
    let end = Scene::example("every_reason", json!({})).run(&["say-nothing"]);
    check::holds(ExitReason::NoPrompt, Basis::Engine, &end);
}

#[test]
fn a_run_that_panics_ends_even_if_it_cannot_be_replayed() {
    let end = Scene::example("every_reason", json!({})).run(&["panic-for-good"]);
    check::holds(ExitReason::InternalError, Basis::Engine, &end);
}
