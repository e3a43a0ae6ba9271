//! Several clients at once, and what the requests of one mean to the others.

use std::collections::HashSet;
use std::time::Duration;

use serde_json::{Value, json};
use uuid::Uuid;

use super::program::Place;
use super::rules;

/// Whether a message is about a run.
fn is_of_a_run(message: &Value) -> bool {
    let kind = message["type"].as_str().unwrap_or_default();
    kind.starts_with("recipe_") || kind == "orchestration_retry"
}

#[tokio::test]
async fn every_client_gets_runs_and_only_subscribers_get_conversations() {
    let place = Place::new();
    let server = place.serve("garbage-once", Duration::ZERO).await;
    let (mut watcher, mut app) = (server.app().await, server.app().await);
    let (before, mine) = (watcher.heard.len(), app.heard.len());
    app.send(place.start_request()).await;
    app.until("recipe_exited").await;
    app.until("turn_complete").await;
    watcher.until("recipe_exited").await;
    watcher.until("turn_complete").await;
    let of_runs = |messages: &[Value]| {
        messages.iter().filter(|message| is_of_a_run(message)).cloned().collect::<Vec<_>>()
    };
    let (received, seen_elsewhere) =
        (of_runs(&app.heard[mine..]), of_runs(&watcher.heard[before..]));
    assert!(received == seen_elsewhere && received.len() > 8, "{received:?}");
    let kinds = &watcher.kinds()[before..];
    assert!(
        !kinds.contains(&"session_history")
            && !kinds.contains(&"ack")
            && !kinds.contains(&"session_ready")
    );
    assert_eq!(kinds.iter().filter(|kind| **kind == "session_created").count(), 1);
    rules::hold_for(&app);
    rules::hold_for(&watcher);
}

#[tokio::test]
async fn a_start_in_a_busy_session_is_answered_with_its_state() {
    let place = Place::new();
    let server = place.serve("slow", Duration::ZERO).await;
    let (mut app, mut other) = (server.app().await, server.app().await);
    app.send(place.start_request()).await;
    let session = app.until("recipe_step_started").await["session_id"].clone();
    let started = other.until("recipe_started").await;
    other.until("recipe_step_started").await;
    let request = json!({ "type": "start_recipe", "session_id": session, "recipe_id": "implement-and-review" });
    other.send(request).await;
    let error = other.until("error").await;
    assert_eq!((&error["code"], &error["session_id"]), (&json!("session_busy"), &session));
    // The state of the current run closes the app's sheet.
    let state = other.until("recipe_started").await;
    assert_eq!((&state["run_id"], &state["step"]), (&started["run_id"], &started["step"]));
    assert!(
        app.so_far().await.iter().all(|message| message["type"] == "session_history"),
        "no other client is notified"
    );
    let ended: Vec<_> = other
        .so_far()
        .await
        .into_iter()
        .filter(|message| message["type"] == "recipe_exited")
        .collect();
    assert!(ended.is_empty(), "the run continues: {ended:?}");
}

#[tokio::test]
async fn an_exit_can_be_requested_twice() {
    let place = Place::new();
    let server = place.serve("slow", Duration::ZERO).await;
    let (mut app, mut other) = (server.app().await, server.app().await);
    app.send(place.start_request()).await;
    let started = app.until("recipe_step_started").await;
    let session = started["session_id"].clone();
    let exit = json!({ "type": "exit_recipe", "session_id": session });
    app.send(exit.clone()).await;
    app.send(exit.clone()).await;
    for run in [Some(&started["run_id"]), None] {
        let exited = app.until("recipe_exited").await;
        assert_eq!(
            (&exited["reason"], exited.get("run_id")),
            (&json!("user-requested"), run),
            "{exited}"
        );
    }
    assert_eq!(other.until("recipe_exited").await["session_id"], session);
    app.send(json!({ "type": "exit_recipe", "session_id": Uuid::new_v4() })).await;
    assert_eq!(app.until("recipe_exited").await["reason"], "user-requested");
    // An answer about a session without a run goes only to the client that asked.
    let more = other.so_far().await;
    assert!(more.iter().all(|message| message["type"] != "recipe_exited"), "{more:?}");
    rules::hold_for(&app);
}

#[tokio::test]
async fn killing_a_session_ends_its_run() {
    let place = Place::new();
    let server = place.serve("slow", Duration::ZERO).await;
    let (mut app, mut other) = (server.app().await, server.app().await);
    app.send(place.start_request()).await;
    let session = app.until("recipe_step_started").await["session_id"].clone();
    app.send(json!({ "type": "kill_session", "session_id": session })).await;
    let mut missing = vec!["session_killed", "turn_complete", "recipe_exited"];
    while !missing.is_empty() {
        let message = app.next().await;
        if message["type"] == "turn_complete" {
            assert_eq!(message["aborted"], true, "{message}");
        }
        missing.retain(|kind| message["type"] != *kind);
    }
    assert_eq!(other.until("recipe_exited").await["reason"], "user-requested");
    // The answer is the same when nothing is running.
    app.send(json!({ "type": "kill_session", "session_id": session })).await;
    app.until("session_killed").await;
    assert_eq!(app.until("turn_complete").await["aborted"], true);
    // The session can still be used.
    app.send(json!({ "type": "start_recipe", "session_id": session, "recipe_id": "implement-and-review" }))
        .await;
    assert_eq!(app.until("recipe_step_started").await["session_id"], session);
    rules::hold_for(&app);
}

#[tokio::test]
async fn recipes_can_be_switched_off_and_on() {
    let place = Place::new();
    let server = place.serve("slow", Duration::ZERO).await;
    let (mut app, mut other) = (server.app().await, server.app().await);
    app.send(place.start_request()).await;
    let session = app.until("recipe_step_started").await["session_id"].clone();
    app.send(json!({ "type": "set_orchestration", "enabled": false })).await;
    let mut missing = vec!["recipe_exited", "turn_complete", "orchestration_set"];
    while !missing.is_empty() {
        let message = app.next().await;
        if message["type"] == "recipe_exited" {
            assert_eq!(
                (&message["reason"], &message["session_id"]),
                (&json!("user-requested"), &session)
            );
        }
        if message["type"] == "orchestration_set" {
            assert_eq!(message, json!({ "type": "orchestration_set", "enabled": false }));
        }
        missing.retain(|kind| message["type"] != *kind);
    }
    assert_eq!(other.until("orchestration_set").await["enabled"], false);
    other.send(json!({ "type": "get_available_recipes" })).await;
    let offered = other.until("available_recipes").await;
    assert!(
        offered["enabled"] == false
            && offered["recipes"].as_array().is_some_and(|all| !all.is_empty())
    );

    // Even a refused start is published as started and exited: the app's sheet waits for both.
    let before = app.heard.len();
    app.send(place.start_request()).await;
    let started = app.until("recipe_started").await;
    let exited = app.until("recipe_exited").await;
    assert_eq!(
        (&exited["reason"], &exited["session_id"]),
        (&json!("orchestration-disabled"), &started["session_id"])
    );
    let error = app.until("error").await;
    assert_eq!(
        (&error["code"], &error["session_id"]),
        (&json!("orchestration_disabled"), &started["session_id"])
    );
    assert!(!app.kinds()[before..].contains(&"session_created"), "nothing began");

    app.send(json!({ "type": "set_orchestration", "enabled": true })).await;
    app.until("orchestration_set").await;
    app.send(place.start_request()).await;
    let free = app.until("recipe_step_started").await["session_id"].clone();

    // In one session only.
    app.send(json!({ "type": "set_orchestration", "enabled": false, "session_id": free })).await;
    assert_eq!(app.until_in(&free, "recipe_exited").await["reason"], "user-requested");
    app.send(
        json!({ "type": "start_recipe", "session_id": free, "recipe_id": "implement-and-review" }),
    )
    .await;
    assert_eq!(app.until("error").await["code"], "orchestration_disabled");
    app.send(json!({ "type": "start_recipe", "session_id": session, "recipe_id": "implement-and-review" }))
        .await;
    assert_eq!(app.until("recipe_step_started").await["session_id"], session);
    rules::hold_for(&app);
}

/// It gets each session, in the list or as an update.
#[tokio::test]
async fn a_client_that_connects_while_sessions_start_misses_none() {
    const SESSIONS: usize = 40;
    let place = Place::new();
    let server = place.serve("happy", Duration::ZERO).await;
    let mut busy = server.app().await;
    let project = place.project();
    let beginning = tokio::spawn(async move {
        for _ in 0..SESSIONS {
            let prompt = json!({
                "type": "prompt", "text": "Hello.", "new_session_id": Uuid::new_v4(), "working_directory": project,
            });
            busy.send(prompt).await;
            busy.until("turn_complete").await;
        }
    });
    let mut apps = Vec::new();
    while !beginning.is_finished() && apps.len() < 50 {
        apps.push(server.app().await);
    }
    beginning.await.expect("all of them begin");
    for mut app in apps {
        app.so_far().await;
        let of_kind =
            |kind: &'static str| app.heard.iter().filter(move |message| message["type"] == kind);
        let listed =
            of_kind("session_list").filter_map(|list| list["sessions"].as_array()).flatten();
        let received = of_kind("session_created");
        let known: HashSet<_> =
            listed.chain(received).map(|session| session["session_id"].to_string()).collect();
        assert_eq!(known.len(), SESSIONS);
    }
}
