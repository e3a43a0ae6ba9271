//! A server that is killed and started again.

use std::time::Duration;

use serde_json::{Value, json};
use surefire_testkit::app::App;

use super::program::Place;
use super::rules;

#[tokio::test]
async fn a_run_continues_after_the_server_was_killed_in_a_step() {
    let place = Place::new();
    let server = place.serve("one-fix", Duration::from_secs(1)).await;
    let mut app = server.app().await;
    app.send(place.start_request()).await;
    app.until("recipe_step_started").await;
    let started = app.until("recipe_step_started").await;
    let session = started["session_id"].clone();
    let seen = app.until("session_history").await;
    server.kill().await;
    assert_eq!(app.closed().await, None, "there is no close frame");

    let server = place.serve("one-fix", Duration::from_secs(1)).await;
    let mut back = App::connect_with(server.address, &server.key, "0.5.0").await;
    let state = back.until("recipe_started").await;
    assert_eq!((&state["session_id"], &state["run_id"]), (&session, &started["run_id"]));
    assert_eq!((&state["step"], &state["step_count"]), (&json!("code-review"), &json!(2)));
    let subscribe = json!({
        "type": "subscribe", "session_id": session, "from_offset": seen["next_offset"],
        "file_signature_seen": seen["file_signature"],
    });
    back.send(subscribe).await;
    let exited = back.until("recipe_exited").await;
    assert_eq!((&exited["reason"], &exited["step_count"]), (&json!("task-committed"), &json!(5)));
    assert_eq!(exited["run_id"], started["run_id"]);
    rules::hold_for(&back);

    // The whole conversation: no message is missing, and none is duplicated.
    let mut reader = server.app().await;
    reader.send(json!({ "type": "subscribe", "session_id": session, "from_offset": 0 })).await;
    let all = reader.until("session_history").await;
    let all = all["messages"].as_array().expect("it is a list");
    let offsets: Vec<_> = all.iter().map(|message| message["offset"].clone()).collect();
    assert_eq!(offsets, (0..all.len()).map(|offset| json!(offset)).collect::<Vec<_>>());
    let prompts = all.iter().filter(|message| message["role"] == "user").count();
    assert_eq!(prompts, 5, "each step was prompted once: {all:#?}");
    let received: Vec<Value> = whole_conversation(&app, &back);
    assert_eq!(received, *all, "the client that reconnected has the same");
    rules::hold_for(&reader);
}

/// The conversation as the app has it after it reconnected.
fn whole_conversation(app: &App, back: &App) -> Vec<Value> {
    let frames =
        app.heard.iter().chain(&back.heard).filter(|message| message["type"] == "session_history");
    let mut messages: Vec<Value> =
        frames.filter_map(|frame| frame["messages"].as_array().cloned()).flatten().collect();
    messages.sort_by_key(|message| message["offset"].as_u64());
    messages.dedup_by_key(|message| message["offset"].clone());
    messages
}

#[tokio::test]
async fn persisted_ends_survive_every_kill_of_the_server() {
    let place = Place::new();
    let mut ended = Vec::new();
    for round in 0..3_usize {
        let server = place.serve("no-tasks", Duration::ZERO).await;
        let mut app = server.app().await;
        let mut received = app.so_far().await;
        received.retain(|message| ended.contains(&message["session_id"]));
        assert_eq!(received.len(), round, "every end is sent again");
        app.send(place.start_request()).await;
        ended.push(app.until("recipe_exited").await["session_id"].clone());
        server.kill().await;
    }
}
