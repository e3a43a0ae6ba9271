//! Time and space are bounded.

use std::os::unix::fs::MetadataExt;
use std::time::Duration;

use serde_json::json;
use surefire::agent::{Agent, ClaudeSettings, Failure};
use surefire_testkit::sandbox::{ClaudeSandbox, alive};
use surefire_testkit::{Watcher, link};

#[tokio::test]
async fn silence_is_noticed() {
    let sandbox = ClaudeSandbox::with(&json!({ "act": "silence" }));
    let mut turn = sandbox.turn();
    turn.limits.silence = Duration::from_millis(300);
    let after = turn.limits.silence;
    assert_eq!(sandbox.take(&turn).await, Err(Failure::Silent { after }));
    assert_eq!(alive(turn.attempt), [0; 0]);
}

#[tokio::test]
async fn an_active_turn_has_a_time_limit_too() {
    let sandbox = ClaudeSandbox::with(&json!({ "act": "mutter" }));
    let mut turn = sandbox.turn();
    // It mutters every 10 ms, so it is never silent for this long.
    turn.limits.silence = Duration::from_millis(600);
    turn.limits.duration = Duration::from_millis(1200);
    let after = turn.limits.duration;
    assert_eq!(sandbox.take(&turn).await, Err(Failure::TookTooLong { after }));
    assert_eq!(alive(turn.attempt), [0; 0]);
}

#[tokio::test]
async fn too_much_output_ends_the_turn() {
    let sandbox = ClaudeSandbox::with(&json!({ "act": "huge", "megabytes": 20 }));
    let claude =
        sandbox.claude.clone().settings(ClaudeSettings::default().max_output_bytes(4 << 20));
    let turn = sandbox.turn();
    let failure = claude.turn(turn.clone(), Watcher::new().link).await.unwrap_err();
    assert_eq!(failure, Failure::TooMuchOutput { limit: "4 MiB of output".to_owned() });
    assert_eq!(alive(turn.attempt), [0; 0]);
}

#[tokio::test]
async fn a_line_has_a_maximum_size() {
    let sandbox = ClaudeSandbox::with(&json!({ "act": "huge-line", "megabytes": 9 }));
    let turn = sandbox.turn();
    let failure = sandbox.take(&turn).await.unwrap_err();
    assert_eq!(failure, Failure::TooMuchOutput { limit: "8 MiB in one line".to_owned() });
    assert_eq!(alive(turn.attempt), [0; 0]);

    let fits = ClaudeSandbox::with(&json!({ "act": "huge-line", "megabytes": 7 }));
    fits.take(&fits.turn()).await.unwrap();
}

#[tokio::test]
async fn output_is_bounded_even_while_no_watcher_receives_events() {
    let sandbox = ClaudeSandbox::with(&json!({ "act": "huge", "megabytes": 20 }));
    let claude =
        sandbox.claude.clone().settings(ClaudeSettings::default().max_output_bytes(4 << 20));
    let (link, mut events) = link(1);
    let doing = tokio::spawn(claude.turn(sandbox.turn(), link));
    let Some(surefire::agent::AgentEvent::Spawned { go, .. }) = events.recv().await else {
        panic!()
    };
    go.send(()).unwrap();
    let failure =
        tokio::time::timeout(Duration::from_secs(30), doing).await.expect("it ends").unwrap();
    assert!(matches!(failure, Err(Failure::TooMuchOutput { .. })), "{failure:?}");
}

#[tokio::test]
async fn the_end_of_a_huge_standard_error_is_kept() {
    let sandbox = ClaudeSandbox::with(&json!({ "act": "huge-stderr", "megabytes": 64 }));
    let turn = sandbox.turn();
    assert_eq!(sandbox.take(&turn).await.unwrap().text, "Done.\n{\"outcome\":\"complete\"}");
    let file = turn.scratch.join("stderr.log");
    assert!(std::fs::read(&file).unwrap().ends_with(b"the last line\n"));
    let room = 512 * std::fs::metadata(&file).unwrap().blocks();
    assert!(room <= 2 << 20, "{room} bytes are on disk");
}
