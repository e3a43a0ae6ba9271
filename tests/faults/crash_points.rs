//! `kill -9` at each point where it could do damage.

use std::os::unix::process::ExitStatusExt;

use serde_json::json;

use crate::findings::{PASSAGE, look};
use crate::server::Place;

/// Kills a server at a crash point, the first or second time that it gets there, and lets another
/// server finish its work.
fn killed_at(point: &str) {
    for time in 1..=2 {
        let place = Place::new(&json!({ "default": { "delay_ms": 20, "passages": [PASSAGE] } }));
        let crash = format!("{point}:{time}");
        let status = place.serve(Some(&crash), false).wait();
        if point == "before-intent" && time == 2 {
            assert!(status.success(), "a run is started once");
            continue;
        }
        assert_eq!(status.signal(), Some(9), "{crash} was never reached");
        let status = place.serve(None, false).wait();
        assert!(status.success(), "{crash}: {status}");
        let findings = look(&place);
        findings.assert_nothing_wrong();
        assert_eq!(findings.runs, 1, "{crash}");
        // The fake CLI keeps running without its server, so the next server adopts its reply: no
        // call is made twice.
        assert_eq!((findings.calls, findings.interrupted), (3, 0), "{crash}");
    }
}

#[test]
fn killed_before_the_intent() {
    killed_at("before-intent");
}

#[test]
fn killed_after_the_intent() {
    killed_at("after-intent");
}

#[test]
fn killed_after_the_spawn() {
    killed_at("after-spawn");
}

#[test]
fn killed_after_the_process_was_persisted() {
    killed_at("after-record");
}

#[test]
fn killed_during_the_turn() {
    killed_at("during-turn");
}

#[test]
fn killed_after_the_reply() {
    killed_at("after-reply");
}

#[test]
fn killed_before_the_commit() {
    killed_at("before-commit");
}

#[test]
fn killed_after_the_commit_before_clients_are_notified() {
    killed_at("after-commit");
}

/// The end is persisted, but the handoff is not written, or only half of it.
#[test]
fn killed_before_the_handoff_is_written() {
    for crash in ["before-handoff", "between-handoff-files"] {
        let place = Place::new(&json!({ "default": { "passages": [PASSAGE] } }));
        assert_eq!(
            place.serve(Some(crash), false).wait().signal(),
            Some(9),
            "{crash} was never reached"
        );
        let runs = || std::fs::read_dir(place.data().join("runs")).into_iter().flatten();
        assert!(runs().all(|run| !run.unwrap().path().join("stop.json").exists()), "{crash}");
        // The run has ended, so the next server begins another one.
        assert!(place.serve(None, false).wait().success(), "{crash}");
        assert_eq!((runs().count(), look(&place).runs), (2, 2), "{crash}");
        for run in runs() {
            let run = run.unwrap().path();
            let mut names: Vec<_> =
                run.read_dir().unwrap().map(|file| file.unwrap().file_name()).collect();
            names.sort();
            assert_eq!(names, ["objects", "stop.json", "stop.md"], "{crash}");
            let text = std::fs::read_to_string(run.join("stop.json")).unwrap();
            let handoff: surefire::view::Handoff = serde_json::from_str(&text).unwrap();
            assert_eq!(
                (handoff.reason.as_str(), handoff.at.turn),
                ("task-committed", 3),
                "{crash}"
            );
        }
    }
}

#[test]
fn killed_by_its_own_agent() {
    for (act, calls) in [("kill-parent-before", 3), ("kill-parent-after", 3)] {
        let well = json!({ "passages": [PASSAGE] });
        let kills = json!({ "act": act, "passages": [PASSAGE] });
        let place = Place::new(&json!({ "answers": [well, kills], "default": well }));
        assert_eq!(place.serve(None, false).wait().signal(), Some(9));
        assert!(place.serve(None, false).wait().success());
        let findings = look(&place);
        findings.assert_nothing_wrong();
        assert_eq!((findings.runs, findings.calls), (1, calls), "{act}");
    }
}

#[test]
fn an_agent_that_dies_with_its_server_is_interrupted_and_asked_once_more() {
    let well = json!({ "passages": [PASSAGE] });
    let place = Place::new(&json!({ "answers": [{ "act": "silence" }], "default": well }));
    let server = place.serve(None, false);
    while place.agents().is_empty() || fake_claude::count(&place.calls(), "began") == 0 {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    assert!(server.kill());
    for pid in place.agents() {
        let pid = rustix::process::Pid::from_raw(pid).expect("a pid is not zero");
        rustix::process::kill_process(pid, rustix::process::Signal::KILL).expect("it was running");
    }
    assert!(place.serve(None, false).wait().success());
    let findings = look(&place);
    findings.assert_nothing_wrong();
    assert_eq!((findings.runs, findings.calls, findings.interrupted), (1, 4, 1));
}
