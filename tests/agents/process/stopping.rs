//! Nothing is left running, however a process ends.

use std::time::Duration;

use surefire::process::End;
use surefire_testkit::eventually;
use surefire_testkit::sandbox::{ProcessSandbox, is_collected};

#[tokio::test]
async fn a_command_that_stops_when_it_is_asked_to() {
    let sandbox = ProcessSandbox::with(|limits| limits.stop_grace = Duration::from_secs(60));
    let script = "trap 'echo asked; exit 0' INT; echo ready; while :; do sleep 0.01; done";
    let mut watched = sandbox.supervise(sandbox.shell(script)).await;
    assert_eq!(watched.line().await, "ready");
    watched.control.stop.cancel();
    let stopping = tokio::time::timeout(Duration::from_secs(30), watched.end());
    let (report, _) = stopping.await.expect("one signal is enough");
    assert_eq!((report.end, report.status), (End::Stopped, None));
    let written = std::fs::read_to_string(sandbox.files().directory().join("stdout.log")).unwrap();
    assert_eq!(written, "ready\nasked\n");
}

#[tokio::test]
async fn a_command_that_ignores_sigterm_is_killed() {
    let sandbox = ProcessSandbox::with(|limits| limits.stop_grace = Duration::from_millis(50));
    let script = "trap 'echo interrupted' INT; trap 'echo terminated' TERM; echo ready; while :; do sleep 0.01; done";
    let mut watched = sandbox.supervise(sandbox.shell(script)).await;
    assert_eq!(watched.line().await, "ready");
    watched.control.stop.cancel();
    let process = watched.process.clone();
    assert_eq!(watched.end().await.0.end, End::Stopped);
    assert!(is_collected(&process));
    assert_eq!(sandbox.alive(), [0; 0]);
}

#[tokio::test]
async fn a_stop_may_become_a_fast_one() {
    let sandbox = ProcessSandbox::with(|limits| {
        (limits.stop_grace, limits.fast_stop_grace) = (Duration::from_secs(60), Duration::ZERO);
    });
    let mut watched =
        sandbox.supervise(sandbox.shell("trap '' INT TERM; echo ready; sleep 600")).await;
    assert_eq!(watched.line().await, "ready");
    watched.control.stop.cancel();
    let (control, process) = (watched.control.clone(), watched.process.clone());
    let ending = tokio::spawn(watched.end());
    tokio::task::yield_now().await;
    // It would take two minutes otherwise, and the test would not end in time.
    control.fast_stop.cancel();
    drop(control);
    let (report, _) =
        tokio::time::timeout(Duration::from_secs(30), ending).await.expect("it is fast").unwrap();
    assert_eq!(report.end, End::Stopped);
    assert!(is_collected(&process));
}

#[tokio::test]
async fn processes_that_a_process_leaves_behind_are_ended_with_it() {
    for leave in ["sleep 600 &", "setsid sleep 600 &", "setsid sh -c 'sleep 600 & sleep 600' &"] {
        let sandbox = ProcessSandbox::new();
        let (report, lines) = sandbox.run(sandbox.shell(&format!("{leave} echo left"))).await;
        assert_eq!((report.end, lines), (End::Exited, vec!["left".to_owned()]), "{leave}");
        assert_eq!(sandbox.alive(), [0; 0], "{leave}");
    }
}

#[tokio::test]
async fn a_stop_reaches_processes_that_left_the_group() {
    let sandbox = ProcessSandbox::new();
    let mut watched =
        sandbox.supervise(sandbox.shell("setsid sleep 600 & echo left; sleep 600")).await;
    assert_eq!(watched.line().await, "left");
    watched.control.stop.cancel();
    assert_eq!(watched.end().await.0.end, End::Stopped);
    assert_eq!(sandbox.alive(), [0; 0]);
}

#[tokio::test]
async fn a_supervisor_that_is_dropped_ends_everything() {
    for held in [true, false] {
        let sandbox = ProcessSandbox::new();
        let command = sandbox.shell("setsid sleep 600 & cat; sleep 600");
        let process = if held {
            sandbox.hold(command).await.process().clone()
        } else {
            let watched = sandbox.supervise(command).await;
            watched.watching.abort();
            watched.process
        };
        eventually("nothing is left", || sandbox.alive().is_empty()).await;
        eventually("it is collected", || is_collected(&process)).await;
    }
}
