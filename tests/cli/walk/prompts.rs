//! Prompts: what a user writes to a session's agent.

use std::time::Duration;

use serde_json::{Value, json};
use uuid::Uuid;

use super::program::Place;
use super::rules;

/// A prompt that has to arrive unchanged.
const WORDS: &str = "  Mind the ünit tests,\n\tand {\"outcome\": \"complete\"} \u{1F980} \\ ";

fn has_role(message: &Value, role: &str) -> bool {
    message["type"] == "session_history" && message["messages"][0]["role"] == role
}

#[tokio::test]
async fn a_prompt_starts_a_session_and_the_next_one_continues_it() {
    let place = Place::new();
    let server = place.serve("happy", Duration::ZERO).await;
    let mut app = server.app().await;
    let (before, session) = (app.heard.len(), json!(Uuid::new_v4()));
    let prompt = json!({
        "type": "prompt", "text": WORDS, "new_session_id": session, "provider": "claude",
        "working_directory": place.project(), "system_prompt": "Be brief.",
    });
    app.send(prompt.clone()).await;
    app.until("turn_complete").await;
    let expected = [
        "session_created",
        "recent_sessions",
        "session_ready",
        "ack",
        "session_history",
        "session_history",
    ];
    assert_eq!(app.kinds()[before..app.heard.len() - 1], expected);
    let received = &app.heard[before..];
    assert!(
        received.iter().all(|message| message.get("session_id").is_none_or(|id| *id == session))
    );
    assert!(has_role(&received[4], "user") && has_role(&received[5], "assistant"));
    assert_eq!(received[4]["messages"][0]["text"], WORDS);

    // The app may not know yet that its session exists.
    let before = app.heard.len();
    app.send(prompt).await;
    app.until("turn_complete").await;
    let mut kinds = app.kinds()[before..].to_vec();
    kinds.sort_unstable();
    assert_eq!(kinds, ["ack", "session_history", "session_history", "turn_complete"]);

    // The Android app uses the same field for new and known sessions.
    app.send(json!({ "type": "prompt", "text": "More?", "session_id": session })).await;
    app.until("turn_complete").await;
    let unknown = json!(Uuid::new_v4());
    app.send(json!({ "type": "prompt", "text": "Who?", "resume_session_id": unknown })).await;
    let error = app.until("error").await;
    assert_eq!((&error["code"], &error["session_id"]), (&json!("session_not_found"), &unknown));
    app.send(json!({ "type": "prompt", "text": "Where?", "new_session_id": unknown })).await;
    assert_eq!(app.until("error").await["message"], "working_directory required for new session");
    rules::hold_for(&app);
}

#[tokio::test]
async fn a_prompt_during_a_run_is_shown_at_once_and_answered_before_the_next_step() {
    let place = Place::new();
    let server = place.serve("happy", Duration::from_secs(1)).await;
    let mut app = server.app().await;
    app.send(place.start_request()).await;
    let session = app.until("recipe_step_started").await["session_id"].clone();
    let before = app.heard.len();
    app.send(json!({ "type": "prompt", "text": WORDS, "resume_session_id": session })).await;
    app.until("recipe_exited").await;
    let received = &app.heard[before..];
    let position_of = |is: &dyn Fn(&Value) -> bool, from: usize| {
        from + received[from..].iter().position(is).expect("it is received")
    };
    let ack = position_of(&|message| message["type"] == "ack", 0);
    let echo = position_of(
        &|message| has_role(message, "user") && message["messages"][0]["text"] == WORDS,
        0,
    );
    let turn = position_of(&|message| message["type"] == "turn_complete", 0);
    assert!(ack < turn && echo < turn, "the step is still running");
    let answer = position_of(&|message| has_role(message, "assistant"), turn);
    let next = position_of(&|message| message["type"] == "recipe_step_started", 0);
    assert!(turn < answer && answer < next, "{turn} {answer} {next}");
    let text = received
        [position_of(&|message| has_role(message, "assistant") && answers(message), 0)]
    .clone();
    assert!(!text.to_string().contains("\"outcome\""), "{text}");
    let echoes = received
        .iter()
        .filter(|message| has_role(message, "user") && message["messages"][0]["text"] == WORDS);
    assert_eq!(echoes.count(), 1, "it is shown once");
    rules::hold_for(&app);
}

/// Whether this is the rehearsal's answer to a prompt that is not a step's.
fn answers(message: &Value) -> bool {
    message["messages"][0]["text"]
        .as_str()
        .is_some_and(|text| text.contains("I read what you wrote"))
}
