//! What the CLI answers, and how the driver reads it.

use serde_json::{Value, json};
use surefire::agent::{Agent, AgentEvent, Failure, RefusedTool};
use surefire_testkit::sandbox::{ClaudeSandbox, alive};
use surefire_testkit::{Watcher, link};
use uuid::Uuid;

async fn reply(answer: Value) -> String {
    let sandbox = ClaudeSandbox::with(&answer);
    sandbox.take(&sandbox.turn()).await.expect("it answers").text
}

async fn failure(answer: Value) -> Failure {
    let sandbox = ClaudeSandbox::with(&answer);
    let turn = sandbox.turn();
    let failure = sandbox.take(&turn).await.expect_err("it does not answer");
    assert_eq!(alive(turn.attempt), [0; 0]);
    assert_eq!(sandbox.begun(), 1, "the driver never retries a failure by itself");
    failure
}

#[tokio::test]
async fn a_good_reply_with_all_that_is_known_about_it() {
    let sandbox = ClaudeSandbox::with(&json!({ "pick": "blocked", "cost_usd": 0.25 }));
    let (turn, watcher) = (sandbox.turn(), Watcher::new());
    let reply = sandbox.claude.turn(turn.clone(), watcher.link.clone()).await.unwrap();
    assert_eq!(reply.text, "Done.\n{\"outcome\":\"blocked\"}");
    assert_eq!((reply.cost_usd, reply.rounds), (Some(0.25), Some(1)));
    assert_eq!(reply.version.as_deref(), Some("2.1.325"));
    assert_eq!(sandbox.claude.about().version, reply.version);
    watcher.receives("said Done.\n{\"outcome\":\"blocked\"}").await;
    assert_eq!(watcher.events().len(), 1);

    let calls = fake_claude::calls(&sandbox.log());
    assert_eq!(calls.len(), 2);
    assert_eq!(calls[0]["session"], turn.session.to_string());
    assert_eq!(calls[0]["attempt"], turn.attempt.to_string());
    assert_eq!(calls[0]["directory"], turn.directory.to_str().unwrap());
    assert_eq!(calls[0]["prompt"], turn.prompt);
    let environment = calls[0]["environment"].to_string();
    assert!(
        !environment.contains("CLAUDECODE") && !environment.contains("SECRET"),
        "{environment}"
    );
}

#[tokio::test]
async fn replies_in_every_form_the_cli_has() {
    for act in ["json-array", "json-object", "exit-1-good-json", "unknown-lines", "tools"] {
        assert_eq!(
            reply(json!({ "act": act })).await,
            "Done.\n{\"outcome\":\"complete\"}",
            "{act}"
        );
    }
}

/// The driver does not judge the text: it arrives as it was written.
#[tokio::test]
async fn the_text_is_passed_on_as_it_is() {
    for (act, ending) in [
        ("prose-only", "it is fine."),
        ("wrong-outcome", "{\"outcome\":\"all-is-well\"}"),
        ("truncated-json", "{\"outcome\": \"complete"),
        ("duplicate-keys", "\"outcome\": \"other\"}"),
    ] {
        let text = reply(json!({ "act": act })).await;
        assert!(text.ends_with(ending), "{act}: {text}");
    }
    assert!(reply(json!({ "act": "two-outcomes" })).await.matches("outcome").count() == 2);
    assert!(reply(json!({ "act": "deep-nesting" })).await.len() > 200_000);
}

#[tokio::test]
async fn bytes_that_are_not_text() {
    let text = reply(json!({ "act": "invalid-utf8" })).await;
    assert_eq!(text, "\u{fffd} Done.\n{\"outcome\":\"complete\"}");
}

#[tokio::test]
async fn tools_and_retries_are_signs_of_life() {
    let sandbox = ClaudeSandbox::new(
        &json!({ "answers": [{ "act": "tools", "text": "Hi" }, { "act": "overloaded" }] }),
    );
    let watcher = Watcher::new();
    let mut turn = sandbox.turn();
    sandbox.claude.turn(turn.clone(), watcher.link.clone()).await.unwrap();
    turn.opened = true;
    sandbox.claude.turn(turn, watcher.link.clone()).await.unwrap_err();
    watcher.receives("retrying overloaded (529), attempt 1 of 10").await;
    assert_eq!(watcher.events()[..3], ["used Read", "used Bash", "said Hi"]);
}

#[tokio::test]
async fn a_passage_is_whole_unless_it_is_huge_and_then_it_is_not_taken_for_the_reply() {
    for (kilobytes, whole) in [(1, true), (256, true), (257, false), (1024, false)] {
        let sandbox = ClaudeSandbox::with(&json!({ "text": "x".repeat(kilobytes << 10) }));
        let (link, mut events) = link(16);
        let doing = tokio::spawn(sandbox.claude.turn(sandbox.turn(), link));
        let mut passages = Vec::new();
        while let Some(sign) = events.recv().await {
            match sign {
                AgentEvent::Spawned { go, .. } => go.send(()).unwrap(),
                AgentEvent::Passage(text) => passages.push(text),
                other => panic!("{other:?}"),
            }
        }
        let reply = doing.await.unwrap().unwrap();
        assert_eq!(
            (reply.text.len(), passages.len()),
            (kilobytes << 10, 1),
            "the reply is never cut"
        );
        assert_eq!(passages[0] == reply.text, whole, "{kilobytes} KiB");
        assert_eq!(passages[0].ends_with('…'), !whole, "{kilobytes} KiB");
    }
}

#[tokio::test]
async fn refused_tools_are_named_once_each() {
    let sandbox = ClaudeSandbox::with(&json!({ "act": "denied" }));
    let refused = ["Bash", "WebFetch"].map(|tool| RefusedTool::new(tool, None));
    assert_eq!(sandbox.take(&sandbox.turn()).await.unwrap().refused, refused);
}

#[tokio::test]
async fn errors_that_the_cli_reports() {
    let words = |words: &str| words.to_owned();
    assert_eq!(
        failure(json!({ "act": "auth" })).await,
        Failure::NotLoggedIn { words: words("Not logged in · Please run /login") }
    );
    assert_eq!(
        failure(json!({ "act": "usage-limit", "resets_at": 1_800_000_000 })).await,
        Failure::UsageLimit {
            resets_at: Some(1_800_000_000),
            words: words("You've hit your limit · resets 3pm")
        }
    );
    assert!(matches!(failure(json!({ "act": "overloaded" })).await, Failure::Overloaded { .. }));
    assert!(matches!(failure(json!({ "act": "context" })).await, Failure::ContextFull { .. }));
    assert!(matches!(failure(json!({ "act": "max-turns" })).await, Failure::TooManyRounds { .. }));
    assert!(matches!(failure(json!({ "act": "budget" })).await, Failure::BudgetSpent { .. }));
    assert_eq!(
        failure(json!({ "act": "is-error-success" })).await,
        Failure::Refused { words: words("Something went wrong") }
    );
    assert!(matches!(
        failure(json!({ "act": "wrong-session" })).await,
        Failure::OtherSession { .. }
    ));
}

#[tokio::test]
async fn a_process_that_leaves_no_reply() {
    let no_reply = |status: &str, stderr: &str| Failure::NoReply {
        status: status.into(),
        stderr: stderr.into(),
    };
    assert_eq!(failure(json!({ "act": "empty" })).await, no_reply("exit status: 0", ""));
    assert_eq!(
        failure(json!({ "act": "die-by-signal" })).await,
        no_reply("signal: 9 (SIGKILL)", "")
    );
    let Failure::NoReply { status, stderr } = failure(json!({ "act": "fail" })).await else {
        panic!()
    };
    assert_eq!(status, "exit status: 1");
    assert!(stderr.ends_with("last line of trouble"), "{stderr}");
}

#[tokio::test]
async fn a_conversation_is_opened_once_and_then_resumed() {
    let sandbox = ClaudeSandbox::with(&json!({}));
    let first = sandbox.turn();
    sandbox.take(&first).await.unwrap();
    // The driver does not remember that the conversation was opened; the CLI's own file says so.
    let mut second = sandbox.turn();
    second.session = first.session;
    sandbox.take(&second).await.unwrap();
    second.opened = true;
    sandbox.take(&second).await.unwrap();
    let resumed: Vec<_> =
        calls(&sandbox, "began").iter().map(|call| call["resume"].clone()).collect();
    assert_eq!(resumed, [json!(false), json!(true), json!(true)]);
    assert_eq!(fake_claude::count(&sandbox.log(), "refused"), 0);
}

#[tokio::test]
async fn a_conversation_that_exists_elsewhere_is_resumed_at_the_second_try() {
    let elsewhere = tempfile::tempdir().unwrap();
    let sandbox = ClaudeSandbox::new(&json!({ "configuration": elsewhere.path() }));
    let turn = sandbox.turn();
    sandbox.take(&turn).await.unwrap();
    let watcher = Watcher::new();
    sandbox.claude.turn(turn.clone(), watcher.link.clone()).await.unwrap();
    assert_eq!(watcher.processes(), 2);
    assert_eq!(calls(&sandbox, "refused")[0]["why"], "in use");
    assert_eq!(sandbox.begun(), 2);
}

#[tokio::test]
async fn a_lost_conversation_is_not_replaced() {
    let sandbox = ClaudeSandbox::with(&json!({}));
    let mut turn = sandbox.turn();
    turn.opened = true;
    let failure = sandbox.take(&turn).await.unwrap_err();
    assert!(failure.to_string().contains("start a new session"), "{failure}");
    assert_eq!((sandbox.begun(), fake_claude::count(&sandbox.log(), "refused")), (0, 1));
}

#[tokio::test]
async fn prompts_that_look_like_flags_or_are_long() {
    for prompt in ["--version", "-p", "$(reboot)", &"x".repeat(1 << 20), &"y".repeat(3 << 20)] {
        let sandbox = ClaudeSandbox::with(&json!({}));
        let mut turn = sandbox.turn();
        prompt.clone_into(&mut turn.prompt);
        assert_eq!(sandbox.take(&turn).await.unwrap().text, "Done.");
        assert_eq!(calls(&sandbox, "began")[0]["prompt_bytes"], prompt.len());
    }
}

#[tokio::test]
async fn many_turns_at_once() {
    let sandbox = ClaudeSandbox::with(&json!({ "delay_ms": 20 }));
    let turns: Vec<_> = (0..16)
        .map(|_| {
            let mut turn = sandbox.turn();
            turn.scratch = sandbox.folder.path().join(Uuid::new_v4().to_string());
            std::fs::create_dir(&turn.scratch).unwrap();
            tokio::spawn(sandbox.claude.turn(turn, Watcher::new().link))
        })
        .collect();
    for turn in turns {
        turn.await.unwrap().unwrap();
    }
    assert_eq!(fake_claude::count(&sandbox.log(), "answered"), 16);
}

fn calls(sandbox: &ClaudeSandbox, phase: &str) -> Vec<Value> {
    fake_claude::calls(&sandbox.log()).into_iter().filter(|call| call["phase"] == phase).collect()
}
