//! A process outlives its supervisor, and the next one adopts it.

use std::os::unix::process::ExitStatusExt;
use std::process::Command;

use surefire::process::{
    CancelToken, End, ProcessIdentity, ProcessLimits, ProcessMark, Supervised, TextLines, stop,
};
use surefire_testkit::eventually;
use surefire_testkit::sandbox::{ProcessSandbox, is_collected};
use uuid::Uuid;

/// Writes a line, waits until a file is there, and writes another one.
const WAITS: &str = "echo before; while [ ! -e go ]; do sleep 0.01; done; echo after; exit 5";

#[tokio::test]
async fn a_second_supervisor_adopts_what_the_first_one_left() {
    let sandbox = ProcessSandbox::new();
    let mut first = sandbox.supervise(sandbox.shell(WAITS)).await;
    assert_eq!(first.line().await, "before");
    let process = first.detach().await;
    assert!(process.is_running());

    let mut second = sandbox.adopt(&process);
    assert_eq!(second.line().await, "before", "its output is read from the beginning");
    std::fs::write(sandbox.directory.path().join("go"), "").unwrap();
    let (report, lines) = second.end().await;
    assert_eq!((report.end, lines), (End::Exited, vec!["after".to_owned()]));
    assert_eq!(report.status, None, "only its parent could know");
    eventually("it is collected", || is_collected(&process)).await;
}

/// The supervisor is a separate process here, and its command kills it with SIGKILL.
#[tokio::test]
async fn a_command_outlives_a_supervisor_that_is_killed() {
    let sandbox = ProcessSandbox::new();
    let mut supervisor = Command::new(std::env::current_exe().unwrap());
    supervisor.args(["--ignored", "--exact", "process::adoption::supervisor_process"]);
    let killed =
        supervisor.env("SUREFIRE_TEST_STAGE", sandbox.directory.path()).output().unwrap().status;
    assert_eq!(killed.signal(), Some(9), "{killed}");

    let recorded = std::fs::read(sandbox.directory.path().join("process.json")).unwrap();
    let process: ProcessIdentity = serde_json::from_slice(&recorded).unwrap();
    let (report, lines) = sandbox.adopt(&process).end().await;
    assert_eq!((report.end, lines), (End::Exited, vec!["before".to_owned(), "after".to_owned()]));
    assert_eq!(report.status.unwrap().code(), Some(4));
}

#[tokio::test]
#[ignore = "is the supervisor process that the test above starts"]
async fn supervisor_process() {
    let Some(directory) = std::env::var_os("SUREFIRE_TEST_STAGE") else { return };
    let directory = std::path::PathBuf::from(directory);
    let mark = ProcessMark::new(Uuid::new_v4());
    let script = "echo before; kill -9 $SUPERVISOR; echo after; exit 4";
    let supervisor = std::process::id().to_string();
    let command = surefire::process::Command::new("sh", mark)
        .arguments(["-c", script])
        .environment([("SUPERVISOR".into(), supervisor.into())])
        .launched();
    let files = surefire::process::Files::at(directory.join("files"));
    let held = command.start(files, ProcessLimits::default(), TextLines).await.unwrap();
    std::fs::write(directory.join("process.json"), serde_json::to_vec(held.process()).unwrap())
        .unwrap();
    let (control, _lines) = surefire::process::Control::new(4);
    held.release(Vec::new()).await.unwrap().watch(&control).await;
}

#[tokio::test]
async fn a_process_that_ended_before_it_was_adopted() {
    let sandbox = ProcessSandbox::new();
    let mut first = sandbox.supervise(sandbox.shell(&format!("setsid sleep 600 & {WAITS}"))).await;
    assert_eq!(first.line().await, "before");
    let process = first.detach().await;
    std::fs::write(sandbox.directory.path().join("go"), "").unwrap();
    eventually("it has ended", || !process.is_running()).await;
    let (report, lines) = sandbox.adopt(&process).end().await;
    assert_eq!((report.end, lines), (End::Exited, vec!["before".to_owned(), "after".to_owned()]));
    assert_eq!(sandbox.alive(), [0; 0], "what it left behind is ended, too");
}

#[tokio::test]
async fn the_next_supervisor_gets_events_that_were_not_received() {
    let sandbox = ProcessSandbox::new();
    let watched = sandbox.supervise(sandbox.shell("seq 100")).await;
    // The channel has room for four.
    eventually("it has ended", || !watched.process.is_running()).await;
    let process = watched.detach().await;
    let (report, lines) = sandbox.adopt(&process).end().await;
    assert_eq!((report.end, lines.len()), (End::Exited, 100));
}

#[tokio::test]
async fn an_adopted_process_is_stopped_with_everything_it_started() {
    let sandbox = ProcessSandbox::new();
    let mut watched =
        sandbox.supervise(sandbox.shell("setsid sleep 600 & echo left; sleep 600")).await;
    assert_eq!(watched.line().await, "left");
    let process = watched.detach().await;
    let second = sandbox.adopt(&process);
    // Both at once: a process that is to stop is never left running.
    second.control.detach.cancel();
    second.control.stop.cancel();
    assert_eq!(second.end().await.0.end, End::Stopped);
    assert_eq!(sandbox.alive(), [0; 0]);
}

#[tokio::test]
async fn what_cannot_be_adopted_can_still_be_stopped() {
    let sandbox = ProcessSandbox::new();
    let process = sandbox.supervise(sandbox.shell("sleep 600")).await.detach().await;
    std::fs::remove_dir_all(sandbox.files().directory()).unwrap();
    let adopted = Supervised::adopt(
        process.clone(),
        sandbox.mark,
        sandbox.files(),
        sandbox.limits,
        TextLines,
    );
    assert!(adopted.is_err());
    assert!(process.is_running(), "the caller decides what becomes of it");
    stop(Some(process.clone()), sandbox.mark, &sandbox.limits, &CancelToken::new()).await;
    assert!(!process.is_running());
}

#[tokio::test]
async fn a_pid_that_belongs_to_another_process_now_is_not_signalled() {
    let sandbox = ProcessSandbox::new();
    sandbox.run(sandbox.shell("echo one")).await;
    let mut other = Command::new("sleep").arg("600").spawn().unwrap();
    let pid = i32::try_from(other.id()).unwrap();
    let reused = ProcessIdentity { pid, started: "0".to_owned() };
    let watched = sandbox.adopt(&reused);
    watched.control.stop.cancel();
    assert_eq!(watched.end().await.0.end, End::Exited, "the adopted process is gone");
    stop(Some(reused), sandbox.mark, &sandbox.limits, &CancelToken::new()).await;
    assert!(other.try_wait().unwrap().is_none(), "another process is left alone");
    other.kill().unwrap();
    other.wait().unwrap();
}
