//! Processes that end by themselves, and what their supervisor knows then.

use surefire::process::{Command, End, SpawnError, TextLines};
use surefire_testkit::sandbox::{ProcessSandbox, is_collected};

#[tokio::test]
async fn a_command_that_ends() {
    let sandbox = ProcessSandbox::new();
    let watched =
        sandbox.supervise(sandbox.shell("echo one; echo two >&2; printf three; exit 3")).await;
    let process = watched.process.clone();
    let (report, lines) = watched.end().await;
    assert_eq!((report.end, lines), (End::Exited, vec!["one".to_owned(), "three".to_owned()]));
    assert_eq!(report.status.unwrap().code(), Some(3));
    assert_eq!(report.stderr, "two");
    assert!(is_collected(&process));
}

#[tokio::test]
async fn standard_error_can_be_merged_into_standard_output() {
    let sandbox = ProcessSandbox::new();
    let (report, lines) =
        sandbox.run(sandbox.shell("echo one; echo two >&2; echo three").merge_stderr()).await;
    assert_eq!(lines, ["one", "two", "three"]);
    assert_eq!(report.stderr, "");
}

#[tokio::test]
async fn standard_input_is_handed_over_whole() {
    let sandbox = ProcessSandbox::new();
    let held = sandbox.hold(sandbox.shell("wc -c")).await;
    let supervised = held.release(vec![b'x'; 3 << 20]).await.unwrap();
    let (control, mut lines) = surefire::process::Control::new(4);
    let report = supervised.watch(&control).await;
    assert_eq!((report.end, lines.recv().await.unwrap().trim()), (End::Exited, "3145728"));
}

#[tokio::test]
async fn a_process_gets_only_the_given_environment() {
    let sandbox = ProcessSandbox::new();
    let command = Command::new("env", sandbox.mark).environment([
        ("PATH".into(), std::env::var_os("PATH").unwrap()),
        ("SUREFIRE_ATTEMPT".into(), "of a supervisor above this one".into()),
    ]);
    let (_, mut lines) = sandbox.run(command).await;
    lines.retain(|line| !line.starts_with("PATH="));
    assert_eq!(lines, [sandbox.mark.to_string()]);
}

#[tokio::test]
async fn bytes_that_are_not_text() {
    let sandbox = ProcessSandbox::new();
    let (report, lines) =
        sandbox.run(sandbox.shell(r"printf 'a\377\nb\n'; printf '\376' >&2")).await;
    assert_eq!(lines, ["a\u{fffd}", "b"]);
    assert_eq!(report.stderr, "\u{fffd}");
}

#[tokio::test]
async fn what_cannot_be_started() {
    let sandbox = ProcessSandbox::new();
    let missing = Command::new("/nowhere/program", sandbox.mark);
    let error =
        missing.clone().start(sandbox.files(), sandbox.limits, TextLines).await.unwrap_err();
    assert!(matches!(error, SpawnError::Spawn(_)), "{error}");
    let file = sandbox.directory.path().join("file");
    std::fs::write(&file, "").unwrap();
    let files = surefire::process::Files::at(file.join("below"));
    let error = missing.start(files, sandbox.limits, TextLines).await.unwrap_err();
    assert!(matches!(error, SpawnError::Files(_)), "{error}");
}

#[tokio::test]
async fn a_held_process_has_received_nothing() {
    let sandbox = ProcessSandbox::new();
    let held = sandbox.hold(sandbox.shell("cat; echo begun")).await;
    let process = held.process().clone();
    assert!(sandbox.files().is_stdin_withheld());
    held.end().await;
    assert!(sandbox.files().is_stdin_withheld() && is_collected(&process));
    assert_eq!(std::fs::read(sandbox.files().directory().join("stdout.log")).unwrap(), b"");

    sandbox.run(sandbox.shell("cat; echo begun")).await;
    assert!(!sandbox.files().is_stdin_withheld());
}

/// A supervisor that is killed while it starts a second process must not leave the first one's
/// state without its output.
#[tokio::test]
async fn input_is_marked_as_withheld_before_the_files_of_an_earlier_process_are_deleted() {
    let sandbox = ProcessSandbox::new();
    sandbox.run(sandbox.shell("echo refused")).await;
    assert!(!sandbox.files().is_stdin_withheld());
    let stderr = sandbox.files().directory().join("stderr.log");
    std::fs::remove_file(&stderr).unwrap();
    std::fs::create_dir(&stderr).unwrap();

    let error = sandbox
        .shell("echo again")
        .start(sandbox.files(), sandbox.limits, TextLines)
        .await
        .unwrap_err();
    assert!(matches!(error, SpawnError::Files(_)), "{error}");
    assert!(sandbox.files().is_stdin_withheld());
}
