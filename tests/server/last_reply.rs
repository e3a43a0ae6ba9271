//! The agent's last reply in a run, over HTTP.

use std::sync::Arc;

use serde_json::{Value, json};
use surefire::agent::{Rehearsal, Script};
use surefire::run::RunId;
use surefire::store::{Change, Memory, NewMessage, Store};
use surefire_testkit::app::{App, Serving};
use surefire_testkit::fixtures::{
    attempt, began, commit, ends, events, message, new_session, replied, resumes, run, says,
    started,
};

use crate::raw::read;

/// A message in an attempt: the agent's if `n` is odd, the user's if it is even.
fn message_in(n: u128, attempt_n: u128, text: &str) -> Change {
    let message =
        NewMessage { attempt: Some(attempt(attempt_n)), text: text.into(), ..message(1, n, 1) };
    Change::message(message)
}

async fn reply(server: &Serving, run: RunId) -> Value {
    read(server.address, &format!("/api/runs/{run}/reply")).await.json()
}

#[tokio::test]
async fn the_reply_is_that_of_the_last_attempt_with_agent_text() {
    let store = Arc::new(Memory::default());
    commit(&*store, [new_session(1, 1), new_session(2, 1)]).unwrap();
    let turns = [
        started(1, 1),
        began(1),
        replied(1, None),
        began(2),
        replied(2, None),
        began(3),
        ends("x"),
    ];
    commit(
        &*store,
        [events(1, 0, turns, 1), events(2, 0, [started(2, 2), began(9), ends("x")], 1)],
    )
    .unwrap();
    let messages = [
        message_in(2, 1, "Do it."),
        message_in(3, 1, "First."),
        message_in(4, 2, "Go on."),
        message_in(5, 2, "Looking…\n"),
        message_in(7, 2, " \n"),
        message_in(9, 2, "Done."),
        message_in(10, 3, "And on."),
        // The engine's own text about the end, which is not a reply.
        says(1, 11, 1),
    ];
    commit(&*store, messages).unwrap();
    let store_of_server: Arc<dyn Store> = Arc::<Memory>::clone(&store);
    let agent = Arc::new(Rehearsal::new(Script::Happy));
    let server = Serving::with(agent, |builder| builder.store(store_of_server)).await;
    assert_eq!(reply(&server, run(1)).await, json!({ "reply": "Looking…\n\n\nDone." }));
    assert_eq!(reply(&server, run(2)).await, json!({ "reply": null }));

    // A reply that is too long loses its middle.
    let long = format!("begin{}end", "\"".repeat(100_000));
    let more = events(1, 7, [resumes(), began(4), ends("x")], 2);
    commit(&*store, [more, message_in(13, 4, &long)]).unwrap();
    let answer = reply(&server, run(1)).await;
    let text = answer["reply"].as_str().unwrap();
    assert!(text.starts_with("begin") && text.contains("left out") && text.ends_with("end"));
    assert!((60_000..=64 * 1024).contains(&json!(text).to_string().len()));
    server.stop().await;
}

#[tokio::test]
async fn only_a_known_run_has_a_last_reply() {
    let server = Serving::rehearsing(Script::NoTasks).await;
    let unknown = read(server.address, &format!("/api/runs/{}/reply", run(1))).await;
    assert_eq!(unknown.status(), 404);
    assert!(unknown.json()["error"].as_str().unwrap().contains(&run(1).to_string()));
    assert_eq!(read(server.address, "/api/runs/none/reply").await.status(), 400);
    assert_eq!(read(server.address, &format!("/api/runs/{}/more", run(1))).await.status(), 404);

    let mut app = App::connect(server.address).await;
    let start = json!({
        "type": "start_recipe", "session_id": null, "recipe_id": "implement-and-review",
        "working_directory": server.project(),
    });
    app.send(start).await;
    let exited = app.until("recipe_exited").await;
    let answer = reply(&server, exited["run_id"].as_str().unwrap().parse().unwrap()).await;
    let text = answer["reply"].as_str().unwrap();
    assert!(text.contains("nothing was changed") && text.contains("no-tasks"), "{text}");
    server.stop().await;
}
