//! What happens before the agent gets its prompt.

use std::os::unix::fs::PermissionsExt;

use serde_json::json;
use surefire::agent::{Agent, AgentEvent, Failure};
use surefire_testkit::sandbox::{ClaudeSandbox, alive, ends, is_collected};
use surefire_testkit::{Watcher, link};

#[tokio::test]
async fn a_program_that_cannot_be_started() {
    let sandbox = ClaudeSandbox::with(&json!({}));
    let folder = sandbox.folder.path();
    let (plain, nonsense) = (folder.join("plain"), folder.join("nonsense"));
    std::fs::write(&plain, "").unwrap();
    std::fs::write(&nonsense, [0, 1, 2]).unwrap();
    std::fs::set_permissions(&nonsense, std::fs::Permissions::from_mode(0o755)).unwrap();
    let table = [
        (folder.join("missing"), "no such file"),
        (plain, "chmod +x"),
        (folder.join("project"), "it is a directory"),
        (nonsense, "try to run it in a terminal"),
    ];
    for (path, words) in table {
        let claude = ClaudeSandbox::claude(folder, path.clone());
        let failure = claude.turn(sandbox.turn(), Watcher::new().link).await.unwrap_err();
        assert!(
            matches!(&failure, Failure::BadProgram { path: tried, .. } if *tried == path),
            "{failure}"
        );
        assert!(failure.to_string().contains(words), "{failure}");
    }
    assert!(ClaudeSandbox::claude(folder, folder.join("missing")).ready().is_err());
    assert!(sandbox.claude.ready().is_ok());
}

#[tokio::test]
async fn a_directory_that_is_not_there() {
    let sandbox = ClaudeSandbox::with(&json!({}));
    let mut turn = sandbox.turn();
    turn.directory = sandbox.folder.path().join("nowhere");
    let failure = sandbox.take(&turn).await.unwrap_err();
    assert!(failure.to_string().contains("nowhere"), "{failure}");
}

#[tokio::test]
async fn an_invalid_turn_starts_no_process() {
    let sandbox = ClaudeSandbox::with(&json!({}));
    let mut empty = sandbox.turn();
    empty.prompt = " \n".to_owned();
    let mut strange = sandbox.turn();
    strange.model = Some("--dangerously-skip-permissions".to_owned());
    for turn in [empty, strange] {
        let failure = sandbox.take(&turn).await.unwrap_err();
        assert!(
            matches!(failure, Failure::EmptyPrompt | Failure::UnknownModel { .. }),
            "{failure}"
        );
    }
    assert_eq!(fake_claude::calls(&sandbox.log()).len(), 0);
}

#[tokio::test]
async fn a_system_prompt_reaches_the_agent_and_is_not_on_the_command_line() {
    let words = "--version\nAnswer in one line; say \u{201e}why\u{201c}.";
    for system_prompt in [Some(words), None] {
        let sandbox = ClaudeSandbox::with(&json!({}));
        let mut turn = sandbox.turn();
        turn.system_prompt = system_prompt.map(Into::into);
        sandbox.take(&turn).await.unwrap();
        turn.opened = true;
        sandbox.take(&turn).await.unwrap();
        for call in fake_claude::calls(&sandbox.log()) {
            assert_eq!(call["system_prompt"], json!(system_prompt), "with every turn: {call}");
            let arguments = call["arguments"].to_string();
            assert!(!arguments.contains("--version"), "{arguments}");
            assert_eq!(arguments.contains("--append-system-prompt-file"), system_prompt.is_some());
        }
        let file = turn.scratch.join("system-prompt.md");
        let mode = file.metadata().ok().map(|metadata| metadata.permissions().mode() & 0o777);
        assert_eq!(mode, system_prompt.map(|_| 0o600));
    }
}

#[tokio::test]
async fn a_process_that_is_not_recorded_gets_no_prompt() {
    let sandbox = ClaudeSandbox::with(&json!({}));
    let turn = sandbox.turn();
    let (link, mut events) = link(1);
    let doing = tokio::spawn(sandbox.claude.turn(turn.clone(), link));
    let Some(AgentEvent::Spawned { process, go }) = events.recv().await else { panic!() };
    drop(go);
    assert_eq!(doing.await.unwrap(), Err(Failure::StoppedBeforePrompt));
    assert!(is_collected(&process));
    assert_eq!((alive(turn.attempt), sandbox.begun()), (vec![], 0));
}

#[tokio::test]
async fn a_turn_without_a_watcher_gets_no_prompt() {
    let sandbox = ClaudeSandbox::with(&json!({}));
    let turn = sandbox.turn();
    let (link, events) = link(1);
    drop(events);
    assert_eq!(sandbox.claude.turn(turn.clone(), link).await, Err(Failure::StoppedBeforePrompt));
    assert_eq!((alive(turn.attempt), sandbox.begun()), (vec![], 0));
}

#[tokio::test]
async fn stopped_or_detached_before_the_prompt() {
    for stopped in [true, false] {
        let sandbox = ClaudeSandbox::with(&json!({}));
        let turn = sandbox.turn();
        let (link, mut events) = link(1);
        let doing = tokio::spawn(sandbox.claude.turn(turn.clone(), link.clone()));
        let sign = events.recv().await;
        let (token, failure) = if stopped {
            (&link.stop, Failure::StoppedBeforePrompt)
        } else {
            (&link.detach, Failure::Detached)
        };
        token.cancel();
        assert_eq!(doing.await.unwrap(), Err(failure));
        drop(sign);
        assert_eq!((alive(turn.attempt), sandbox.begun()), (vec![], 0));
    }
}

/// The CLI exits if its prompt does not arrive in time. It has done nothing by then, so the driver
/// starts another process.
#[tokio::test]
async fn recording_takes_longer_than_the_cli_waits() {
    let sandbox = ClaudeSandbox::new(&json!({ "patience_ms": 100 }));
    let (link, mut events) = link(4);
    let doing = tokio::spawn(sandbox.claude.turn(sandbox.turn(), link));
    let Some(AgentEvent::Spawned { process, go: first }) = events.recv().await else { panic!() };
    ends(&process).await;
    first.send(()).unwrap();
    let Some(AgentEvent::Spawned { go: second, .. }) = events.recv().await else { panic!() };
    second.send(()).unwrap();
    assert_eq!(doing.await.unwrap().unwrap().text, "Done.\n{\"outcome\":\"complete\"}");
    assert_eq!((sandbox.begun(), fake_claude::count(&sandbox.log(), "refused")), (1, 1));
}
