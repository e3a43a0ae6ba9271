//! A client without the key tries to get in.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::SinkExt;
use serde_json::{Value, json};
use surefire::agent::Script;
use surefire::server::{ApiKey, Server, ServerLimits};
use surefire::wire::ClientMessage;
use surefire_testkit::LogBuffer;
use surefire_testkit::app::{App, KEY, Serving};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;

use crate::raw::{Raw, UPGRADE, ask, read, request};

/// A server that does not throttle wrong keys.
async fn unthrottled() -> Serving {
    Serving::limited(ServerLimits::default().max_wrong_keys(1000)).await
}

fn connect(key: &Value, version: &Value) -> Value {
    json!({ "type": "connect", "api_key": key, "protocol_version": version })
}

/// The last message before the server closed the socket, and the close code.
async fn end(app: &mut App) -> (Value, Option<CloseCode>) {
    let code = app.closed().await.map(|frame| frame.code);
    (app.heard.last().cloned().unwrap_or_default(), code)
}

fn wrong_keys() -> Vec<Value> {
    let other_end = format!("{}0", &KEY[..KEY.len() - 1]);
    vec![
        Value::Null,
        json!(""),
        json!("wrong"),
        json!(1234),
        json!(true),
        json!([KEY]),
        json!({ "key": KEY }),
        json!(KEY[..KEY.len() - 1]),
        json!(format!("{KEY}0")),
        json!(format!(" {KEY}")),
        json!(format!("{KEY} ")),
        json!(format!("{KEY}\n")),
        json!(format!("{KEY}\0")),
        json!(KEY.to_uppercase()),
        json!(KEY["untethered-".len()..]),
        json!(other_end),
        json!(format!("Bearer {KEY}")),
        json!("k".repeat(200_000)),
    ]
}

#[tokio::test]
async fn any_other_key_is_rejected() {
    let server = unthrottled().await;
    for key in wrong_keys() {
        let mut app = App::dial(server.address).await;
        app.send(connect(&key, &json!("0.5.0"))).await;
        let (last, code) = end(&mut app).await;
        assert_eq!(
            last,
            json!({ "type": "auth_error", "message": "Authentication failed" }),
            "{key}"
        );
        assert_eq!((code, app.heard.len()), (Some(CloseCode::Policy), 2), "{key}");
    }
    let mut app = App::dial(server.address).await;
    app.send(json!({ "type": "connect" })).await;
    assert_eq!(end(&mut app).await.0["type"], "auth_error");
}

#[tokio::test]
async fn an_outdated_client_gets_a_version_error_whatever_its_key() {
    let server = unthrottled().await;
    for version in ["0.3.9", "0.0.0", "0.3.9-beta", "0.3.999+5"] {
        for key in [json!(KEY), json!("wrong"), Value::Null] {
            let mut app = App::dial(server.address).await;
            app.send(connect(&key, &json!(version))).await;
            let (last, code) = end(&mut app).await;
            assert_eq!(last["code"], "unsupported_protocol_version", "{last}");
            assert_eq!((&last["required"], &last["received"]), (&json!("0.4.0"), &json!(version)));
            assert_eq!((code, app.heard.len()), (Some(CloseCode::Policy), 2));
        }
    }
    let accepted = [
        (json!("0.4.0"), "0.4.0"),
        (json!("0.4.7-beta"), "0.4.7"),
        (json!("0.5.0"), "0.5.0"),
        (json!("7.0.0"), "0.5.0"),
        (json!("0.3"), "0.4.0"),
        (json!("v0.3.9"), "0.4.0"),
        (json!("99999999999999999999.0.0"), "0.4.0"),
        (json!(""), "0.4.0"),
        (json!(0.3), "0.4.0"),
        (json!(["0.3.9"]), "0.4.0"),
        (Value::Null, "0.4.0"),
    ];
    for (version, negotiated) in accepted {
        let mut app = App::dial(server.address).await;
        app.send(connect(&json!(KEY), &version)).await;
        let connected = app.next().await;
        assert_eq!(connected["negotiated_protocol_version"], negotiated, "{version}: {connected}");
        let mut app = App::dial(server.address).await;
        app.send(connect(&json!("wrong"), &version)).await;
        assert_eq!(end(&mut app).await.0["type"], "auth_error", "{version}");
    }
}

#[tokio::test]
async fn harmless_messages_before_the_key_do_not_close_the_socket() {
    let server = unthrottled().await;
    let mut app = App::dial(server.address).await;
    let session = "3f2a8c1e-5b7d-4e90-a1c6-9d8e7f6a5b4c";
    let silent = ["unsubscribe", "message_ack"];
    for kind in silent {
        for id in [json!(session), json!("none"), json!(7), json!([]), Value::Null] {
            app.send(json!({ "type": kind, "session_id": id, "message_id": id, "ping": {} })).await;
        }
        app.send(json!({ "type": kind })).await;
    }
    assert!(app.so_far().await.is_empty());
    app.send(json!({ "type": "ping", "session_id": 7 })).await;
    assert_eq!(app.next().await, json!({ "type": "pong" }));
    let invalid =
        ["", "ping", "{", "[]", "7", "null", "{}", r#"{"type": 7}"#, r#"{"type": null}"#, "\u{0}"];
    for text in invalid {
        app.send_text(text).await;
        let answer = app.next().await;
        assert_eq!(
            (&answer["type"], &answer["code"]),
            (&json!("error"), &json!("invalid_message")),
            "{text}"
        );
    }
    app.socket.send(Message::binary(vec![0, 159])).await.unwrap();
    assert_eq!(app.next().await["code"], "invalid_message");
    app.show_the_key().await;
}

#[tokio::test]
async fn any_other_message_before_the_key_closes_the_socket() {
    let server = unthrottled().await;
    let harmless = ["connect", "ping", "unsubscribe", "message_ack"];
    let kinds = ClientMessage::TYPES.iter().filter(|kind| !harmless.contains(kind));
    let mut asked = 0;
    for kind in kinds.chain(&["nonsense", "PING", "hello"]) {
        let good = json!({
            "type": kind, "session_id": "3f2a8c1e-5b7d-4e90-a1c6-9d8e7f6a5b4c", "recipe_id": "retrospective",
            "run_id": "3f2a8c1e-5b7d-4e90-a1c6-9d8e7f6a5b4c", "enabled": false, "text": "hi", "size_kb": 5,
            "api_key": KEY,
        });
        for message in [good, json!({ "type": kind }), json!({ "type": kind, "session_id": 7 })] {
            let mut app = App::dial(server.address).await;
            app.send(message.clone()).await;
            let (last, code) = end(&mut app).await;
            assert_eq!(
                (&last["type"], code),
                (&json!("auth_error"), Some(CloseCode::Policy)),
                "{message}"
            );
            assert_eq!(app.heard.len(), 2, "{message}");
            asked += 1;
        }
    }
    assert_eq!(asked, (ClientMessage::TYPES.len() - 1) * 3);
}

const WRONG: (&str, &str) = ("Authorization", "Bearer untethered-00000000000000000000000000000000");

/// Sends a wrong key, over a WebSocket or over HTTP.
async fn guess(server: &Serving, over_http: bool) -> u16 {
    if over_http {
        return ask(server.address, "GET /api/runs", &[WRONG]).await.status();
    }
    let mut app = App::dial(server.address).await;
    app.send(connect(&json!("wrong"), &Value::Null)).await;
    assert_eq!(end(&mut app).await.0["type"], "auth_error");
    401
}

/// Longer than any test: an answer with this delay never arrives.
const LONG_DELAY: Duration = Duration::from_secs(60 * 60);

#[tokio::test]
async fn ten_wrong_keys_over_http_or_websocket_do_not_lock_out_the_right_key() {
    for over_http in [[false, false], [true, true], [false, true]] {
        let limits = ServerLimits::default().wrong_key_delay(LONG_DELAY);
        let server = Serving::limited(limits).await;
        let mut authenticated = App::connect(server.address).await;
        let mut waiting = App::dial(server.address).await;
        for attempt in 0..10 {
            assert_eq!(guess(&server, over_http[attempt % 2]).await, 401, "{attempt}");
        }
        // The eleventh wrong key is answered after an hour. Until then the right key still works.
        let mut late = App::dial(server.address).await;
        late.send(connect(&json!("wrong"), &Value::Null)).await;
        let mut late_request = Raw::dial(server.address).await;
        late_request.send(request("GET /api/runs", &[("Host", "localhost"), WRONG])).await;
        for path in ["GET /", "GET /ws"] {
            assert_eq!(ask(server.address, path, &UPGRADE).await.status(), 101);
        }
        assert_eq!(read(server.address, "/api/runs").await.status(), 200);
        assert_eq!(
            ask(server.address, "GET /api/runs", &[]).await.status(),
            401,
            "a missing key is not a wrong one"
        );
        assert_eq!(ask(server.address, "GET /", &[]).await.status(), 200);
        waiting.show_the_key().await;
        App::connect(server.address).await;

        assert!(authenticated.so_far().await.is_empty());
        authenticated.send(json!({ "type": "get_available_recipes" })).await;
        assert_eq!(authenticated.next().await["type"], "available_recipes");
        let nothing = late_request.0.try_read(&mut [0]).expect_err("the answer is delayed");
        assert_eq!(nothing.kind(), io::ErrorKind::WouldBlock);
        server.stop().await;
        assert_eq!(late.kinds(), ["hello"]);
    }
}

#[tokio::test]
async fn the_eleventh_wrong_key_gets_the_same_answer_after_a_delay() {
    let server = Serving::rehearsing(Script::Happy).await;
    for attempt in 0..10 {
        assert_eq!(guess(&server, attempt % 2 == 0).await, 401);
    }
    for over_http in [false, true] {
        let began = Instant::now();
        assert_eq!(guess(&server, over_http).await, 401);
        assert!(
            began.elapsed() >= ServerLimits::default().wrong_key_delay,
            "{:?}",
            began.elapsed()
        );
    }
}

#[tokio::test]
async fn nine_wrong_keys_among_right_ones_lock_out_no_client() {
    let server = Serving::rehearsing(Script::Happy).await;
    for attempt in 0..9 {
        assert_eq!(guess(&server, attempt % 2 == 0).await, 401);
        assert_eq!(read(server.address, "/api/runs").await.status(), 200);
    }
    App::connect(server.address).await;
}

#[tokio::test]
async fn a_client_that_authenticates_again_gets_the_lists_again_and_each_update_once() {
    let server = unthrottled().await;
    let mut app = App::connect(server.address).await;
    app.so_far().await;
    for _ in 0..3 {
        let before = app.heard.len();
        app.show_the_key().await;
        let expected = [
            "connected",
            "session_list",
            "recent_sessions",
            "available_commands",
            "available_recipes",
        ];
        assert_eq!(app.kinds()[before..], expected);
    }
    let before = app.heard.len();
    let start = json!({
        "type": "start_recipe", "session_id": null, "recipe_id": "implement-and-review",
        "working_directory": server.project(),
    });
    app.send(start).await;
    app.until("recipe_exited").await;
    app.until("turn_complete").await;
    let about_runs = app.heard[before..].iter().filter(|message| message["seq"].is_u64());
    let mut updates: Vec<_> =
        about_runs.map(|message| (message["type"].to_string(), message["seq"].as_u64())).collect();
    let all = updates.len();
    updates.dedup();
    assert!(all > 5 && updates.len() == all, "{updates:?}");

    app.send(connect(&json!("wrong"), &json!("0.5.0"))).await;
    let (last, code) = end(&mut app).await;
    assert_eq!((&last["type"], code), (&json!("auth_error"), Some(CloseCode::Policy)));
}

#[tokio::test]
async fn a_client_that_does_not_authenticate_in_time_is_disconnected() {
    let auth_timeout = Duration::from_secs(1);
    let server = Serving::limited(ServerLimits::default().auth_timeout(auth_timeout)).await;
    let (mut unauthenticated, mut authenticated) =
        (App::dial(server.address).await, App::connect(server.address).await);
    assert_eq!(end(&mut unauthenticated).await.1, Some(CloseCode::Policy));
    assert!(authenticated.so_far().await.is_empty(), "it authenticated in time");
}

#[tokio::test]
async fn no_key_appears_in_the_log_or_in_debug_output() {
    // All tests of this process share one log and use the same key.
    let log = LogBuffer::of_this_process();
    let server = unthrottled().await;
    let nearly = format!("{}0", &KEY[..KEY.len() - 1]);
    for key in [KEY, nearly.as_str()] {
        ask(server.address, "GET /api/runs", &[("Authorization", &format!("Bearer {key}"))]).await;
        ask(server.address, "GET /api/runs", &[("Authorization", key)]).await;
        ask(server.address, &format!("GET /api/runs?key={key}"), &[]).await;
        ask(server.address, &format!("GET /{key}"), &[("Origin", key)]).await;
        let mut app = App::dial(server.address).await;
        app.send(json!({ "type": "connect", "api_key": key, "session_id": key })).await;
        app.next().await;
        app.send_text(format!("{{\"type\": \"connect\", \"api_key\": \"{key}\"")).await;
    }
    server.stop().await;
    let log = log.text();
    assert!(log.contains("authentication failed: wrong key"), "{log}");
    let secret = &KEY["untethered-".len()..KEY.len() - 1];
    assert!(
        !log.contains(secret),
        "{}",
        log.lines().find(|line| line.contains(secret)).unwrap_or_default()
    );

    let place = tempfile::tempdir().unwrap();
    let key = ApiKey::parse(KEY).unwrap();
    let locks = place.path().join("locks");
    let server = Server::builder()
        .recipes(surefire::recipes::BUNDLED)
        .agent(Arc::new(surefire::agent::Rehearsal::default()))
        .data(place.path().join("data"))
        .key(key.clone())
        .listen(([127, 0, 0, 1], 0))
        .tune(move |options| options.locks = locks)
        .bind()
        .await
        .unwrap();
    let message = ClientMessage::read(&connect(&json!(KEY), &Value::Null).to_string()).unwrap();
    let shown = format!("{key:?} {server:?} {:?} {:?} {message:?}", server.key(), server.engine());
    assert!(!shown.contains(secret), "{shown}");
}
