//! Commands that the engine runs, and how they end.

use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use surefire::gate::{CommandControl, CommandEnd, CommandEvent, Execution, MAX_TAIL_BYTES};
use surefire::process::OutputLimit;
use surefire_testkit::eventually;
use surefire_testkit::sandbox::{CommandSandbox, is_collected};

/// How a shell command ends: its status (0 if it passed) and the end of its output.
async fn ends(line: &str) -> (i32, String) {
    let sandbox = CommandSandbox::default();
    match sandbox.execute(&sandbox.shell(line)).await {
        CommandEnd::Passed { tail, .. } => (0, tail),
        CommandEnd::Failed { status, tail, .. } => (status, tail),
        other => panic!("{line}: {other:?}"),
    }
}

#[tokio::test]
async fn the_exit_status_decides() {
    let table = [
        ("echo fine", 0, "fine"),
        ("echo one; echo two >&2; echo three", 0, "one\ntwo\nthree"),
        ("echo 'error: 3 tests failed'; exit 0", 0, "error: 3 tests failed"),
        ("echo all is well; exit 3", 3, "all is well"),
        ("false | cat", 1, ""),
        ("false; echo not reached", 1, ""),
        ("echo $undefined", 1, "bash: line 1: undefined: unbound variable"),
        ("kill -9 $$", 137, ""),
        ("cat; echo its input is empty", 0, "its input is empty"),
    ];
    for (line, status, output) in table {
        let (ended, tail) = ends(line).await;
        assert_eq!(ended, status, "{line}: {tail}");
        // What a shell says about itself differs from system to system.
        assert!(
            tail == output || (status == 1 && tail.contains("unbound")) || status == 137,
            "{line}: {tail}"
        );
    }
}

#[tokio::test]
async fn a_list_is_a_program_and_not_a_shell_command() {
    let sandbox = CommandSandbox::default();
    let end = sandbox.execute(&sandbox.program(&["printf", "%s|", "a b", "$HOME", ";"])).await;
    assert_eq!(end.tail(), Some("a b|$HOME|;|"));
    // `exit` is a word that only a shell knows.
    let end = sandbox.execute(&sandbox.program(&["exit", "0"])).await;
    assert_eq!(end, CommandEnd::CannotStart { why: "`exit` was not found".to_owned() });
}

#[tokio::test]
async fn what_cannot_be_started() {
    let sandbox = CommandSandbox::default();
    let file = sandbox.project().join("file.sh");
    std::fs::write(&file, "#!/bin/sh\n").unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
    let table = [
        (sandbox.program(&["no-such-program"]), "`no-such-program` was not found"),
        (sandbox.program(&["./file.sh"]), "`./file.sh` cannot be executed"),
        (sandbox.program(&[]), "the command is empty"),
        (
            sandbox.shell("echo first; no-such-program"),
            "no-such-program: command not found (status 127)",
        ),
        (sandbox.shell("./file.sh"), "./file.sh: Permission denied (status 126)"),
        (
            Execution { directory: "/nowhere/at/all".into(), ..sandbox.shell("true") },
            "`/nowhere/at/all`, is not there",
        ),
        (
            Execution { scratch: file.join("below"), ..sandbox.shell("true") },
            "Not a directory (os error 20)",
        ),
    ];
    for (execution, words) in table {
        match sandbox.execute(&execution).await {
            CommandEnd::CannotStart { why } => assert!(why.ends_with(words), "{why}"),
            other => panic!("{:?}: {other:?}", execution.command),
        }
    }
}

#[tokio::test]
async fn a_command_runs_in_its_directory_with_the_operators_environment() {
    let sandbox = CommandSandbox::default();
    let end = sandbox.execute(&sandbox.shell("pwd; env | grep -v ^_= | cut -d= -f1 | sort")).await;
    let tail = end.tail().unwrap();
    let mut lines = tail.lines();
    assert_eq!(lines.next(), Some(sandbox.project().to_str().unwrap()));
    let names: Vec<_> = lines.filter(|name| !["PWD", "OLDPWD", "SHLVL"].contains(name)).collect();
    assert_eq!(names, ["DATABASE_URL", "PATH", "SUREFIRE_ATTEMPT"]);
}

#[tokio::test]
async fn a_command_that_takes_too_long_is_ended() {
    let sandbox = CommandSandbox::default();
    // It ignores the signals that can be ignored, and so does what it started.
    let line = "trap '' INT TERM; setsid sleep 600 & echo begun; while :; do sleep 0.01; done";
    let limit = Duration::from_millis(300);
    let end = sandbox.execute(&Execution { time: limit, ..sandbox.shell(line) }).await;
    assert_eq!(end, CommandEnd::TimedOut { limit, tail: "begun".to_owned() });
    assert_eq!(sandbox.alive(), [0; 0]);
}

#[tokio::test]
async fn what_a_command_left_in_the_background_is_ended() {
    let sandbox = CommandSandbox::default();
    let end = sandbox.execute(&sandbox.shell("sleep 600 & setsid sleep 600 & echo left")).await;
    assert!(end.is_passed() && end.tail() == Some("left"), "{end:?}");
    assert_eq!(sandbox.alive(), [0; 0]);
}

#[tokio::test]
async fn of_huge_output_only_the_end_is_kept_and_the_command_may_pass() {
    let sandbox = CommandSandbox::default();
    let line = "head -c 100000000 /dev/zero | tr '\\0' x | fold -w 999; echo; echo the end";
    let (watcher, executing) = sandbox.spawn(&sandbox.shell(line));
    let end = executing.await.unwrap();
    assert!(end.is_passed(), "{end}");
    let tail = end.tail().unwrap();
    assert!(tail.len() <= MAX_TAIL_BYTES && tail.starts_with(&format!("{}\n", "x".repeat(999))));
    assert!(tail.ends_with("x\nthe end"));
    // Only a few lines per second are reported.
    assert!(watcher.lines().len() < 1000, "{} lines", watcher.lines().len());
}

#[tokio::test]
async fn one_endless_line_does_not_fail_the_command() {
    let sandbox = CommandSandbox::default();
    let end = sandbox
        .execute(&sandbox.shell("head -c 20000000 /dev/zero | tr '\\0' x; echo; echo done"))
        .await;
    assert!(end.is_passed() && end.tail() == Some("done"), "{end}");
}

#[tokio::test]
async fn a_command_with_endless_output_is_ended() {
    const MAX_BYTES: u64 = 1 << 20;
    let sandbox = CommandSandbox::with(|settings| settings.max_output_bytes = MAX_BYTES);
    match sandbox.execute(&sandbox.shell("yes")).await {
        CommandEnd::OutputLimit { limit, tail } => {
            assert_eq!(limit, OutputLimit::Total { max_bytes: MAX_BYTES });
            assert!(tail.ends_with("\ny") || tail.ends_with('y'), "{tail:.100}");
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(sandbox.alive(), [0; 0]);
}

#[tokio::test]
async fn lines_are_reported_while_the_command_runs() {
    let sandbox = CommandSandbox::default();
    let line = r"printf '\033[32mCompiling\033[0m x\r\n'; while [ ! -e go ]; do sleep 0.01; done; echo; printf 'half'; while [ ! -e on ]; do sleep 0.01; done; echo ' a line'; while [ ! -e end ]; do sleep 0.01; done";
    let (watcher, executing) = sandbox.spawn(&sandbox.shell(line));
    watcher.receives("Compiling x").await;
    std::fs::write(sandbox.project().join("go"), "").unwrap();
    std::fs::write(sandbox.project().join("on"), "").unwrap();
    watcher.receives("half a line").await;
    std::fs::write(sandbox.project().join("end"), "").unwrap();
    let end = executing.await.unwrap();
    assert_eq!(end.tail(), Some("Compiling x\n\nhalf a line"));
}

#[tokio::test]
async fn a_stop_ends_the_command_and_everything_it_started() {
    for fast in [false, true] {
        let sandbox = CommandSandbox::with(|settings| {
            settings.stop_grace =
                if fast { Duration::from_secs(60 * 60) } else { Duration::from_millis(200) };
            settings.fast_stop_grace = Duration::from_millis(50);
        });
        let line = "trap '' INT TERM; setsid sleep 600 & echo begun; while :; do sleep 0.01; done";
        let (watcher, executing) = sandbox.spawn(&sandbox.shell(line));
        watcher.receives("begun").await;
        if fast {
            watcher.link.fast_stop.cancel();
        }
        watcher.link.stop.cancel();
        // A stop takes precedence over a shutdown of the engine.
        watcher.link.detach.cancel();
        assert_eq!(executing.await.unwrap(), CommandEnd::Stopped { tail: "begun".to_owned() });
        assert_eq!(sandbox.alive(), [0; 0]);
    }
}

#[tokio::test]
async fn a_command_that_was_not_recorded_never_begins() {
    let stopped = CommandEnd::Stopped { tail: String::new() };
    for (how, expected) in
        [("drop", &stopped), ("stop", &stopped), ("detach", &CommandEnd::Detached)]
    {
        let sandbox = CommandSandbox::default();
        let (link, mut events) = CommandControl::new(1);
        let (commands, execution, given) =
            (sandbox.commands.clone(), sandbox.shell("touch begun"), link.clone());
        let executing = tokio::spawn(async move { commands.execute(&execution, &given).await });
        let Some(CommandEvent::Spawned { process, go }) = events.recv().await else {
            panic!("nothing began")
        };
        assert!(process.is_running());
        match how {
            "drop" => drop(go),
            "stop" => link.stop.cancel(),
            _ => link.detach.cancel(),
        }
        assert_eq!(executing.await.unwrap(), *expected, "{how}");
        assert!(is_collected(&process) && !sandbox.project().join("begun").exists(), "{how}");
    }
    // After a stop, nothing is started.
    let sandbox = CommandSandbox::default();
    let (link, mut events) = CommandControl::new(1);
    link.stop.cancel();
    assert_eq!(sandbox.commands.execute(&sandbox.shell("touch begun"), &link).await, stopped);
    assert!(events.try_recv().is_err() && !sandbox.folder.path().join("scratch").exists());
}

#[tokio::test]
async fn a_command_whose_caller_is_gone_is_ended() {
    let sandbox = CommandSandbox::default();
    let (watcher, executing) =
        sandbox.spawn(&sandbox.shell("setsid sleep 600 & echo begun; sleep 600"));
    watcher.receives("begun").await;
    executing.abort();
    eventually("nothing is left", || sandbox.alive().is_empty()).await;
}

#[tokio::test]
async fn a_caller_that_receives_no_events_does_not_block_the_command() {
    let sandbox = CommandSandbox::default();
    let (link, mut events) = CommandControl::new(1);
    let (commands, execution) =
        (sandbox.commands.clone(), sandbox.shell("seq 100000; sleep 0.5; seq 100000"));
    let executing = tokio::spawn(async move { commands.execute(&execution, &link).await });
    let Some(CommandEvent::Spawned { go, .. }) = events.recv().await else {
        panic!("nothing began")
    };
    go.send(()).unwrap();
    let end = executing.await.unwrap();
    assert!(end.is_passed() && end.tail().unwrap().ends_with("\n100000"));
}
