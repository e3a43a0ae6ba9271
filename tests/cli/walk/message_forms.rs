//! The forms of messages: fields that are `null`, invalid messages, and unsupported requests.

use std::time::Duration;

use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::Message;
use uuid::Uuid;

use futures_util::SinkExt;
use surefire_testkit::app::App;

use super::program::Place;
use super::rules;

#[tokio::test]
async fn null_means_absent_in_every_optional_field() {
    let place = Place::new();
    let server = place.serve("never-satisfied", Duration::ZERO).await;
    let mut app = App::dial(server.address).await;
    let connect = json!({
        "type": "connect", "api_key": server.key, "protocol_version": null, "recent_sessions_limit": null,
        "session_id": null,
    });
    app.send(connect).await;
    let connected = app.until("connected").await;
    assert_eq!(
        (&connected["negotiated_protocol_version"], connected.get("session_id")),
        (&json!("0.4.0"), None)
    );
    assert_eq!(app.until("recent_sessions").await["limit"], 5);

    let start = json!({
        "type": "start_recipe", "session_id": null, "recipe_id": "implement-and-review",
        "working_directory": place.project(), "provider": null, "prompt": null,
        "limits": { "time_s": null, "max_ticks": null, "budget_usd": null },
    });
    app.send(start).await;
    let exited = app.until("recipe_exited").await;
    let session = exited["session_id"].clone();
    let again = json!({
        "type": "start_recipe", "session_id": session, "recipe_id": "implement-and-review",
        "working_directory": null, "provider": null, "prompt": null, "limits": null,
    });
    app.send(again).await;
    let exited = app.until("recipe_exited").await;
    assert_eq!(exited["category"], "guardrail", "{exited}");
    let limits = json!({
        "time_s": null, "max_ticks": null, "budget_usd": null, "allow_visits": 1, "allow_steps": null,
    });
    app.send(json!({ "type": "resume_run", "run_id": exited["run_id"], "limits": limits })).await;
    assert_eq!(app.until("recipe_exited").await["category"], "guardrail");
    app.until("turn_complete").await;
    app.send(json!({ "type": "resume_run", "run_id": exited["run_id"], "limits": null })).await;
    assert_eq!(app.until("error").await["code"], "cannot_resume", "nothing more was allowed");

    app.send(json!({ "type": "set_orchestration", "enabled": true, "session_id": null })).await;
    assert_eq!(
        app.until("orchestration_set").await,
        json!({ "type": "orchestration_set", "enabled": true })
    );
    for (mut names, place) in [
        (
            json!({ "new_session_id": Uuid::new_v4(), "resume_session_id": null }),
            json!(place.project()),
        ),
        (
            json!({ "new_session_id": null, "resume_session_id": session, "session_id": null }),
            Value::Null,
        ),
        (
            json!({ "new_session_id": null, "resume_session_id": null, "session_id": session }),
            Value::Null,
        ),
    ] {
        let rest = json!({
            "type": "prompt", "text": "Hello.", "provider": null, "working_directory": place, "system_prompt": null,
        });
        names
            .as_object_mut()
            .expect("it is one")
            .extend(rest.as_object().expect("it is one").clone());
        app.send(names).await;
        app.until("ack").await;
        app.until("turn_complete").await;
    }
    let subscribe = json!({
        "type": "subscribe", "session_id": session, "from_offset": null, "file_signature_seen": null,
        "last_seq": null,
    });
    app.send(subscribe).await;
    app.until("session_history").await;
    app.send(json!({ "type": "refresh_sessions", "recent_sessions_limit": null })).await;
    app.until("session_list").await;
    assert_eq!(app.until("recent_sessions").await["limit"], 5);
    for kind in ["unsubscribe", "session_deleted", "message_ack"] {
        app.send(json!({ "type": kind, "session_id": null, "message_id": null })).await;
    }
    assert_eq!(app.so_far().await, [] as [Value; 0], "they are accepted silently");
    // A required field that is null counts as missing.
    app.send(json!({ "type": "exit_recipe", "session_id": null })).await;
    assert_eq!(app.until("error").await["message"], "session_id required in exit_recipe message");
    rules::hold_for(&app);
}

#[tokio::test]
async fn an_invalid_message_is_refused_and_the_socket_stays_open() {
    let place = Place::new();
    let server = place.serve("happy", Duration::ZERO).await;
    let mut app = server.app().await;
    for (text, words) in [
        ("{", "message is not valid JSON"),
        ("[]", "message must be a JSON object"),
        ("{}", "type required in message"),
        (r#"{"type":"dance"}"#, "Unknown message type: dance"),
        (r#"{"type":"start_recipe"}"#, "session_id required in start_recipe message"),
        (
            r#"{"type":"start_recipe","session_id":null}"#,
            "recipe_id required in start_recipe message",
        ),
    ] {
        app.send_text(text).await;
        let error = app.until("error").await;
        assert!(
            error["message"].as_str().is_some_and(|message| message.contains(words)),
            "{error}"
        );
    }
    app.socket.send(Message::binary(vec![0, 159, 146, 150])).await.expect("the server reads");
    app.until("error").await;
    app.send(
        json!({ "type": "start_recipe", "session_id": null, "recipe_id": "implement-and-revew" }),
    )
    .await;
    let error = app.until("error").await;
    assert_eq!(
        error["message"],
        "Recipe not found: implement-and-revew; did you mean `implement-and-review`?"
    );
    assert_eq!(app.until("recipe_error").await["error"], "Recipe not found");
    app.send(json!({ "type": "start_recipe", "session_id": Uuid::new_v4(), "recipe_id": "document-design" }))
        .await;
    assert_eq!(app.until("error").await["message"], "working_directory required for new session");
    app.until("turn_complete").await;

    for (kind, answer) in [
        ("compact_session", "compaction_error"),
        ("infer_session_name", "infer_name_error"),
        ("execute_command", "command_error"),
        ("get_command_history", "command_history"),
        ("get_command_output", "error"),
        ("create_worktree_session", "worktree_session_error"),
        ("upload_file", "error"),
        ("list_resources", "error"),
        ("delete_resource", "error"),
    ] {
        let (before, session) = (app.heard.len(), Uuid::new_v4());
        app.send(json!({ "type": kind, "session_id": session })).await;
        app.so_far().await;
        // The app also waits for the list of files.
        let more = if kind == "list_resources" { Some("resources_list") } else { None };
        let expected: Vec<_> = [answer].into_iter().chain(more).chain(["pong"]).collect();
        assert_eq!(app.kinds()[before..], expected, "{kind}");
    }
    rules::hold_for(&app);
}

#[tokio::test]
async fn an_unauthenticated_client_gets_only_harmless_answers() {
    let place = Place::new();
    let server = place.serve("happy", Duration::ZERO).await;
    // This client sends nothing, and must not receive anything about runs.
    let mut silent = App::dial(server.address).await;
    let mut authenticated = server.app().await;
    authenticated.send(place.start_request()).await;
    authenticated.until("recipe_exited").await;

    let mut app = App::dial(server.address).await;
    app.send(json!({ "type": "unsubscribe", "session_id": Uuid::new_v4() })).await;
    app.send(json!({ "type": "message_ack", "message_id": "1" })).await;
    assert_eq!(app.so_far().await, [] as [Value; 0]);
    app.send(json!({ "type": "get_available_recipes" })).await;
    assert_eq!(
        app.next().await,
        json!({ "type": "auth_error", "message": "Authentication failed" })
    );
    app.closed().await.expect("it says why");

    let mut app = App::dial(server.address).await;
    app.send(
        json!({ "type": "connect", "api_key": format!("{}0", server.key), "protocol_version": "0.5.0" }),
    )
    .await;
    assert_eq!(app.next().await["type"], "auth_error");
    app.closed().await.expect("it says why");

    // The version is checked before the key.
    let mut app = App::dial(server.address).await;
    app.send(json!({ "type": "connect", "protocol_version": "0.3.9-beta" })).await;
    let error = app.next().await;
    assert_eq!(
        (&error["code"], &error["required"]),
        (&json!("unsupported_protocol_version"), &json!("0.4.0"))
    );
    assert_eq!((&error["received"], error["message"].is_string()), (&json!("0.3.9-beta"), true));
    app.closed().await.expect("it says why");

    // The Android app sends no version, and expects its id in the reply.
    let mut app = App::dial(server.address).await;
    app.send(json!({ "type": "connect", "api_key": server.key, "session_id": "of-the-phone" }))
        .await;
    let connected = app.next().await;
    assert_eq!(
        (&connected["type"], &connected["session_id"]),
        (&json!("connected"), &json!("of-the-phone"))
    );
    assert_eq!(connected["negotiated_protocol_version"], "0.4.0");

    // A client has ten seconds to authenticate.
    silent.closed().await.expect("it says why");
    let waited = silent.times[0].elapsed();
    assert!(waited > Duration::from_secs(9) && waited < Duration::from_secs(20), "{waited:?}");
    assert_eq!(silent.kinds(), ["hello"]);
}
