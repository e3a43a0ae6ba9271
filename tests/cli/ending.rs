//! What a run leaves when it has ended: files, and a call of the operator's `--on-end` command.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::command::{CommandOutput, Place};
use crate::process::begin;
use crate::snapshot::steady;

const TASK: [&str; 6] = ["run", "implement-and-review", "--pace-ms", "0", "--rehearse", "happy"];

/// The directories of runs that have left something.
fn left(place: &Place) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(place.data().join("runs")).into_iter().flatten();
    entries.map(|entry| entry.expect("it can be read").path()).collect()
}

fn stop_json(directory: &Path) -> Value {
    let text = std::fs::read_to_string(directory.join("stop.json")).expect("it is there");
    serde_json::from_str(&text).expect("it is JSON")
}

fn mode(path: &Path) -> u32 {
    path.metadata().expect("it is there").permissions().mode() & 0o777
}

/// The command with a shell's programs on its path, and with this `--on-end` command.
fn with_on_end(place: &Place, words: &[&str], on_end: &str) -> Command {
    let mut command = place.surefire(&[words, &["--on-end", on_end]].concat());
    command.env("PATH", "/usr/bin:/bin");
    command
}

#[test]
fn a_run_that_has_ended_leaves_two_files_that_only_its_owner_can_read() {
    let place = Place::new();
    place.run(&TASK).ok();
    let [directory] = &left(&place)[..] else {
        panic!("one run left something: {:?}", left(&place))
    };
    let names = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().file_name());
    let mut names: Vec<_> = names.collect();
    names.sort();
    assert_eq!(names, ["stop.json", "stop.md"], "and nothing else");
    assert_eq!((mode(&place.data().join("runs")), mode(directory)), (0o700, 0o700));
    assert_eq!(
        (mode(&directory.join("stop.json")), mode(&directory.join("stop.md"))),
        (0o600, 0o600)
    );
    let stop = stop_json(directory);
    assert_eq!((&stop["version"], &stop["reason"]), (&json!(1), &json!("task-committed")));
    assert_eq!((&stop["rehearsal"], &stop["rests_on"]), (&json!(true), &json!("rehearsal")));
    assert_eq!(stop["run_id"], directory.file_name().unwrap().to_str().unwrap());
    let data = place.data().display().to_string();
    let command = stop["next"][0]["command"].as_str().expect("it can be started again");
    assert!(
        command.starts_with("surefire run implement-and-review --dir ") && command.contains(&data),
        "{command}"
    );
    let page = std::fs::read_to_string(directory.join("stop.md")).unwrap();
    assert!(
        page.starts_with("# Task committed\n") && page.contains("This was a rehearsal"),
        "{page}"
    );
}

#[test]
fn why_names_the_file_only_if_it_exists() {
    let place = Place::new();
    place.run(&TASK).ok();
    let printed = steady(&place.run(&["why"]).ok());
    assert!(printed.contains("\n  details: [PLACE]/data/runs/[id]/stop.json\n"), "{printed}");
    std::fs::remove_dir_all(place.data().join("runs")).unwrap();
    // `why` creates nothing.
    let printed = place.run(&["why"]).ok();
    assert!(!printed.contains("left in") && !place.data().join("runs").exists(), "{printed}");
}

#[test]
fn a_run_that_is_resumed_has_the_files_of_its_last_end() {
    let place = Place::new();
    let words = ["run", "implement-and-review", "--pace-ms", "0", "--rehearse", "never-satisfied"];
    assert_eq!(place.run(&words).status, 129);
    let before = stop_json(&left(&place)[0]);
    assert_eq!(before["reason"], "max-step-visits-exceeded:code-review");
    place.run(&["resume", "--allow-visits", "1", "--rehearse", "happy", "--pace-ms", "0"]).ok();
    let after = stop_json(&left(&place)[0]);
    assert_eq!((left(&place).len(), &after["reason"]), (1, &json!("task-committed")));
    assert!(after["seq"].as_u64() > before["seq"].as_u64());
    let mut running =
        place.begin(&["run", "retrospective", "--rehearse", "rate-limited", "--auto-resume"]);
    running.until_line("resumes automatically");
    assert_eq!(left(&place).len(), 1, "a paused run has not ended");
    running.signal(Signal::INT);
    running.ended();
    assert_eq!(left(&place).len(), 2, "now it has");
}

#[test]
fn pruning_a_run_deletes_its_files() {
    for prune in [
        &["runs", "--prune", "1ms"][..],
        &["prune", "--runs", "1ms"],
        &["prune", "--sessions", "1ms"],
    ] {
        let place = Place::new();
        place.run(&TASK).ok();
        place.run(&["prune", "--runs", "1h", "--sessions", "1h"]).ok();
        assert_eq!(left(&place).len(), 1, "it is not that old");
        std::fs::create_dir(place.data().join("runs/notes of mine")).unwrap();
        place.run(prune).ok();
        assert_eq!(left(&place), [place.data().join("runs/notes of mine")], "{prune:?}");
    }
}

#[test]
fn the_on_end_command_runs_once_with_all_details() {
    let place = Place::new();
    let record = place.path().join("record");
    let script = format!(
        "cat > {0}.json; echo \"$SUREFIRE_RUN $SUREFIRE_REASON $SUREFIRE_EXIT_CODE $SUREFIRE_ON_END\" >> {0}; pwd >> {0}; echo noise; echo noise >&2",
        record.display()
    );
    let mut command = place.surefire(&TASK);
    // As a setting: the on-end command must not inherit it, or a recipe that it runs would call it
    // again.
    let output = CommandOutput::of(
        command.env("PATH", "/usr/bin:/bin").env("SUREFIRE_ON_END", &script),
        &place,
    );
    let out = output.ok();
    assert!(!out.contains("noise"), "{out}");
    let stop = stop_json(&left(&place)[0]);
    let stdin = std::fs::read_to_string(record.with_extension("json")).unwrap();
    assert_eq!(serde_json::from_str::<Value>(&stdin).unwrap(), stop);
    let lines = std::fs::read_to_string(&record).unwrap();
    let run = stop["run_id"].as_str().unwrap();
    let project = place.project().canonicalize().unwrap();
    assert_eq!(
        lines,
        format!("{run} task-committed 0 \n{}\n", project.display()),
        "once, in the project"
    );
    assert_eq!(left(&place)[0].read_dir().unwrap().count(), 2, "its output is not stored");
}

#[test]
fn an_on_end_command_that_fails_is_reported_and_changes_nothing() {
    let place = Place::new();
    let output =
        CommandOutput::of(&mut with_on_end(&place, &TASK, "echo no mail today; exit 3"), &place);
    assert_eq!(output.status, 0, "{}", output.stderr);
    let err = steady(&output.stderr);
    assert!(
        err.contains("the command of --on-end failed for run ")
            && err.contains(": exit status: 3: no mail today"),
        "{err}"
    );
    assert!(output.stdout.contains("Task committed"), "{}", output.stdout);
    let words =
        ["run", "implement-and-review", "--pace-ms", "0", "--rehearse", "blocked", "--json"];
    let output = CommandOutput::of(&mut with_on_end(&place, &words, "exit 1"), &place);
    assert_eq!(output.status, 33, "{}", output.stderr);
    assert!(output.stdout.lines().all(|line| line.starts_with('{')), "{}", output.stdout);
    // There is no bash on this path.
    let output = place.run(&[&TASK[..], &["--on-end", "true"]].concat());
    assert_eq!(output.status, 0);
    assert!(output.stderr.contains("cannot be started"), "{}", output.stderr);
}

#[test]
fn the_on_end_command_is_awaited_until_ctrl_c() {
    let place = Place::new();
    let progress = place.path().join("progress");
    let script = format!("echo begun > {0}; sleep 600; echo late > {0}", progress.display());
    let running = begin(&mut with_on_end(&place, &TASK, &script));
    while !progress.exists() {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    running.signal(Signal::INT);
    let output = running.ended();
    assert_eq!(output.status, 0, "the run has ended as it did: {}{}", output.stdout, output.stderr);
    assert!(output.stdout.contains("Task committed"), "{}", output.stdout);
    assert_eq!(std::fs::read_to_string(&progress).unwrap(), "begun\n", "it was stopped");
}

#[test]
fn a_server_runs_its_on_end_command_and_a_remote_command_cannot_set_one() {
    let place = Place::new();
    let record = place.path().join("record");
    let script = format!("echo \"$SUREFIRE_REASON\" >> {}", record.display());
    let words =
        ["serve", "--listen", "127.0.0.1:0", "--json", "--agent", "rehearsal", "--pace-ms", "0"];
    let mut serving =
        begin(with_on_end(&place, &words, &script).env("SUREFIRE_ROOT", place.path()));
    assert!(serving.line().contains("ws_url"));
    let words = ["run", "retrospective", "--agent", "rehearsal"];
    let refused = place.run(&[&words[..], &["--on-end", "true"]].concat());
    assert_eq!(refused.status, 64, "{}", refused.stderr);
    assert!(refused.stderr.contains("`--on-end` cannot be chosen here"), "{}", refused.stderr);
    assert_eq!(place.run(&words).status, 0);
    serving.signal(Signal::INT);
    let output = serving.ended();
    assert_eq!(output.status, 0, "{}", output.stderr);
    assert_eq!(std::fs::read_to_string(&record).unwrap(), "retrospective-complete\n");
}
