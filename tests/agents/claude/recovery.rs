//! A turn whose server went away.

use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};
use surefire::agent::{Agent, Failure, Fate, Process, Reply, Sign, Turn};
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
async fn a_process_that_was_left_answers_and_is_adopted_without_a_second_call() {
    let sandbox = ClaudeSandbox::with(&json!({ "delay_ms": 300 }));
    let (turn, watcher) = (sandbox.turn(), Watcher::new());
    let doing = tokio::spawn(sandbox.claude.turn(turn.clone(), watcher.link.clone()));
    eventually("it runs", || sandbox.begun() == 1).await;
    watcher.link.leave.cancel();
    assert_eq!(doing.await.unwrap(), Err(Failure::Left));
    assert_eq!(alive(turn.attempt).len(), 1, "it works on");

    let process = watcher.process().unwrap();
    let second = Watcher::new();
    let fate = sandbox.claude.recover(turn.clone(), Some(process.clone()), second.link.clone()).await;
    assert_eq!(adopted(fate).text, "Done.\n{\"outcome\":\"complete\"}");
    second.hears("said Done.\n{\"outcome\":\"complete\"}").await;
    assert_eq!(sandbox.begun(), 1);
    assert_eq!(alive(turn.attempt), [0; 0]);
    eventually("it is collected", || is_collected(&process)).await;
}

#[tokio::test]
async fn a_process_that_is_to_stop_is_not_left_whoever_else_wishes_that() {
    let sandbox = ClaudeSandbox::with(&json!({ "act": "ignore-sigterm" }));
    let (turn, watcher) = (sandbox.turn(), Watcher::new());
    let doing = tokio::spawn(sandbox.claude.turn(turn.clone(), watcher.link.clone()));
    watcher.hears("said ignoring").await;
    watcher.link.leave.cancel();
    assert_eq!(doing.await.unwrap(), Err(Failure::Left));
    let process = watcher.process().unwrap();

    // The run was ended by somebody, and in the same moment its engine was told to go.
    let second = Watcher::new();
    second.link.leave.cancel();
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
    watcher.hears(&wrote).await;
    watcher.link.leave.cancel();
    assert_eq!(doing.await.unwrap(), Err(Failure::Left));

    let second = Watcher::new();
    let fate = sandbox.claude.recover(turn, watcher.process(), second.link.clone()).await;
    assert_eq!(adopted(fate).written, [file], "the other one was not there to be edited");
    second.hears(&wrote).await;
}

#[tokio::test]
async fn an_answer_that_came_meanwhile_is_adopted() {
    for act in ["well", "linger", "grandchildren"] {
        let sandbox = ClaudeSandbox::with(&json!({ "act": act }));
        let (turn, watcher) = (sandbox.turn(), Watcher::new());
        let (link, mut signs) = link(4);
        let doing = tokio::spawn(sandbox.claude.turn(turn.clone(), link.clone()));
        let Some(Sign::Spawned { process, go }) = signs.recv().await else { panic!() };
        // Left as soon as it has its prompt: nobody reads the answer.
        go.send(()).unwrap();
        link.leave.cancel();
        let result = doing.await.unwrap();
        eventually("it answers", || fake_claude::count(&sandbox.log(), "answered") == 1).await;
        assert!(matches!(result, Err(Failure::Left) | Ok(_)), "{result:?}");
        let fate = sandbox.claude.recover(turn.clone(), Some(process), watcher.link.clone()).await;
        assert_eq!(adopted(fate).version.as_deref(), Some("2.1.325"), "{act}");
        assert_eq!((sandbox.begun(), alive(turn.attempt)), (1, vec![]), "{act}");
        let again = "said Done.\n{\"outcome\":\"complete\"}";
        watcher.hears(again).await;
        assert_eq!(watcher.signs(), [again], "{act}: it is said once more, from the beginning");
    }
}

#[tokio::test]
async fn what_a_watcher_that_leaves_has_not_heard_is_left_to_the_next_one() {
    let passages: Vec<_> = (0..8).map(|n| format!("passage {n}")).collect();
    let sandbox = ClaudeSandbox::with(&json!({ "passages": passages }));
    let (turn, watcher) = (sandbox.turn(), Watcher::new());
    let (first, mut signs) = link(1);
    let doing = tokio::spawn(sandbox.claude.turn(turn.clone(), first.clone()));
    let Some(Sign::Spawned { process, go }) = signs.recv().await else { panic!() };
    go.send(()).unwrap();
    // It has ended, and somebody has heard no more than fits into the channel.
    eventually("it answers", || fake_claude::count(&sandbox.log(), "answered") == 1).await;
    eventually("the channel is full", || first.signs.capacity() == 0).await;
    first.leave.cancel();
    assert_eq!(doing.await.unwrap(), Err(Failure::Left));
    let (second, _deaf) = link(1);
    second.leave.cancel();
    let fate = sandbox.claude.recover(turn.clone(), Some(process.clone()), second).await;
    assert!(matches!(fate, Fate::Ended(Err(Failure::Left))), "{fate:?}");

    let fate = sandbox.claude.recover(turn, Some(process), watcher.link.clone()).await;
    let reply = format!("said {}", adopted(fate).text);
    watcher.hears(&reply).await;
    let said = passages.iter().map(|passage| format!("said {passage}")).chain([reply]);
    assert_eq!(watcher.signs(), said.collect::<Vec<_>>());
}

#[tokio::test]
async fn a_turn_that_nobody_wrote_down_never_began() {
    let sandbox = ClaudeSandbox::with(&json!({}));
    let turn = sandbox.turn();
    // A process that was started for it, and for which nobody lived to say `go`.
    let mut stray =
        Command::new("sleep").arg("600").env("SUREFIRE_ATTEMPT", turn.attempt.to_string()).spawn().unwrap();
    assert!(matches!(sandbox.recover(&turn, None).await, Fate::NeverBegan));
    assert!(!stray.wait().unwrap().success());
    assert_eq!(alive(turn.attempt), [0; 0]);
}

/// The machine goes down after the process was recorded and before it is given its prompt: neither the agent nor the
/// server says a word.
#[tokio::test]
async fn a_process_that_was_never_given_its_prompt_never_began() {
    for written_by_this_version in [true, false] {
        let sandbox = ClaudeSandbox::with(&json!({}));
        let turn = sandbox.turn();
        let (link, mut signs) = link(1);
        let doing = tokio::spawn(sandbox.claude.turn(turn.clone(), link));
        let Some(Sign::Spawned { process, go }) = signs.recv().await else { panic!() };
        assert!(Command::new("kill").args(["-9", &process.pid.to_string()]).status().unwrap().success());
        doing.abort();
        assert!(doing.await.unwrap_err().is_cancelled());
        drop(go);
        eventually("it is collected", || is_collected(&process)).await;

        if !written_by_this_version {
            // An attempt of an earlier version has no such file, so its absence may not count.
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

/// The server is killed at the same place, and the agent stays without reading anything.
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
            watcher.hears("said left").await;
            watcher.link.leave.cancel();
            assert_eq!(doing.await.unwrap(), Err(Failure::Left));
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
async fn another_process_with_the_same_number_is_left_alone() {
    let sandbox = ClaudeSandbox::with(&json!({}));
    let mut other = Command::new("sleep").arg("600").spawn().unwrap();
    let pid = i32::try_from(other.id()).unwrap();
    let process = Process { pid, started: "0".to_owned() };
    assert!(matches!(sandbox.recover(&sandbox.turn(), Some(process)).await, Fate::Unknown));
    assert!(other.try_wait().unwrap().is_none(), "it was somebody else's");
    other.kill().unwrap();
    other.wait().unwrap();
}

#[tokio::test]
async fn an_adopted_process_is_stopped_and_bounded_like_our_own() {
    for (act, word) in [("ignore-sigterm", "said ignoring"), ("setsid-and-silence", "said left")] {
        for stopped in [true, false] {
            let sandbox = ClaudeSandbox::with(&json!({ "act": act }));
            let (mut turn, first, second) = (sandbox.turn(), Watcher::new(), Watcher::new());
            let doing = tokio::spawn(sandbox.claude.turn(turn.clone(), first.link.clone()));
            first.hears(word).await;
            first.link.leave.cancel();
            assert_eq!(doing.await.unwrap(), Err(Failure::Left));
            turn.limits.silence = Duration::from_millis(if stopped { 60_000 } else { 100 });
            let after = turn.limits.silence;
            if stopped {
                second.link.stop.cancel();
            }
            let fate = sandbox.claude.recover(turn.clone(), first.process(), second.link.clone()).await;
            let expected = if stopped { Failure::Stopped } else { Failure::Silent { after } };
            assert!(matches!(fate, Fate::Ended(Err(failure)) if failure == expected), "{act}");
            assert_eq!(alive(turn.attempt), [0; 0], "{act}");
        }
    }
}

/// The server was killed while it stopped the agent, which has noticed the first signal.
#[tokio::test]
async fn an_interruption_is_found_as_such() {
    let sandbox = ClaudeSandbox::with(&json!({ "act": "interruptible" }));
    let (turn, watcher) = (sandbox.turn(), Watcher::new());
    let doing = tokio::spawn(sandbox.claude.turn(turn.clone(), watcher.link.clone()));
    watcher.hears("said waiting").await;
    watcher.link.leave.cancel();
    assert_eq!(doing.await.unwrap(), Err(Failure::Left));
    let pid = watcher.process().unwrap().pid.to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    let fate = sandbox.recover(&turn, watcher.process()).await;
    assert!(matches!(fate, Fate::Unknown), "this server stopped nothing: {fate:?}");
}

/// The server is a process of its own here, and the agent kills it with SIGKILL.
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

/// When a server of its own is killed.
#[derive(Clone, Copy, PartialEq)]
enum Dies {
    BeforeThePrompt,
    ByItsAgent,
}

/// Has a server of its own take a turn on this sandbox until it is killed, and says what it had recorded.
fn killed_server(sandbox: &ClaudeSandbox, dies: Dies) -> (Turn, Process) {
    let mut server = Command::new(std::env::current_exe().unwrap());
    server.args(["--ignored", "--exact", "claude::recovery::a_server_of_its_own"]);
    server.env("SUREFIRE_TEST_STAGE", sandbox.folder.path());
    if dies == Dies::BeforeThePrompt {
        server.env("SUREFIRE_TEST_DIES", "before the prompt");
    }
    // Nothing of its output is wanted, and an agent that outlives it must not hold a pipe to us.
    let status = server.stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap();
    assert_eq!(std::os::unix::process::ExitStatusExt::signal(&status), Some(9), "{status}");

    let note: Value =
        serde_json::from_slice(&std::fs::read(sandbox.folder.path().join("note")).unwrap()).unwrap();
    let id = |name: &str| Uuid::parse_str(note[name].as_str().unwrap()).unwrap();
    let mut turn = sandbox.turn();
    (turn.attempt, turn.session) = (id("attempt"), id("session"));
    let pid = i32::try_from(note["pid"].as_i64().unwrap()).unwrap();
    (turn, Process { pid, started: note["started"].as_str().unwrap().to_owned() })
}

#[tokio::test]
#[ignore = "is the server that the tests above let be killed"]
async fn a_server_of_its_own() {
    let Some(folder) = std::env::var_os("SUREFIRE_TEST_STAGE") else { return };
    let folder = std::path::Path::new(&folder);
    let claude = ClaudeSandbox::claude(folder, fake_claude::program());
    let turn = turn(folder);
    let (link, mut signs) = link(4);
    let doing = tokio::spawn(claude.turn(turn.clone(), link));
    let Some(Sign::Spawned { process, go }) = signs.recv().await else { panic!() };
    let note = json!({
        "attempt": turn.attempt, "session": turn.session, "pid": process.pid, "started": process.started,
    });
    std::fs::write(folder.join("note"), note.to_string()).unwrap();
    if std::env::var_os("SUREFIRE_TEST_DIES").is_some() {
        rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL).unwrap();
    }
    go.send(()).unwrap();
    doing.await.unwrap().unwrap();
    // The agent answers and then kills us; until then there is nothing to do.
    tokio::time::sleep(Duration::from_secs(30)).await;
}
