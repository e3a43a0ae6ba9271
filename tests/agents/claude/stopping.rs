//! Nothing is left running, however a turn ends.

use std::time::{Duration, Instant};

use serde_json::json;
use surefire::agent::{Agent, AgentEvent, ClaudeSettings, Failure};
use surefire_testkit::sandbox::{ClaudeSandbox, alive, is_collected};
use surefire_testkit::{Watcher, eventually, link, settle};

#[tokio::test]
async fn processes_that_a_turn_leaves_behind_are_ended_with_it() {
    for act in ["grandchildren", "setsid-grandchild"] {
        let sandbox = ClaudeSandbox::with(&json!({ "act": act }));
        let (turn, watcher) = (sandbox.turn(), Watcher::new());
        sandbox.claude.turn(turn.clone(), watcher.link.clone()).await.unwrap();
        assert_eq!(alive(turn.attempt), [0; 0], "{act}");
        assert!(is_collected(&watcher.process().unwrap()));
    }
}

#[tokio::test]
async fn a_stop_ends_everything() {
    for (act, word) in [
        ("ignore-sigterm", "said ignoring"),
        ("setsid-and-silence", "said left"),
        // It writes a result before it ends; that comes too late to count.
        ("interruptible", "said waiting"),
    ] {
        let sandbox = ClaudeSandbox::with(&json!({ "act": act }));
        let (turn, watcher) = (sandbox.turn(), Watcher::new());
        let doing = tokio::spawn(sandbox.claude.turn(turn.clone(), watcher.link.clone()));
        watcher.receives(word).await;
        let begun = Instant::now();
        watcher.link.stop.cancel();
        assert_eq!(doing.await.unwrap(), Err(Failure::Stopped));
        let graces = if act == "ignore-sigterm" { 2 } else { 0 };
        assert!(
            begun.elapsed() >= graces * Duration::from_millis(300),
            "{act}: {:?}",
            begun.elapsed()
        );
        assert_eq!(alive(turn.attempt), [0; 0], "{act}");
        assert!(is_collected(&watcher.process().unwrap()));
    }
}

#[tokio::test]
async fn a_fast_stop_waits_less_even_when_it_is_requested_later() {
    let sandbox = ClaudeSandbox::with(&json!({ "act": "ignore-sigterm" }));
    let settings = ClaudeSettings::default()
        .stop_grace(Duration::from_secs(5 * 60))
        .fast_stop_grace(Duration::from_millis(20));
    let claude = sandbox.claude.clone().settings(settings);
    let (turn, watcher) = (sandbox.turn(), Watcher::new());
    let doing = tokio::spawn(claude.turn(turn.clone(), watcher.link.clone()));
    watcher.receives("said ignoring").await;
    watcher.link.stop.cancel();
    settle().await;
    watcher.link.fast_stop.cancel();
    let result = tokio::time::timeout(Duration::from_secs(20), doing)
        .await
        .expect("a fast stop ends it soon")
        .unwrap();
    assert_eq!(result, Err(Failure::Stopped));
    assert_eq!(alive(turn.attempt), [0; 0]);
}

#[tokio::test]
async fn a_turn_that_is_dropped_ends_everything() {
    for act in ["silence", "setsid-and-silence", "no-read"] {
        let sandbox = ClaudeSandbox::with(&json!({ "act": act }));
        let (turn, watcher) = (sandbox.turn(), Watcher::new());
        let doing = tokio::spawn(sandbox.claude.turn(turn.clone(), watcher.link.clone()));
        eventually("it runs", || sandbox.begun() == 1).await;
        doing.abort();
        eventually("nothing is left", || alive(turn.attempt).is_empty()).await;
        eventually("it is collected", || is_collected(&watcher.process().unwrap())).await;
    }
}

#[tokio::test]
async fn a_process_that_answered_and_stays_is_ended() {
    let sandbox = ClaudeSandbox::with(&json!({ "act": "linger" }));
    let mut turn = sandbox.turn();
    turn.limits.silence = Duration::from_secs(60);
    let begun = Instant::now();
    assert_eq!(sandbox.take(&turn).await.unwrap().text, "Done.\n{\"outcome\":\"complete\"}");
    assert!(begun.elapsed() < turn.limits.silence / 2, "{:?}", begun.elapsed());
    assert_eq!(alive(turn.attempt), [0; 0]);
}

#[tokio::test]
async fn passages_reach_a_slow_watcher_even_after_the_process_is_ended() {
    let passages: Vec<_> = (0..8).map(|n| format!("passage {n}")).collect();
    let sandbox = ClaudeSandbox::with(&json!({ "act": "linger", "passages": passages }));
    let turn = sandbox.turn();
    let (link, mut events) = link(1);
    let doing = tokio::spawn(sandbox.claude.turn(turn.clone(), link));
    let Some(AgentEvent::Spawned { go, .. }) = events.recv().await else { panic!() };
    go.send(()).unwrap();
    eventually("it answers", || fake_claude::count(&sandbox.log(), "answered") == 1).await;
    eventually("it is ended", || alive(turn.attempt).is_empty()).await;
    let mut said = Vec::new();
    while let Some(sign) = events.recv().await {
        let AgentEvent::Passage(text) = sign else { panic!("{sign:?}") };
        said.push(text);
    }
    let reply = doing.await.unwrap().unwrap().text;
    assert_eq!(said, [passages, vec![reply]].concat());
}

#[tokio::test]
async fn stopping_does_not_wait_for_a_prompt_that_the_agent_does_not_read() {
    let sandbox = ClaudeSandbox::new(&json!({ "answers": [{ "act": "no-read" }] }));
    let mut turn = sandbox.turn();
    turn.prompt = "x".repeat(4 << 20);
    let watcher = Watcher::new();
    let doing = tokio::spawn(sandbox.claude.turn(turn.clone(), watcher.link.clone()));
    eventually("it runs", || sandbox.begun() == 1).await;
    let state = turn.scratch.join("stdin.state");
    eventually("it is given its prompt", || {
        std::fs::read(&state).is_ok_and(|state| state == b"released\n")
    })
    .await;
    watcher.link.stop.cancel();
    assert_eq!(doing.await.unwrap(), Err(Failure::Stopped));
    assert_eq!(alive(turn.attempt), [0; 0]);
}
