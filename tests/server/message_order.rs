//! The order of the messages that the app gets about a run.

use serde_json::json;
use surefire::agent::Script;
use surefire_testkit::app::{App, Serving};

#[tokio::test]
async fn a_run_is_published_in_the_documented_order() {
    let server = Serving::rehearsing(Script::OneFix).await;
    let mut app = App::connect(server.address).await;
    let before = app.heard.len();
    let start = json!({
        "type": "start_recipe", "session_id": null, "recipe_id": "implement-and-review",
        "working_directory": server.project(),
    });
    app.send(start).await;
    app.until("recipe_exited").await;
    app.until("turn_complete").await;
    let mut expected = vec![
        "recipe_started",
        "session_created",
        "recent_sessions",
        "session_ready",
        "ack",
        "recipe_step_started",
        "session_history",
    ];
    for _ in 0..4 {
        expected.extend([
            "session_history",
            "turn_complete",
            "recipe_step_transition",
            "recipe_started",
        ]);
        expected.extend(["recipe_step_started", "session_history"]);
    }
    expected.extend([
        "session_history",
        "turn_complete",
        "session_history",
        "recipe_exited",
        "turn_complete",
    ]);
    assert_eq!(app.kinds()[before..], expected);
    server.stop().await;
}

/// The app creates its view of a session when it is notified of it. Messages that arrive earlier
/// would be shown in another session.
#[tokio::test]
async fn a_client_that_names_a_new_session_gets_its_history_when_it_subscribes_or_after_a_delay() {
    let server = Serving::rehearsing(Script::NoTasks).await;
    for subscribes in [true, false] {
        let mut app = App::connect(server.address).await;
        let session = uuid::Uuid::new_v4().to_string();
        let began = std::time::Instant::now();
        let start = json!({
            "type": "start_recipe", "session_id": session, "recipe_id": "implement-and-review",
            "working_directory": server.project(),
        });
        app.send(start).await;
        app.until("session_ready").await;
        if subscribes {
            let before = app.heard.len();
            app.send(json!({ "type": "subscribe", "session_id": session, "from_offset": 0 })).await;
            app.so_far().await;
            assert!(app.kinds()[before..].contains(&"session_history"), "{:?}", app.kinds());
        } else {
            app.until("session_history").await;
            assert!(
                began.elapsed() >= std::time::Duration::from_millis(500),
                "{:?}",
                began.elapsed()
            );
        }
        // In both cases the history starts at the first message and repeats none.
        let histories = app.heard.iter().filter(|message| message["type"] == "session_history");
        let messages = histories.flat_map(|frame| frame["messages"].as_array().unwrap().clone());
        let offsets: Vec<_> = messages.map(|message| message["offset"].as_u64().unwrap()).collect();
        assert_eq!(offsets, (0..offsets.len() as u64).collect::<Vec<_>>());
        assert!(!offsets.is_empty());
    }
    server.stop().await;
}
