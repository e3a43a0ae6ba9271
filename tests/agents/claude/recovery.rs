//! What the next server finds out about a turn whose server is gone.

use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};
use surefire::agent::{Agent, AgentEvent, Failure, Fate, ProcessIdentity, Reply, Turn};
use surefire_testkit::sandbox::{ClaudeSandbox, alive, is_collected, turn};
use surefire_testkit::{Watcher, eventually, link};
use uuid::Uuid;

fn adopted(fate: Fate) -> Reply {
    match fate {
        Fate::Ended(Ok(reply)) => reply,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_detached_process_answers_and_is_adopted_without_a_second_call() {
    let sandbox = ClaudeSandbox::with(&json!({ "delay_ms": 300 }));
    let (turn, watcher) = (sandbox.turn(), Watcher::new());
    let doing = tokio::spawn(sandbox.claude.turn(turn.clone(), watcher.link.clone()));
    eventually("it runs", || sandbox.begun() == 1).await;
    watcher.link.detach.cancel();
    assert_eq!(doing.await.unwrap(), Err(Failure::Detached));
    assert_eq!(alive(turn.attempt).len(), 1, "it keeps running");

    let process = watcher.process().unwrap();
    let second = Watcher::new();
    let fate =
        sandbox.claude.recover(turn.clone(), Some(process.clone()), second.link.clone()).await;
    assert_eq!(adopted(fate).text, "Done.\n{\"outcome\":\"complete\"}");
    second.receives("said Done.\n{\"outcome\":\"complete\"}").await;
    assert_eq!(sandbox.begun(), 1);
    assert_eq!(alive(turn.attempt), [0; 0]);
    eventually("it is collected", || is_collected(&process)).await;
}

#[tokio::test]
async fn a_process_that_is_to_stop_is_not_detached() {
    let sandbox = ClaudeSandbox::with(&json!({ "act": "ignore-sigterm" }));
    let (turn, watcher) = (sandbox.turn(), Watcher::new());
    let doing = tokio::spawn(sandbox.claude.turn(turn.clone(), watcher.link.clone()));
    watcher.receives("said ignoring").await;
    watcher.link.detach.cancel();
    assert_eq!(doing.await.unwrap(), Err(Failure::Detached));
    let process = watcher.process().unwrap();

    // A client stopped the run in the same moment in which its engine was shut down.
    let second = Watcher::new();
    second.link.detach.cancel();
    second.link.stop.cancel();
    let fate = sandbox.claude.recover(turn.clone(), Some(process), second.link.clone()).await;
    assert!(matches!(fate, Fate::Ended(Err(Failure::Stopped))), "{fate:?}");
    assert_eq!(alive(turn.attempt), [0; 0]);
}

#[tokio::test]
async fn the_files_that_were_written_before_a_crash_are_known_after_it() {
    let tries = json!([{ "write": { "path": "a.rs", "content": "" } }, { "edit": { "path": "b.rs", "old": "x", "new": "y" } }]);
    let sandbox = ClaudeSandbox::with(&json!({ "tries": tries, "delay_ms": 300 }));
    let (turn, watcher) = (sandbox.turn(), Watcher::new());
    let file = turn.directory.canonicalize().unwrap().join("a.rs");
    let wrote = format!("wrote {}", file.display());
    let doing = tokio::spawn(sandbox.claude.turn(turn.clone(), watcher.link.clone()));
    watcher.receives(&wrote).await;
    watcher.link.detach.cancel();
    assert_eq!(doing.await.unwrap(), Err(Failure::Detached));

    let second = Watcher::new();
    let fate = sandbox.claude.recover(turn, watcher.process(), second.link.clone()).await;
    assert_eq!(
        adopted(fate).written,
        [file],
        "the other file does not exist, so it was not edited"
    );
    second.receives(&wrote).await;
}

#[tokio::test]
async fn a_reply_that_was_written_without_a_server_is_adopted() {
    for act in ["well", "linger", "grandchildren"] {
        let sandbox = ClaudeSandbox::with(&json!({ "act": act }));
        let (turn, watcher) = (sandbox.turn(), Watcher::new());
        let (link, mut events) = link(4);
        let doing = tokio::spawn(sandbox.claude.turn(turn.clone(), link.clone()));
        let Some(AgentEvent::Spawned { process, go }) = events.recv().await else { panic!() };
        // Detached as soon as it has its prompt: no watcher reads the answer.
        go.send(()).unwrap();
        link.detach.cancel();
        let result = doing.await.unwrap();
        eventually("it answers", || fake_claude::count(&sandbox.log(), "answered") == 1).await;
        assert!(matches!(result, Err(Failure::Detached) | Ok(_)), "{result:?}");
        let fate = sandbox.claude.recover(turn.clone(), Some(process), watcher.link.clone()).await;
        assert_eq!(adopted(fate).version.as_deref(), Some("2.1.325"), "{act}");
        assert_eq!((sandbox.begun(), alive(turn.attempt)), (1, vec![]), "{act}");
        let again = "said Done.\n{\"outcome\":\"complete\"}";
        watcher.receives(again).await;
        assert_eq!(
            watcher.events(),
            [again],
            "{act}: its passages are sent once more, from the beginning"
        );
    }
}

#[tokio::test]
async fn the_next_watcher_receives_what_the_first_one_did_not() {
    let passages: Vec<_> = (0..8).map(|n| format!("passage {n}")).collect();
    let sandbox = ClaudeSandbox::with(&json!({ "passages": passages }));
    let (turn, watcher) = (sandbox.turn(), Watcher::new());
    let (first, mut events) = link(1);
    let doing = tokio::spawn(sandbox.claude.turn(turn.clone(), first.clone()));
    let Some(AgentEvent::Spawned { process, go }) = events.recv().await else { panic!() };
    go.send(()).unwrap();
    // The agent has ended, and its watcher has received no more than fits into the channel.
    eventually("it answers", || fake_claude::count(&sandbox.log(), "answered") == 1).await;
    eventually("the channel is full", || first.events.capacity() == 0).await;
    first.detach.cancel();
    assert_eq!(doing.await.unwrap(), Err(Failure::Detached));
    let (second, _unread) = link(1);
    second.detach.cancel();
    let fate = sandbox.claude.recover(turn.clone(), Some(process.clone()), second).await;
    assert!(matches!(fate, Fate::Ended(Err(Failure::Detached))), "{fate:?}");

    let fate = sandbox.claude.recover(turn, Some(process), watcher.link.clone()).await;
    let reply = format!("said {}", adopted(fate).text);
    watcher.receives(&reply).await;
    let said = passages.iter().map(|passage| format!("said {passage}")).chain([reply]);
    assert_eq!(watcher.events(), said.collect::<Vec<_>>());
}

#[tokio::test]
async fn a_turn_that_was_not_recorded_never_began() {
    let sandbox = ClaudeSandbox::with(&json!({}));
    let turn = sandbox.turn();
    // A process that was started for the attempt by a server that died before it sent `go`.
    let mut stray = Command::new("sleep")
        .arg("600")
        .env("SUREFIRE_ATTEMPT", turn.attempt.to_string())
        .spawn()
        .unwrap();
    assert!(matches!(sandbox.recover(&turn, None).await, Fate::NeverBegan));
    assert!(!stray.wait().unwrap().success());
    assert_eq!(alive(turn.attempt), [0; 0]);
}

/// The machine goes down after the process is recorded and before it gets its prompt: neither the
/// agent nor the server writes anything more.
#[tokio::test]
async fn a_process_that_was_never_given_its_prompt_never_began() {
    for written_by_this_version in [true, false] {
        let sandbox = ClaudeSandbox::with(&json!({}));
        let turn = sandbox.turn();
        let (link, mut events) = link(1);
        let doing = tokio::spawn(sandbox.claude.turn(turn.clone(), link));
        let Some(AgentEvent::Spawned { process, go }) = events.recv().await else { panic!() };
        assert!(
            Command::new("kill").args(["-9", &process.pid.to_string()]).status().unwrap().success()
        );
        doing.abort();
        assert!(doing.await.unwrap_err().is_cancelled());
        drop(go);
        eventually("it is collected", || is_collected(&process)).await;

        if !written_by_this_version {
            // An attempt of an earlier version has no such file, so its absence proves nothing.
            std::fs::remove_file(turn.scratch.join("stdin.state")).unwrap();
        }
        let fate = sandbox.recover(&turn, Some(process)).await;
        let fits = if written_by_this_version {
            matches!(fate, Fate::NeverBegan)
        } else {
            matches!(fate, Fate::Unknown)
        };
        assert!(fits, "{fate:?}");
        assert_eq!((sandbox.begun(), alive(turn.attempt)), (0, vec![]));
    }
}

/// The server is killed at the same point, and the agent keeps running without reading anything.
#[tokio::test]
async fn a_process_that_waits_in_vain_for_its_prompt_is_ended_and_never_began() {
    let sandbox = ClaudeSandbox::new(&json!({ "answers": [{ "act": "no-read" }] }));
    let (turn, process) = killed_server(&sandbox, Dies::BeforeThePrompt);
    eventually("it runs", || sandbox.begun() == 1).await;
    assert_eq!(alive(turn.attempt).len(), 1);
    let fate = sandbox.recover(&turn, Some(process)).await;
    assert!(matches!(fate, Fate::NeverBegan), "{fate:?}");
    assert_eq!(alive(turn.attempt), [0; 0]);
}

#[tokio::test]
async fn a_process_that_vanished_without_an_answer() {
    for act in ["die-by-signal", "empty", "setsid-and-silence"] {
        let sandbox = ClaudeSandbox::with(&json!({ "act": act }));
        let (turn, watcher) = (sandbox.turn(), Watcher::new());
        let doing = tokio::spawn(sandbox.claude.turn(turn.clone(), watcher.link.clone()));
        if act == "setsid-and-silence" {
            watcher.receives("said left").await;
            watcher.link.detach.cancel();
            assert_eq!(doing.await.unwrap(), Err(Failure::Detached));
            let pid = watcher.process().unwrap().pid.to_string();
            assert!(Command::new("kill").args(["-9", &pid]).status().unwrap().success());
            eventually("it is gone", || alive(turn.attempt).len() == 1).await;
        } else {
            doing.await.unwrap().unwrap_err();
        }
        let fate = sandbox.recover(&turn, watcher.process()).await;
        assert!(matches!(fate, Fate::Unknown), "{act}: {fate:?}");
        assert_eq!(alive(turn.attempt), [0; 0], "{act}");
    }
}

#[tokio::test]
async fn another_process_with_the_same_pid_is_left_alone() {
    let sandbox = ClaudeSandbox::with(&json!({}));
    let mut other = Command::new("sleep").arg("600").spawn().unwrap();
    let pid = i32::try_from(other.id()).unwrap();
    let process = ProcessIdentity { pid, started: "0".to_owned() };
    assert!(matches!(sandbox.recover(&sandbox.turn(), Some(process)).await, Fate::Unknown));
    assert!(other.try_wait().unwrap().is_none(), "it is not the turn's process");
    other.kill().unwrap();
    other.wait().unwrap();
}

#[tokio::test]
async fn an_adopted_process_obeys_stops_and_limits() {
    for (act, word) in [("ignore-sigterm", "said ignoring"), ("setsid-and-silence", "said left")] {
        for stopped in [true, false] {
            let sandbox = ClaudeSandbox::with(&json!({ "act": act }));
            let (mut turn, first, second) = (sandbox.turn(), Watcher::new(), Watcher::new());
            let doing = tokio::spawn(sandbox.claude.turn(turn.clone(), first.link.clone()));
            first.receives(word).await;
            first.link.detach.cancel();
            assert_eq!(doing.await.unwrap(), Err(Failure::Detached));
            turn.limits.silence = Duration::from_millis(if stopped { 60_000 } else { 100 });
            let after = turn.limits.silence;
            if stopped {
                second.link.stop.cancel();
            }
            let fate =
                sandbox.claude.recover(turn.clone(), first.process(), second.link.clone()).await;
            let expected = if stopped { Failure::Stopped } else { Failure::Silent { after } };
            assert!(matches!(fate, Fate::Ended(Err(failure)) if failure == expected), "{act}");
            assert_eq!(alive(turn.attempt), [0; 0], "{act}");
        }
    }
}

/// The server was killed while it stopped the agent, which has noticed the first signal.
#[tokio::test]
async fn an_interrupted_agent_has_an_unknown_fate() {
    let sandbox = ClaudeSandbox::with(&json!({ "act": "interruptible" }));
    let (turn, watcher) = (sandbox.turn(), Watcher::new());
    let doing = tokio::spawn(sandbox.claude.turn(turn.clone(), watcher.link.clone()));
    watcher.receives("said waiting").await;
    watcher.link.detach.cancel();
    assert_eq!(doing.await.unwrap(), Err(Failure::Detached));
    let pid = watcher.process().unwrap().pid.to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    let fate = sandbox.recover(&turn, watcher.process()).await;
    assert!(matches!(fate, Fate::Unknown), "this server stopped nothing: {fate:?}");
}

/// The server is a separate process here, and the agent kills it with SIGKILL.
#[tokio::test]
async fn an_answer_outlives_a_server_that_was_killed() {
    for act in ["kill-parent-before", "kill-parent-after"] {
        let sandbox = ClaudeSandbox::with(&json!({ "act": act }));
        let (turn, process) = killed_server(&sandbox, Dies::ByItsAgent);
        let reply = adopted(sandbox.recover(&turn, Some(process)).await);
        assert_eq!(reply.text, "Done.\n{\"outcome\":\"complete\"}");
        assert_eq!((sandbox.begun(), alive(turn.attempt)), (1, vec![]), "{act}");
    }
}

/// When the server process is killed.
#[derive(Clone, Copy, PartialEq)]
enum Dies {
    BeforeThePrompt,
    ByItsAgent,
}

/// Starts a server process that takes a turn in this sandbox until it is killed, and returns what
/// it had recorded.
fn killed_server(sandbox: &ClaudeSandbox, dies: Dies) -> (Turn, ProcessIdentity) {
    let mut server = Command::new(std::env::current_exe().unwrap());
    server.args(["--ignored", "--exact", "claude::recovery::server_process"]);
    server.env("SUREFIRE_TEST_STAGE", sandbox.folder.path());
    if dies == Dies::BeforeThePrompt {
        server.env("SUREFIRE_TEST_DIES", "before the prompt");
    }
    // Its output is not needed, and an agent that outlives it must not hold a pipe to this process.
    let status = server.stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap();
    assert_eq!(std::os::unix::process::ExitStatusExt::signal(&status), Some(9), "{status}");

    let note: Value =
        serde_json::from_slice(&std::fs::read(sandbox.folder.path().join("note")).unwrap())
            .unwrap();
    let id = |name: &str| Uuid::parse_str(note[name].as_str().unwrap()).unwrap();
    let mut turn = sandbox.turn();
    (turn.attempt, turn.session) = (id("attempt"), id("session"));
    let pid = i32::try_from(note["pid"].as_i64().unwrap()).unwrap();
    (turn, ProcessIdentity { pid, started: note["started"].as_str().unwrap().to_owned() })
}

#[tokio::test]
#[ignore = "is the server process that the tests above start"]
async fn server_process() {
    let Some(folder) = std::env::var_os("SUREFIRE_TEST_STAGE") else { return };
    let folder = std::path::Path::new(&folder);
    let claude = ClaudeSandbox::claude(folder, fake_claude::program());
    let turn = turn(folder);
    let (link, mut events) = link(4);
    let doing = tokio::spawn(claude.turn(turn.clone(), link));
    let Some(AgentEvent::Spawned { process, go }) = events.recv().await else { panic!() };
    let note = json!({
        "attempt": turn.attempt, "session": turn.session, "pid": process.pid, "started": process.started,
    });
    std::fs::write(folder.join("note"), note.to_string()).unwrap();
    if std::env::var_os("SUREFIRE_TEST_DIES").is_some() {
        rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL)
            .unwrap();
    }
    go.send(()).unwrap();
    doing.await.unwrap().unwrap();
    // The agent answers and then kills this process.
    tokio::time::sleep(Duration::from_secs(30)).await;
}
