//! A command outlives its engine, and the next one finds out what became of it.

use std::os::unix::process::ExitStatusExt;
use std::process::Command;
use std::time::Duration;

use surefire::gate::{
    CommandControl, CommandEnd, CommandEvent, CommandFate, Commands, Environment, Execution,
};
use surefire::process::ProcessIdentity;
use surefire_testkit::eventually;
use surefire_testkit::sandbox::{CommandSandbox, ends, is_collected};

/// Writes a line, waits until a file is there, writes another one, and fails.
const WAITS: &str = "echo before; while [ ! -e go ]; do sleep 0.01; done; echo after; exit 5";

/// Starts a command, and detaches it for the next engine.
async fn started_and_detached(
    sandbox: &CommandSandbox,
    execution: &Execution,
    line: &str,
) -> ProcessIdentity {
    let (watcher, executing) = sandbox.spawn(execution);
    let process = watcher.receives(line).await;
    watcher.link.detach.cancel();
    assert_eq!(executing.await.unwrap(), CommandEnd::Detached);
    assert!(process.is_running());
    process
}

fn go(sandbox: &CommandSandbox) {
    std::fs::write(sandbox.project().join("go"), "").unwrap();
}

#[tokio::test]
async fn a_running_command_is_watched_to_its_end() {
    let sandbox = CommandSandbox::default();
    let execution = sandbox.shell(WAITS);
    let process = started_and_detached(&sandbox, &execution, "before").await;
    let recovering = sandbox.recover(&execution, Some(process.clone()));
    let (fate, ()) = tokio::join!(recovering, async { go(&sandbox) });
    match fate {
        CommandFate::Ended(CommandEnd::Failed { status: 5, tail, took }) => {
            assert_eq!(tail, "before\nafter");
            assert!(took > Duration::ZERO);
        }
        other => panic!("{other:?}"),
    }
    eventually("it is collected", || is_collected(&process)).await;
}

#[tokio::test]
async fn a_command_that_ended_meanwhile_has_left_its_status() {
    for (line, status) in [(WAITS.to_owned(), 5), (WAITS.replace("exit 5", "true"), 0)] {
        let sandbox = CommandSandbox::default();
        let execution = sandbox.shell(&format!("setsid sleep 600 & {line}"));
        let process = started_and_detached(&sandbox, &execution, "before").await;
        go(&sandbox);
        eventually("it has ended", || !process.is_running()).await;
        let fate = sandbox.recover(&execution, Some(process)).await;
        let ended = match &fate {
            CommandFate::Ended(CommandEnd::Passed { tail, .. }) => (0, tail.as_str()),
            CommandFate::Ended(CommandEnd::Failed { status, tail, .. }) => (*status, tail.as_str()),
            other => panic!("{other:?}"),
        };
        assert_eq!(ended, (status, "before\nafter"));
        assert_eq!(sandbox.alive(), [0; 0], "what it left behind is ended, too");
    }
}

/// The engine is a separate process here, and its command kills it with SIGKILL.
#[tokio::test]
async fn a_command_outlives_an_engine_that_is_killed() {
    let sandbox = CommandSandbox::default();
    let mut engine = Command::new(std::env::current_exe().unwrap());
    engine.args(["--ignored", "--exact", "gate::recovery::engine_process"]);
    let killed = engine.env("GATE_TEST_STAGE", sandbox.folder.path()).output().unwrap().status;
    assert_eq!(killed.signal(), Some(9), "{killed}");
    let recorded = std::fs::read(sandbox.folder.path().join("process.json")).unwrap();
    let (attempt, process) = serde_json::from_slice(&recorded).unwrap();
    let execution = Execution { attempt, ..sandbox.shell("is not started again") };
    match sandbox.recover(&execution, Some(process)).await {
        CommandFate::Ended(CommandEnd::Failed { status: 4, tail, .. }) => {
            assert_eq!(tail, "before\nafter");
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
#[ignore = "is the engine process that the test above starts"]
async fn engine_process() {
    let Some(stage) = std::env::var_os("GATE_TEST_STAGE").map(std::path::PathBuf::from) else {
        return;
    };
    let script = format!("echo before; kill -9 {}; echo after; exit 4", std::process::id());
    let execution = Execution {
        attempt: uuid::Uuid::new_v4(),
        command: surefire::CommandLine::Shell(script.into()),
        directory: stage.join("project"),
        scratch: stage.join("scratch"),
        time: Duration::from_secs(60),
    };
    let (link, mut events) = CommandControl::new(1);
    let attempt = execution.attempt;
    tokio::spawn(async move {
        Commands::new(&Environment::inherited()).execute(&execution, &link).await;
    });
    let Some(CommandEvent::Spawned { process, go }) = events.recv().await else {
        panic!("nothing began")
    };
    std::fs::write(stage.join("process.json"), serde_json::to_vec(&(attempt, process)).unwrap())
        .unwrap();
    go.send(()).unwrap();
    std::future::pending::<()>().await;
}

#[tokio::test]
async fn a_command_that_was_never_released_never_began() {
    let sandbox = CommandSandbox::default();
    let execution = sandbox.shell("touch begun");
    assert_eq!(sandbox.recover(&execution, None).await, CommandFate::NeverBegan);

    let (link, mut events) = CommandControl::new(1);
    let (commands, given) = (sandbox.commands.clone(), execution.clone());
    let executing = tokio::spawn(async move { commands.execute(&given, &link).await });
    let Some(CommandEvent::Spawned { process, go: _go }) = events.recv().await else {
        panic!("nothing began")
    };
    // As after a crash: the process waits for its release, and may or may not be recorded.
    for recorded in [Some(process.clone()), None] {
        assert_eq!(sandbox.recover(&execution, recorded).await, CommandFate::NeverBegan);
    }
    ends(&process).await;
    executing.abort();
    assert!(!sandbox.project().join("begun").exists() && sandbox.alive().is_empty());
}

#[tokio::test]
async fn the_fate_of_a_command_without_a_status_or_files_is_unknown() {
    // Killed with its shell: there is no status.
    let sandbox = CommandSandbox::default();
    let execution = sandbox.shell("echo begun; sleep 600");
    let process = started_and_detached(&sandbox, &execution, "begun").await;
    let killed = Command::new("kill").args(["-9", "--", &format!("-{}", process.pid)]).status();
    assert!(killed.unwrap().success());
    eventually("it has ended", || !process.is_running()).await;
    assert_eq!(sandbox.recover(&execution, Some(process)).await, CommandFate::Unknown);

    // Its files are gone.
    let sandbox = CommandSandbox::default();
    let execution = sandbox.shell("echo begun; sleep 600");
    let process = started_and_detached(&sandbox, &execution, "begun").await;
    std::fs::remove_dir_all(&execution.scratch).unwrap();
    assert_eq!(sandbox.recover(&execution, Some(process.clone())).await, CommandFate::Unknown);
    assert!(!process.is_running() && sandbox.alive().is_empty());
}

/// The status of a command that an engine began to stop comes from the stop, so it is not a result.
#[tokio::test]
async fn the_fate_of_a_command_that_was_being_stopped_is_unknown() {
    let sandbox =
        CommandSandbox::with(|settings| settings.stop_grace = Duration::from_secs(60 * 60));
    let execution =
        sandbox.shell("trap 'echo tidied; exit 0' INT; echo begun; while :; do sleep 0.01; done");
    let (watcher, executing) = sandbox.spawn(&execution);
    let process = watcher.receives("begun").await;
    watcher.link.stop.cancel();
    eventually("its status is there", || execution.scratch.join("status").exists()).await;
    executing.abort();
    assert_eq!(sandbox.recover(&execution, Some(process)).await, CommandFate::Unknown);

    // A new execution with the same directory is not being stopped.
    let again = sandbox.shell("echo again");
    assert!(sandbox.execute(&again).await.is_passed());
    let process = ProcessIdentity { pid: i32::MAX, started: "ended".to_owned() };
    let fate = sandbox.recover(&again, Some(process)).await;
    assert!(matches!(fate, CommandFate::Ended(CommandEnd::Passed { .. })), "{fate:?}");
}

#[tokio::test]
async fn the_time_before_the_crash_counts() {
    let sandbox = CommandSandbox::with(|settings| settings.stop_grace = Duration::from_millis(50));
    // A shell could still say how its child ended.
    let execution = sandbox.shell("echo begun; exec sleep 600");
    let process = started_and_detached(&sandbox, &execution, "begun").await;
    // It was released an hour ago.
    let state =
        std::fs::File::options().write(true).open(execution.scratch.join("stdin.state")).unwrap();
    state.set_modified(std::time::SystemTime::now() - Duration::from_secs(60 * 60)).unwrap();
    let limit = Duration::from_secs(30 * 60);
    let execution = Execution { time: limit, ..execution };
    let fate = sandbox.recover(&execution, Some(process)).await;
    let expected = CommandEnd::TimedOut { limit, tail: "begun".to_owned() };
    assert_eq!(fate, CommandFate::Ended(expected));
    assert_eq!(sandbox.alive(), [0; 0]);
}

/// There was no engine to end it at its time limit.
#[tokio::test]
async fn a_command_that_ended_too_late_timed_out() {
    let sandbox = CommandSandbox::default();
    let execution = sandbox.shell(&WAITS.replace("exit 5", "true"));
    let process = started_and_detached(&sandbox, &execution, "before").await;
    go(&sandbox);
    eventually("it has ended", || !process.is_running()).await;
    let status =
        std::fs::File::options().write(true).open(execution.scratch.join("status")).unwrap();
    status.set_modified(std::time::SystemTime::now() + Duration::from_secs(60 * 60)).unwrap();
    let fate = sandbox.recover(&execution, Some(process)).await;
    assert!(matches!(fate, CommandFate::Ended(CommandEnd::TimedOut { .. })), "{fate:?}");
}

#[tokio::test]
async fn an_adopted_command_can_be_stopped_and_detached_again() {
    let sandbox = CommandSandbox::default();
    let execution = sandbox.shell("setsid sleep 600 & echo begun; sleep 600");
    let process = started_and_detached(&sandbox, &execution, "begun").await;
    let (link, _events) = CommandControl::new(1);
    link.detach.cancel();
    let fate = sandbox.commands.recover(&execution, Some(process.clone()), &link).await;
    assert_eq!(fate, CommandFate::Ended(CommandEnd::Detached));
    assert!(process.is_running());
    link.stop.cancel();
    let fate = sandbox.commands.recover(&execution, Some(process), &link).await;
    assert_eq!(fate, CommandFate::Ended(CommandEnd::Stopped { tail: "begun".to_owned() }));
    assert_eq!(sandbox.alive(), [0; 0]);
}
