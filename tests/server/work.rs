//! The list of sessions in which agents work: what is in it, which clients are notified of changes,
//! and what a stop does to it.

use serde_json::{Value, json};
use surefire::agent::Script;
use surefire::recipes::ImplementAndReview;
use surefire::view::RunView;
use surefire_testkit::app::{App, KEY, Serving};
use surefire_testkit::eventually_async;
use uuid::Uuid;

use crate::raw::read;

async fn work(server: &Serving) -> Vec<Value> {
    read(server.address, "/api/work").await.json()["work"].as_array().expect("it is a list").clone()
}

/// Sends a prompt outside of a run. It creates the session if there is none.
async fn prompt(server: &Serving, app: &mut App, session: Uuid, text: &str) {
    let prompt = json!({
        "type": "prompt", "text": text, "new_session_id": session, "working_directory": server.project(),
    });
    app.send(prompt).await;
    app.until("ack").await;
}

/// Starts a recipe in a session.
async fn start(server: &Serving, app: &mut App, session: Uuid) -> Value {
    let start = json!({
        "type": "start_recipe", "session_id": session, "recipe_id": "implement-and-review",
        "working_directory": server.project(),
    });
    app.send(start).await;
    app.until("recipe_step_started").await
}

/// The messages of a session's conversation, as `mark` and text.
async fn conversation(server: &Serving, session: Uuid) -> Vec<(Value, String)> {
    // A new client has no other subscription, so the first history is the answer.
    let mut app = App::connect(server.address).await;
    app.send(json!({ "type": "subscribe", "session_id": session, "from_offset": 0 })).await;
    let history = app.until("session_history").await;
    let messages = history["messages"].as_array().unwrap().iter();
    let text = |message: &Value| message["text"].as_str().unwrap().to_owned();
    messages.map(|message| (message["mark"].clone(), text(message))).collect()
}

#[tokio::test]
async fn every_session_with_an_agent_at_work_is_listed_and_no_other() {
    let server = Serving::rehearsing(Script::Slow).await;
    let mut app = App::connect(server.address).await;
    assert!(work(&server).await.is_empty());
    let (chat, run) = (Uuid::new_v4(), Uuid::new_v4());
    prompt(&server, &mut app, chat, "  Is the build green?\nAnd since when?").await;
    let step = start(&server, &mut app, run).await;
    prompt(&server, &mut app, chat, "And the tests?").await;
    prompt(&server, &mut app, run, "Mind the tests.").await;
    prompt(&server, &mut app, run, "And the docs.").await;

    let lines = work(&server).await;
    assert_eq!(lines.len(), 2, "{lines:?}");
    let since = |line: &Value| line["since"].as_str().unwrap().to_owned();
    assert!(since(&lines[0]) <= since(&lines[1]), "the oldest first");
    for line in &lines {
        assert_eq!(line["working_directory"], json!(server.project()), "{line}");
        assert_eq!(line["agent"], "rehearsal");
    }
    let of =
        |id: Uuid| lines.iter().find(|line| line["session_id"] == json!(id)).expect("it is listed");
    assert_eq!(of(chat)["chat"], json!({ "preview": "Is the build green?" }));
    assert_eq!((&of(chat)["run"], &of(chat)["queued"]), (&Value::Null, &json!(1)));
    assert_eq!(of(chat)["name"], "Is the build green?");
    let expected = json!({
        "run_id": step["run_id"], "recipe_id": "implement-and-review", "recipe_label": "Implement & Review",
        "rehearsal": true, "step": "implement", "step_count": 1,
    });
    assert_eq!((&of(run)["run"], &of(run)["chat"]), (&expected, &Value::Null));
    assert_eq!(of(run)["queued"], 2);
    server.stop().await;
}

#[tokio::test]
async fn sessions_are_listed_with_their_current_and_previous_run() {
    let server = Serving::rehearsing(Script::Slow).await;
    let mut app = App::connect(server.address).await;
    let session = Uuid::new_v4();
    let first = start(&server, &mut app, session).await;
    let active = |step: &Value| {
        json!({
            "run_id": step["run_id"], "recipe_id": "implement-and-review", "recipe_label": "Implement & Review",
            "step": "implement", "step_count": 1, "max_steps": ImplementAndReview::MAX_STEPS,
        })
    };
    let created = app.heard.iter().find(|message| message["type"] == "session_created").unwrap();
    assert_eq!(
        (&created["active_recipe"], &created["last_recipe"]),
        (&active(&first), &Value::Null)
    );

    app.send(json!({ "type": "exit_recipe", "session_id": session })).await;
    let exited = app.until("recipe_exited").await;
    let second = start(&server, &mut app, session).await;
    app.send(json!({ "type": "refresh_sessions" })).await;
    let list = app.until("session_list").await;
    let before = json!({
        "run_id": first["run_id"], "recipe_id": "implement-and-review", "recipe_label": "Implement & Review",
        "reason": "user-requested", "category": "completed", "title": exited["title"], "ended_at": exited["at"],
    });
    let entry = &list["sessions"][0];
    assert_eq!((&entry["active_recipe"], &entry["last_recipe"]), (&active(&second), &before));
    server.stop().await;
}

#[tokio::test]
async fn a_stop_removes_the_session_from_the_list_and_marks_queued_prompts() {
    let server = Serving::rehearsing(Script::Slow).await;
    let mut app = App::connect(server.address).await;
    let (chat, run) = (Uuid::new_v4(), Uuid::new_v4());
    prompt(&server, &mut app, chat, "Is the build green?").await;
    start(&server, &mut app, run).await;
    for (session, stop) in [(chat, "kill_session"), (run, "exit_recipe")] {
        prompt(&server, &mut app, session, "And the tests?").await;
        app.send(json!({ "type": stop, "session_id": session })).await;
        eventually_async("it is no longer listed", async || {
            work(&server).await.iter().all(|line| line["session_id"] != json!(session))
        })
        .await;
        let messages = conversation(&server, session).await;
        let marked: Vec<_> = messages.iter().filter(|(mark, _)| !mark.is_null()).collect();
        assert_eq!(marked.len(), 1, "how a turn or a run ended is not a mark: {messages:?}");
        assert_eq!(marked[0].0, "not_delivered");
        assert!(marked[0].1.starts_with("Not delivered: “And the tests?”"), "{messages:?}");
    }
    assert!(work(&server).await.is_empty(), "no agent starts again");
    server.stop().await;
}

/// The server does not resend a withdrawn prompt. The history marks it, and no offset changes.
#[tokio::test]
async fn a_withdrawn_prompt_is_not_delivered_in_the_history() {
    let server = Serving::rehearsing(Script::Slow).await;
    let mut app = App::connect(server.address).await;
    let run = Uuid::new_v4();
    start(&server, &mut app, run).await;
    prompt(&server, &mut app, run, "And the tests?").await;
    app.send(json!({ "type": "exit_recipe", "session_id": run })).await;
    app.until("recipe_exited").await;
    let live =
        app.heard.iter().flat_map(|message| message["messages"].as_array().into_iter().flatten());
    assert!(
        live.into_iter().all(|message| message.get("delivered").is_none()),
        "no message is sent again"
    );
    let before = app.heard.len();
    app.send(json!({ "type": "subscribe", "session_id": run, "from_offset": 0 })).await;
    app.until("session_history").await;
    let history =
        app.heard[before..].iter().rfind(|message| message["type"] == "session_history").unwrap();
    let messages = history["messages"].as_array().unwrap();
    let undelivered: Vec<_> =
        messages.iter().filter(|message| message["delivered"] == false).collect();
    assert_eq!(undelivered.len(), 1, "{messages:?}");
    assert_eq!(
        (&undelivered[0]["role"], &undelivered[0]["text"]),
        (&json!("user"), &json!("And the tests?"))
    );
    assert!((0..).zip(messages).all(|(offset, message)| message["offset"] == json!(offset)));
    server.stop().await;
}

/// An agent's text is not a mark even if it reads like one.
#[tokio::test]
async fn text_from_an_agent_is_never_a_mark() {
    let server = Serving::rehearsing(Script::Happy).await;
    let mut app = App::connect(server.address).await;
    let session = Uuid::new_v4();
    prompt(&server, &mut app, session, "Not delivered: “this”").await;
    app.until("turn_complete").await;
    start(&server, &mut app, session).await;
    app.until("recipe_exited").await;
    let messages = conversation(&server, session).await;
    assert!(messages.len() > 4 && messages.iter().all(|(mark, _)| mark.is_null()), "{messages:?}");
    server.stop().await;
}

#[tokio::test]
async fn only_clients_that_asked_for_it_are_notified_of_changed_work() {
    let server = Serving::rehearsing(Script::Slow).await;
    let mut notified = App::dial(server.address).await;
    notified
        .send(
            json!({ "type": "connect", "api_key": KEY, "protocol_version": "0.5.0", "work": true }),
        )
        .await;
    notified.until("available_recipes").await;
    let mut app = App::connect(server.address).await;
    for form in [json!("yes"), json!(1), json!(false), Value::Null] {
        let mut other = App::dial(server.address).await;
        other.send(json!({ "type": "connect", "api_key": KEY, "work": form })).await;
        other.until("connected").await;
    }
    let session = Uuid::new_v4();
    for text in ["Is the build green?", "And the tests?"] {
        prompt(&server, &mut app, session, text).await;
        let changed = notified.until("work_changed").await;
        assert_eq!(changed, json!({ "type": "work_changed", "session_id": session }));
        assert!(!work(&server).await.is_empty(), "it is listed before clients are notified");
    }
    app.so_far().await;
    assert!(!app.kinds().contains(&"work_changed"), "{:?}", app.kinds());
    server.stop().await;
}

#[tokio::test]
async fn a_client_that_announces_views_receives_them_and_any_client_can_request_one() {
    let server = Serving::rehearsing(Script::Happy).await;
    let mut viewer = App::dial(server.address).await;
    viewer
        .send(json!({ "type": "connect", "api_key": KEY, "protocol_version": "0.5.0", "view": 1 }))
        .await;
    viewer.until("available_recipes").await;
    let mut app = App::connect(server.address).await;
    start(&server, &mut app, Uuid::new_v4()).await;
    app.until("recipe_exited").await;
    let exited = viewer.until("recipe_exited").await;
    let run = exited["run_id"].clone();
    viewer.until("turn_complete").await;

    // The changes merge into the whole view.
    let sent = viewer
        .heard
        .iter()
        .filter(|message| message["type"] == "run_view" && message["run_id"] == run);
    let mut changes =
        sent.map(|message| serde_json::from_value::<RunView>(message["changed"].clone()).unwrap());
    let mut merged = changes.next().unwrap();
    assert_eq!(merged.seq, 1);
    changes.for_each(|changed| merged.merge(changed));
    app.send(json!({ "type": "get_run_view", "run_id": run })).await;
    let whole = app.until("run_view").await;
    assert_eq!(whole["seq"], exited["seq"]);
    assert_eq!(merged, serde_json::from_value(whole["changed"].clone()).unwrap());
    assert!(
        !app.heard.iter().any(|message| message["type"] == "run_view" && *message != whole),
        "it announced nothing"
    );

    app.send(json!({ "type": "get_run_view", "run_id": run, "since": merged.seq })).await;
    assert_eq!(app.until("run_view").await["changed"]["visits"], json!([]));
    app.send(json!({ "type": "get_run_view", "run_id": Uuid::new_v4() })).await;
    assert_eq!(app.until("error").await["code"], "run_not_found");
    server.stop().await;
}
