//! Clients that reconnect: what they receive about runs, and how they get the rest of a
//! conversation.

use std::time::Duration;

use serde_json::{Value, json};
use surefire_testkit::app::App;

use super::program::Place;
use super::rules;

/// What a client receives about runs when it connects, before anything else happens.
async fn state(app: &mut App) -> Vec<Value> {
    let received = app.so_far().await;
    assert!(received.iter().all(|message| matches!(
        message["type"].as_str(),
        Some("recipe_started" | "recipe_exited")
    )));
    received
}

#[tokio::test]
async fn the_latest_state_of_each_session_is_sent_once() {
    let place = Place::new();
    let server = place.serve("happy", Duration::from_secs(2)).await;
    let mut app = server.app().await;
    app.send(place.start_request()).await;
    let ended = app.until("recipe_started").await["session_id"].clone();
    app.send(json!({ "type": "exit_recipe", "session_id": ended })).await;
    app.until_in(&ended, "recipe_exited").await;

    app.send(place.start_request()).await;
    let running = app.until("recipe_started").await["session_id"].clone();
    let (first, second) = (app.heard.len() - 1, app.until("recipe_started").await);
    assert_eq!((&second["step"], &second["step_count"]), (&json!("code-review"), &json!(2)));

    let mut back = server.app().await;
    let received = state(&mut back).await;
    assert_eq!(received.len(), 2, "one for each session: {received:?}");
    let exited =
        received.iter().find(|message| message["session_id"] == ended).expect("it is sent");
    assert_eq!(
        (&exited["type"], &exited["reason"]),
        (&json!("recipe_exited"), &json!("user-requested"))
    );
    let started =
        received.iter().find(|message| message["session_id"] == running).expect("it is sent");
    assert_eq!(started["type"], "recipe_started");
    // The run may have advanced since then, but never goes back.
    assert!(started["step_count"].as_u64() >= Some(2), "{started}");
    app.until("recipe_exited").await;
    let same = app.heard[first..].iter().any(|message| message == started);
    assert!(same, "a client that stayed connected received the same: {started}");

    // The run ended while no client was connected.
    drop((app, back));
    let mut later = server.app().await;
    let received = state(&mut later).await;
    assert!(
        received.len() == 2 && received.iter().all(|message| message["type"] == "recipe_exited"),
        "{received:?}"
    );
    let list = later
        .heard
        .iter()
        .find(|message| message["type"] == "session_list")
        .expect("it comes first");
    assert_eq!(
        (list["sessions"].as_array().map(Vec::len), &list["total_count"]),
        (Some(2), &json!(2))
    );
    assert_eq!(list["sessions"][0]["session_id"], running, "the newest is first");
    rules::hold_for(&later);
}

#[tokio::test]
async fn both_cursors_get_the_rest_of_a_conversation_and_what_follows() {
    let place = Place::new();
    let server = place.serve("happy", Duration::ZERO).await;
    let mut first = server.app().await;
    first.send(place.start_request()).await;
    let session = first.until("recipe_exited").await["session_id"].clone();

    let mut fresh = server.app().await;
    fresh.send(json!({ "type": "subscribe", "session_id": session })).await;
    let all = fresh.until("session_history").await;
    let total = all["messages"].as_array().expect("it is a list").len();
    assert_eq!((&all["next_offset"], &all["end_of_file"]), (&json!(total), &json!(true)));
    assert!(all["messages"][0]["offset"] == 0 && total > 3, "{all}");
    assert!(all.get("file_replaced").is_none(), "{all}");

    let mut new = server.app().await;
    let subscribe = json!({
        "type": "subscribe", "session_id": session, "from_offset": 3, "file_signature_seen": all["file_signature"],
    });
    new.send(subscribe).await;
    let mut old = App::connect_with(server.address, &server.key, "0.4.0").await;
    assert_eq!(old.heard[1]["negotiated_protocol_version"], "0.4.0");
    old.send(json!({ "type": "subscribe", "session_id": session, "last_seq": 3 })).await;
    for app in [&mut new, &mut old] {
        let rest = app.until("session_history").await;
        assert_eq!(
            rest["messages"].as_array(),
            all["messages"].as_array().map(|all| all[3..].to_vec()).as_ref()
        );
        assert_eq!((&rest["first_seq"], &rest["last_seq"]), (&json!(4), &json!(total)));
        assert_eq!((&rest["next_seq"], &rest["is_complete"]), (&json!(total + 1), &json!(true)));
    }
    // A client that has the whole conversation gets no messages, and keeps its offset.
    new.send(json!({ "type": "subscribe", "session_id": session, "from_offset": total })).await;
    let none = new.until("session_history").await;
    assert_eq!((&none["messages"], &none["next_offset"]), (&json!([]), &json!(total)));
    // An offset with the signature of another conversation is invalid.
    let stale = json!({
        "type": "subscribe", "session_id": session, "from_offset": 3, "file_signature_seen": "another",
    });
    fresh.send(stale).await;
    let again = fresh.until("session_history").await;
    assert_eq!((&again["file_replaced"], &again["messages"]), (&json!(true), &all["messages"]));

    first.send(json!({ "type": "prompt", "text": "And now?", "resume_session_id": session })).await;
    for app in [&mut fresh, &mut new, &mut old] {
        for (offset, role) in [(total, "user"), (total + 1, "assistant")] {
            let live = app.until("session_history").await;
            assert_eq!(live["messages"].as_array().map(Vec::len), Some(1), "{live}");
            let message = &live["messages"][0];
            assert_eq!((&message["offset"], &message["role"]), (&json!(offset), &json!(role)));
            assert_eq!(
                (&live["next_offset"], &live["end_of_file"]),
                (&json!(offset + 1), &json!(true))
            );
        }
        rules::hold_for(app);
    }

    // A client that unsubscribes receives no more of it.
    new.send(json!({ "type": "unsubscribe", "session_id": session })).await;
    new.so_far().await;
    first
        .send(json!({ "type": "prompt", "text": "And then?", "resume_session_id": session }))
        .await;
    fresh.until("session_history").await;
    fresh.until("session_history").await;
    first.until("turn_complete").await;
    let received = new.so_far().await;
    assert!(received.iter().all(|message| message["type"] != "session_history"), "{received:?}");
}

#[tokio::test]
async fn a_conversation_that_does_not_fit_is_sent_in_parts() {
    let place = Place::new();
    let server = place.serve("happy", Duration::ZERO).await;
    let mut first = server.app().await;
    first.send(place.start_request()).await;
    let session = first.until("recipe_exited").await["session_id"].clone();

    let mut app = server.app().await;
    app.send(json!({ "type": "set_max_message_size", "size_kb": 2 })).await;
    app.until("ack").await;
    let (mut from, mut parts) = (0, 0);
    loop {
        app.send(json!({ "type": "subscribe", "session_id": session, "from_offset": from })).await;
        let part = app.until("session_history").await;
        assert!(part.to_string().len() < 2048, "{part}");
        let next = part["next_offset"].as_u64().expect("it is a number");
        assert!(next > from, "it makes progress: {part}");
        (from, parts) = (next, parts + 1);
        if part["end_of_file"] == true {
            break;
        }
    }
    assert!(parts > 1, "all of it does not fit");
    rules::hold_for(&app);
}
