//! A command that waits until it is released, and leaves its exit status behind.

use std::time::Duration;

use surefire::process::End;
use surefire_testkit::eventually;
use surefire_testkit::sandbox::{ProcessSandbox, is_collected};

#[tokio::test]
async fn a_command_begins_when_it_is_released_and_not_before() {
    let sandbox = ProcessSandbox::new();
    let held = sandbox.hold(sandbox.shell("echo begun").launched()).await;
    let process = held.process().clone();
    held.end().await;
    assert!(is_collected(&process) && sandbox.files().is_stdin_withheld());
    assert_eq!(std::fs::read(sandbox.files().directory().join("stdout.log")).unwrap(), b"");

    let held = sandbox.hold(sandbox.shell("echo begun; cat").launched()).await;
    let supervised = held.release(b"its own input".to_vec()).await.unwrap();
    let (control, mut lines) = surefire::process::Control::new(4);
    let report = supervised.watch(&control).await;
    assert_eq!((report.end, report.status.unwrap().code()), (End::Exited, Some(0)));
    assert_eq!(lines.recv().await.unwrap(), "begun");
    assert_eq!(lines.recv().await.unwrap(), "its own input");
}

#[tokio::test]
async fn a_supervisor_that_adopts_a_command_learns_its_exit_status() {
    for (script, code) in [("exit 0", 0), ("exit 7", 7), ("kill -9 $$", 137)] {
        let sandbox = ProcessSandbox::new();
        let waits = format!("echo ready; while [ ! -e go ]; do sleep 0.01; done; {script}");
        for late in [false, true] {
            let mut first = sandbox.supervise(sandbox.shell(&waits).launched()).await;
            assert_eq!(first.line().await, "ready");
            let process = first.detach().await;
            let second = (!late).then(|| sandbox.adopt(&process));
            std::fs::write(sandbox.directory.path().join("go"), "").unwrap();
            let second = match second {
                Some(second) => second,
                None => {
                    eventually("it has ended", || !process.is_running()).await;
                    sandbox.adopt(&process)
                }
            };
            let (report, _) = second.end().await;
            assert_eq!(report.status.unwrap().code(), Some(code), "{script}");
            std::fs::remove_file(sandbox.directory.path().join("go")).unwrap();
        }
    }
}

#[tokio::test]
async fn a_command_that_cannot_be_started_says_so_with_its_status() {
    let sandbox = ProcessSandbox::new();
    let missing = surefire::process::Command::new("/nowhere/program", sandbox.mark).launched();
    let (report, _) = sandbox.run(missing).await;
    assert_eq!(report.status.unwrap().code(), Some(127));
}

#[tokio::test]
async fn an_earlier_status_is_not_taken_for_its_own() {
    let sandbox = ProcessSandbox::new();
    let (report, _) = sandbox.run(sandbox.shell("exit 3").launched()).await;
    assert_eq!(report.status.unwrap().code(), Some(3));
    let mut watched = sandbox.supervise(sandbox.shell("echo ready; sleep 600").launched()).await;
    assert_eq!(watched.line().await, "ready");
    let process = watched.detach().await;
    let killed = std::process::Command::new("kill")
        .args(["-9", "--", &format!("-{}", process.pid)])
        .status();
    assert!(killed.unwrap().success());
    eventually("it has ended", || !process.is_running()).await;
    assert_eq!(sandbox.adopt(&process).end().await.0.status, None);
}

#[tokio::test]
async fn a_command_handles_signals_itself() {
    let sandbox = ProcessSandbox::with(|limits| limits.stop_grace = Duration::from_secs(60));
    let script = "trap 'echo tidied; exit 0' INT; echo ready; while :; do sleep 0.01; done";
    let mut watched = sandbox.supervise(sandbox.shell(script).launched()).await;
    assert_eq!(watched.line().await, "ready");
    watched.control.stop.cancel();
    let stopping = tokio::time::timeout(Duration::from_secs(30), watched.end());
    assert_eq!(stopping.await.expect("one signal is enough").0.end, End::Stopped);
    let written = std::fs::read_to_string(sandbox.files().directory().join("stdout.log")).unwrap();
    assert_eq!(written, "ready\ntidied\n");
    assert_eq!(sandbox.alive(), [0; 0]);
}
