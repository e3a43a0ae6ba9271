//! What the app receives during a whole run, from the greeting to the end.

use std::time::Duration;

use serde_json::{Value, json};
use surefire_testkit::app::App;

use super::program::Place;
use super::rules;

#[tokio::test]
async fn a_run_with_a_retry_is_published_from_the_greeting_to_its_end() {
    let place = Place::new();
    let server = place.serve("garbage-once", Duration::ZERO).await;
    let mut app = App::dial(server.address).await;
    let hello = app.heard[0].as_object().expect("it is an object").clone();
    let mut fields: Vec<_> = hello.keys().map(String::as_str).collect();
    fields.sort_unstable();
    assert_eq!(fields, ["auth_version", "instructions", "message", "type", "version"]);
    assert_eq!((&hello["version"], &hello["auth_version"]), (&json!("0.5.0"), &json!(1)));
    assert_eq!(hello["instructions"], "Send connect message with api_key");

    let connect = json!({
        "type": "connect", "api_key": server.key, "protocol_version": "0.5.0", "recent_sessions_limit": 5,
    });
    app.send(connect).await;
    assert!(app.so_far().await.iter().all(|message| message.get("session_id").is_none()));
    let coming = [
        "connected",
        "session_list",
        "recent_sessions",
        "available_commands",
        "available_recipes",
        "pong",
    ];
    assert_eq!(app.kinds()[1..], coming);
    let recipes = app.heard[5]["recipes"].as_array().expect("it is a list").clone();
    assert!(
        recipes.len() == 8 && recipes.is_sorted_by_key(|recipe| recipe["label"].as_str()),
        "{recipes:?}"
    );

    let before = app.heard.len();
    app.send(place.start_request()).await;
    let exited = app.until("recipe_exited").await;
    app.until("turn_complete").await;
    let mut expected =
        vec!["recipe_started", "session_created", "recent_sessions", "session_ready", "ack"];
    // The unreadable reply, the reminder, and the answer to it.
    expected.extend(["recipe_step_started", "session_history", "session_history", "turn_complete"]);
    expected.extend(["orchestration_retry", "session_history", "session_history", "turn_complete"]);
    for _ in ["code-review", "commit"] {
        expected.extend(["recipe_step_transition", "recipe_started", "recipe_step_started"]);
        expected.extend(["session_history", "session_history", "turn_complete"]);
    }
    expected.extend(["session_history", "recipe_exited", "turn_complete"]);
    assert_eq!(app.kinds()[before..], expected);

    let retry = of_kind(&app, "orchestration_retry").remove(0);
    assert_eq!((&retry["step"], &retry["attempt"]), (&json!("implement"), &json!(1)));
    assert!(retry["max_attempts"].as_u64() >= Some(1) && retry["error"].is_string(), "{retry}");
    let steps = of_kind(&app, "recipe_started");
    let steps: Vec<_> =
        steps.iter().map(|step| (step["step"].clone(), step["step_count"].clone())).collect();
    let expected = [("implement", 1), ("code-review", 2), ("commit", 3)];
    assert_eq!(steps, expected.map(|(step, count)| (json!(step), json!(count))));
    assert_eq!(
        (&exited["reason"], &exited["category"]),
        (&json!("task-committed"), &json!("completed"))
    );
    assert_eq!(exited["goal_met"], true);
    outcomes_are_in_fenced_blocks(&app);
    rules::hold_for(&app);
}

#[tokio::test]
async fn a_guardrail_ends_a_run_that_can_be_resumed_with_more_visits() {
    let place = Place::new();
    let server = place.serve("never-satisfied", Duration::ZERO).await;
    let mut app = server.app().await;
    app.send(place.start_request()).await;
    let exited = app.until("recipe_exited").await;
    assert_eq!(exited["reason"], "max-step-visits-exceeded:code-review");
    assert_eq!((&exited["category"], &exited["goal_met"]), (&json!("guardrail"), &json!(false)));
    // The app does not read these fields, so the conversation has the message too, before the end.
    let closing = of_kind(&app, "session_history").pop().expect("there is a conversation");
    let words = closing["messages"][0]["text"].as_str().expect("it is a text");
    assert!(words.contains(exited["message"].as_str().expect("it has words")), "{words}");

    app.until("turn_complete").await;
    let (before, run) = (app.heard.len(), exited["run_id"].clone());
    app.send(json!({ "type": "resume_run", "run_id": run, "limits": { "allow_visits": 1 } })).await;
    let again = app.until("recipe_exited").await;
    assert_eq!(again["reason"], "max-step-visits-exceeded:code-review");
    assert_eq!(again["run_id"], run);
    let since = &app.heard[before..];
    let received: Vec<_> =
        since.iter().filter(|message| message["type"] != "session_history").collect();
    assert_eq!(
        (&received[0]["type"], &received[1]["type"]),
        (&json!("recipe_started"), &json!("ack"))
    );
    // It resumes where it ended.
    assert_eq!(
        (&received[0]["step"], &received[0]["step_count"]),
        (&exited["step"], &exited["step_count"])
    );
    let counts: Vec<_> = received
        .iter()
        .filter(|message| message["type"] == "recipe_started")
        .map(|message| message["step_count"].as_u64())
        .collect();
    assert!(counts.is_sorted(), "{counts:?}");
    assert_eq!(again["step_count"].as_u64(), exited["step_count"].as_u64().map(|count| count + 2));
    rules::hold_for(&app);
}

#[tokio::test]
async fn a_failed_run_is_also_published_in_the_form_of_older_clients() {
    let place = Place::new();
    let server = place.serve("garbage", Duration::ZERO).await;
    let mut app = server.app().await;
    app.send(place.start_request()).await;
    let exited = app.until("recipe_exited").await;
    assert_eq!(
        (&exited["reason"], &exited["category"]),
        (&json!("orchestration-error"), &json!("error"))
    );
    assert!(exited["error"].is_string(), "{exited}");
    let short = of_kind(&app, "recipe_error").remove(0);
    assert_eq!(
        (&short["error"], &short["run_id"]),
        (&json!("Max retries exceeded"), &exited["run_id"])
    );
    rules::hold_for(&app);
}

#[tokio::test]
async fn a_recipe_that_restarts_names_the_run_that_continues() {
    let place = Place::new();
    let server = place.serve("happy", Duration::ZERO).await;
    let mut app = server.app().await;
    let mut request = place.start_request();
    request["recipe_id"] = json!("implement-and-review-all");
    app.send(request).await;
    // Sessions are independent, so ends may be published in another order.
    while of_kind(&app, "recipe_exited").len() < 3 {
        app.until("recipe_exited").await;
    }
    let (mut run, mut sessions) =
        (of_kind(&app, "recipe_started")[0]["run_id"].clone(), Vec::new());
    while !run.is_null() {
        let exits = of_kind(&app, "recipe_exited");
        let exited = exits.iter().find(|exited| exited["run_id"] == run).expect("it was published");
        sessions.push(exited["session_id"].clone());
        run = exited["continued_by"].clone();
        let reason = if run.is_null() { "no-tasks-available" } else { "restart-new-session" };
        assert_eq!(exited["reason"], reason);
    }
    assert_eq!(sessions.len(), 3, "two tasks, and none");
    for session in &sessions {
        let received = |kind: &str| {
            of_kind(&app, kind).iter().any(|message| message["session_id"] == *session)
        };
        assert!(received("recipe_started") && received("session_created"), "{session}");
    }
    rules::hold_for(&app);
}

fn of_kind(app: &App, kind: &str) -> Vec<Value> {
    app.heard.iter().filter(|message| message["type"] == kind).cloned().collect()
}

/// The app reads replies aloud and leaves out code blocks, so that no JSON is spoken.
fn outcomes_are_in_fenced_blocks(app: &App) {
    let mut outcomes = 0;
    for message in of_kind(app, "session_history")
        .iter()
        .filter_map(|frame| frame["messages"].as_array())
        .flatten()
    {
        let text = message["text"].as_str().expect("it is a text");
        if message["role"] == "assistant" && text.contains("\"outcome\"") {
            outcomes += 1;
            let outside: String = text.split("```").step_by(2).collect();
            assert!(!outside.contains('{') && text.contains("```json\n{"), "{text}");
        }
    }
    assert_eq!(outcomes, 3, "each step has one");
}
