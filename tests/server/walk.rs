//! The app's way through a run.

use serde_json::json;
use surefire::agent::Script;

use crate::app::{App, Serving};

#[tokio::test]
async fn a_run_is_told_in_the_documented_order() {
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
        expected.extend(["session_history", "turn_complete", "recipe_step_transition", "recipe_started"]);
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

/// The app makes room for a session that it is told of, and what is said in it before that would end up elsewhere.
#[tokio::test]
async fn who_names_a_new_session_hears_it_when_it_asks_or_a_moment_later() {
    let server = Serving::rehearsing(Script::NoTasks).await;
    for asks in [true, false] {
        let mut app = App::connect(server.address).await;
        let session = uuid::Uuid::new_v4().to_string();
        let start = json!({
            "type": "start_recipe", "session_id": session, "recipe_id": "implement-and-review",
            "working_directory": server.project(),
        });
        app.send(start).await;
        app.until("session_ready").await;
        assert!(!app.kinds().contains(&"session_history"), "{:?}", app.kinds());
        let ready = std::time::Instant::now();
        if asks {
            app.send(json!({ "type": "subscribe", "session_id": session, "from_offset": 0 })).await;
        }
        assert_eq!(app.until("session_history").await["messages"][0]["offset"], 0);
        assert_eq!(ready.elapsed() < std::time::Duration::from_millis(400), asks);
        // What it hears a moment later is not what it has heard already.
        tokio::time::sleep(std::time::Duration::from_millis(600)).await;
        app.so_far().await;
        let heard: Vec<_> = app.heard.iter().filter(|message| message["type"] == "session_history").collect();
        let offsets = heard.iter().flat_map(|frame| frame["messages"].as_array().unwrap().clone());
        let offsets: Vec<_> = offsets.map(|message| message["offset"].as_u64().unwrap()).collect();
        assert_eq!(offsets, (0..offsets.len() as u64).collect::<Vec<_>>());
    }
    server.stop().await;
}
