//! A request with an id is answered by exactly one `ack` or `error` with that id. A request without
//! one is answered as in protocol versions before ids.

use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use surefire::agent::{Rehearsal, Script};
use surefire::client::{Client, ClientError, Endpoint, RunsQuery};
use surefire::run::SessionId;
use surefire::wire::{
    ClientMessage, Connect, ErrorCode, Prompt, PromptTo, ResumeRun, ServerMessage, StartIn,
    StartRecipe, Subscribe,
};
use surefire::{Category, ExitReason, Registry};
use surefire_testkit::app::{App, KEY, Serving};
use surefire_testkit::eventually_async;
use tokio_tungstenite::tungstenite::Message;
use uuid::Uuid;

fn start(server: &Serving, more: &Value) -> Value {
    let mut start = json!({
        "type": "start_recipe", "session_id": null, "recipe_id": "implement-and-review",
        "working_directory": server.project(),
    });
    let fields = more.as_object().unwrap().iter();
    fields.for_each(|(field, value)| start[field] = value.clone());
    start
}

fn at(server: &Serving) -> Endpoint {
    Endpoint::at(server.address, KEY)
}

fn start_in(server: &Serving) -> StartRecipe {
    StartRecipe::new("implement-and-review").working_directory(Some(server.project()))
}

/// Reads until this run has ended, and returns its end.
async fn ended(client: &mut Client, run: surefire::run::RunId) -> surefire::wire::RecipeExited {
    loop {
        match client.next().await.expect("the server is there") {
            ServerMessage::RecipeExited(exited) if exited.of.is_some_and(|of| of.run_id == run) => {
                return exited;
            }
            _ => {}
        }
    }
}

#[tokio::test]
async fn an_ack_names_its_run_and_carries_the_id_of_its_request() {
    let server = Serving::rehearsing(Script::Slow).await;
    let mut app = App::connect(server.address).await;
    app.send(start(&server, &json!({ "request_id": "mine" }))).await;
    let started = app.until("recipe_started").await;
    let ack = app.until("ack").await;
    let (session, run) = (&started["session_id"], &started["run_id"]);
    assert_eq!(
        (&ack["session_id"], &ack["run_id"], &ack["request_id"]),
        (session, run, &json!("mine"))
    );
    app.send(json!({ "type": "exit_recipe", "session_id": session })).await;
    app.until("recipe_exited").await;
    let carriers = app.heard.iter().filter(|message| message.get("request_id").is_some()).count();
    assert_eq!(carriers, 1, "{:?}", app.kinds());

    app.send(json!({ "type": "resume_run", "run_id": run, "request_id": "" })).await;
    let ack = app.until("ack").await;
    assert_eq!((&ack["run_id"], &ack["request_id"]), (run, &json!("")));
    server.stop().await;
}

/// A client that starts a session gets its ack after the messages that all clients get about it,
/// and before the first step.
#[tokio::test]
async fn an_ack_follows_the_start_in_both_streams() {
    for spacing in [true, false] {
        let server = Serving::rehearsing(Script::NoTasks).await;
        let mut app = App::dial(server.address).await;
        app.send(json!({ "type": "connect", "api_key": KEY, "spacing": spacing })).await;
        app.until("available_recipes").await;
        app.so_far().await;
        let before = app.heard.len();
        app.send(start(&server, &json!({}))).await;
        app.until("recipe_step_started").await;
        let kinds = app.kinds().split_off(before);
        let expected = [
            "recipe_started",
            "session_created",
            "recent_sessions",
            "session_ready",
            "ack",
            "recipe_step_started",
        ];
        assert_eq!(kinds, expected, "spacing: {spacing}");
        server.stop().await;
    }
}

#[tokio::test]
async fn a_request_with_an_id_is_acknowledged_even_if_it_has_another_answer() {
    let server = Serving::rehearsing(Script::NoTasks).await;
    let mut app = App::connect(server.address).await;
    let session = Uuid::new_v4();
    let table = [
        (json!({ "type": "get_available_recipes" }), vec!["available_recipes", "ack"]),
        (json!({ "type": "refresh_sessions" }), vec!["session_list", "recent_sessions", "ack"]),
        (json!({ "type": "subscribe", "session_id": session }), vec!["session_history", "ack"]),
        (json!({ "type": "unsubscribe", "session_id": session }), vec!["ack"]),
        (json!({ "type": "message_ack" }), vec!["ack"]),
        (json!({ "type": "set_max_message_size", "size_kb": 200 }), vec!["ack"]),
        (json!({ "type": "prune_runs", "older_than_s": 1 }), vec!["runs_pruned", "ack"]),
        (json!({ "type": "resume_run", "run_id": Uuid::new_v4() }), vec!["error"]),
        (
            json!({ "type": "start_recipe", "session_id": null, "recipe_id": "x" }),
            vec!["error", "recipe_error"],
        ),
        (json!({ "type": "start_recipe" }), vec!["error"]),
        (json!({ "type": "nonsense" }), vec!["error"]),
        (
            json!({ "type": "compact_session", "session_id": session }),
            vec!["compaction_error", "error"],
        ),
        (json!({ "type": "list_resources" }), vec!["error", "resources_list"]),
    ];
    for (mut request, kinds) in table {
        request["request_id"] = json!("7");
        app.send(request.clone()).await;
        let answers = app.so_far().await;
        let received: Vec<_> =
            answers.iter().map(|answer| answer["type"].as_str().unwrap()).collect();
        assert_eq!(received, kinds, "{request}");
        for answer in answers {
            let closes = answer["type"] == "ack" || answer["type"] == "error";
            assert_eq!(answer.get("request_id") == Some(&json!("7")), closes, "{answer}");
        }
        // Old clients see no difference.
        request.as_object_mut().unwrap().remove("request_id");
        app.send(request.clone()).await;
        for answer in app.so_far().await {
            assert!(answer.get("request_id").is_none(), "{answer}");
        }
    }
    server.stop().await;
}

/// The spaced stream delays the end of a run by a quarter of a second; the other does not.
#[tokio::test]
async fn only_a_client_with_spacing_waits_for_recipe_exited() {
    let server = Serving::rehearsing(Script::NoTasks).await;
    let mut app = App::connect(server.address).await;
    let mut unspaced = Client::connect(at(&server)).await.expect("the server accepts it");
    app.send(start(&server, &json!({}))).await;
    let run = app.until("recipe_started").await["run_id"].as_str().unwrap().parse().unwrap();
    let exited = ended(&mut unspaced, run).await;
    assert_eq!(exited.reason, "no-tasks-available");
    // One client has read what the other has not been sent yet.
    assert!(
        app.so_far().await.iter().all(|message| message["type"] != "recipe_exited"),
        "{:?}",
        app.kinds()
    );
    assert_eq!(app.until("recipe_exited").await["reason"], "no-tasks-available");
    server.stop().await;
}

#[tokio::test]
async fn a_client_starts_follows_resumes_and_reads_a_run() {
    let server = Serving::rehearsing(Script::Blocked).await;
    let mut client = Client::connect(at(&server)).await.expect("the server accepts it");
    let welcome = client.take_welcome();
    assert!(welcome.iter().any(|message| matches!(message, ServerMessage::AvailableRecipes(_))));

    let started = client.start_recipe(start_in(&server)).await.expect("it starts");
    assert_eq!(ended(&mut client, started.run).await.reason, "implementation-blocked");
    let resume = ResumeRun::new(started.run);
    assert_eq!(client.resume_run(resume).await.expect("it is resumed"), started);
    assert_eq!(ended(&mut client, started.run).await.reason, "implementation-blocked");

    let journal = client
        .endpoint()
        .journal(started.run, 0)
        .await
        .expect("it can be read")
        .expect("there is one");
    assert_eq!((journal.run.run_id, journal.run.session_id), (started.run, started.session));
    let of_session = RunsQuery { session: Some(started.session), ..RunsQuery::default() };
    let runs = client.endpoint().runs(&of_session);
    assert_eq!(runs.await.expect("they can be read").len(), 1);
    assert!(client.endpoint().last_reply(started.run).await.expect("it can be read").is_some());
    assert_eq!(client.endpoint().run(Uuid::new_v4().into()).await.expect("it can be read"), None);
    server.stop().await;
}

/// Several clients start runs at once, and each finds its own run by the id of its request.
#[tokio::test]
async fn every_client_knows_its_own_run() {
    let server = Serving::rehearsing(Script::NoTasks).await;
    let mut starting = tokio::task::JoinSet::new();
    for _ in 0..4 {
        let (endpoint, start) = (at(&server), start_in(&server));
        starting.spawn(async move {
            let mut client = Client::connect(endpoint).await.expect("the server accepts it");
            let run = client.start_recipe(start).await.expect("it starts").run;
            assert_eq!(ended(&mut client, run).await.category, Category::Completed);
            run
        });
    }
    let mut runs = starting.join_all().await;
    runs.sort();
    runs.dedup();
    assert_eq!(runs.len(), 4);
    server.stop().await;
}

#[tokio::test]
async fn a_client_gets_typed_errors() {
    let server = Serving::rehearsing(Script::NoTasks).await;
    let wrong = Endpoint::at(server.address, "untethered-00000000000000000000000000000000");
    assert!(matches!(Client::connect(wrong).await, Err(ClientError::WrongKey)));
    let mut client = Client::connect(at(&server)).await.expect("the server accepts it");

    let unknown = client.start_recipe(StartRecipe::new("nonsense")).await;
    let Err(ClientError::Refused(error)) = unknown else { panic!("{unknown:?}") };
    assert_eq!(error.code, Some(ErrorCode::RecipeNotFound));

    let outside = start_in(&server).working_directory(Some("/".into()));
    let failed = client.start_recipe(outside).await;
    let Err(ClientError::NotStarted { error, exited }) = failed else { panic!("{failed:?}") };
    assert_eq!((error.code, exited.step_count), (Some(ErrorCode::StartFailed), 0));
    assert_eq!(error.run_id, exited.of.map(|of| of.run_id));

    let unknown: SessionId = Uuid::new_v4().into();
    let lost = client.prompt(Prompt { text: "Hello?".into(), to: PromptTo::Known(unknown) }).await;
    let Err(ClientError::Refused(error)) = lost else { panic!("{lost:?}") };
    assert_eq!(error.code, Some(ErrorCode::SessionNotFound));

    let server_gone = server.stop().await;
    let end = loop {
        if let Err(end) = client.next().await {
            break end;
        }
    };
    assert!(matches!(end, ClientError::Closed), "{end}");
    drop(server_gone);
}

#[tokio::test]
async fn a_client_stops_runs_sends_prompts_subscribes_and_prunes() {
    let slow = Rehearsal::new(Script::Happy).pace(Duration::from_secs(60 * 60));
    let server = Serving::with(std::sync::Arc::new(slow), |builder| builder).await;
    let data = server.place.path().join("data");
    // Through the socket in the data directory, announcing the other capabilities too.
    let announced = Connect { work: true, spacing: false, ..Connect::default() };
    let endpoint = Endpoint::in_directory(data, KEY);
    let mut client = Client::connect_as(endpoint, announced).await.expect("the server accepts it");
    let mut runs = Vec::new();
    for reason in [ExitReason::UserRequested, ExitReason::UserStopped] {
        let started = client.start_recipe(start_in(&server)).await.expect("it starts");
        client.exit_recipe(started.session, reason).await.expect("it ends");
        assert_eq!(ended(&mut client, started.run).await.reason, reason.definition().code);
        runs.push(started);
    }
    let started = client.start_recipe(start_in(&server)).await.expect("it starts");
    let busy = start_in(&server).session(StartIn::Session(started.session));
    let refused = client.start_recipe(busy).await;
    let Err(ClientError::Refused(error)) = refused else { panic!("{refused:?}") };
    assert_eq!(error.code, Some(ErrorCode::SessionBusy));
    let text = "Please keep the old name.".to_owned();
    client
        .prompt(Prompt { text, to: PromptTo::Known(started.session) })
        .await
        .expect("it is queued");
    client.kill_session(started.session).await.expect("it ends");
    assert_eq!(ended(&mut client, started.run).await.reason, "user-requested");

    client.clear_backlog();
    let subscribe =
        Subscribe { session_id: started.session, from: Some(0), file_signature_seen: None };
    client.subscribe(subscribe).await.expect("it can be read");
    let history = loop {
        match client.next().await.expect("it comes with the answer") {
            ServerMessage::SessionHistory(history) if history.first_seq == Some(1) => {
                break history;
            }
            _ => {}
        }
    };
    assert!(history.messages.iter().any(|message| message.text == "Please keep the old name."));
    client.unsubscribe(started.session).await.expect("it is accepted");

    client.set_orchestration(false, None).await.expect("it is switched");
    assert!(matches!(
        client.start_recipe(start_in(&server)).await,
        Err(ClientError::NotStarted { .. })
    ));
    client.set_orchestration(true, None).await.expect("it is switched");

    assert_eq!(client.prune_runs(Duration::from_secs(60 * 60)).await.expect("it is done"), 0);
    eventually_async("a run ended more than a millisecond ago", async || {
        client.prune_runs(Duration::from_millis(1)).await.expect("it is done") > 0
    })
    .await;
    let sessions = client.prune_sessions(Duration::from_secs(60 * 60)).await.expect("it is done");
    assert_eq!(sessions.session_count, 0);
    assert!(client.request(ClientMessage::UploadFile).await.is_err());
    server.stop().await;
}

/// A server that answers each message of a client with the messages that `answer` returns.
async fn answering(answer: impl Fn(&Value) -> Vec<Value> + Send + 'static) -> Endpoint {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("there is a port");
    let address = listener.local_addr().expect("it has an address");
    tokio::spawn(async move {
        let (stream, _) = listener.accept().await.expect("a client comes");
        let mut socket = tokio_tungstenite::accept_async(stream).await.expect("it is a WebSocket");
        while let Some(Ok(Message::Text(text))) = socket.next().await {
            for message in answer(&serde_json::from_str(&text).expect("it is JSON")) {
                // The client may have disconnected.
                let _ = socket.send(Message::text(message.to_string())).await;
            }
        }
    });
    Endpoint::at(address, KEY)
}

/// The answer of a server that supports request ids and does nothing else.
fn ack(message: &Value) -> Value {
    match message["type"].as_str() {
        Some("ping") => json!({ "type": "pong" }),
        _ => json!({ "type": "ack", "message": "Done", "request_id": message["request_id"] }),
    }
}

/// A server of an earlier version ignores the ids, so its answers cannot be matched to requests.
#[tokio::test]
async fn a_server_without_request_ids_is_too_old() {
    let old = answering(|message| match message["type"].as_str() {
        Some("ping") => vec![json!({ "type": "pong" })],
        _ => Vec::new(),
    });
    assert!(matches!(Client::connect(old.await).await, Err(ClientError::ServerTooOld)));
}

/// An answer is matched by its id, whatever arrives before it. Message types that a later server
/// adds are skipped.
#[tokio::test]
async fn an_answer_is_matched_by_its_id_alone() {
    let other = json!({ "type": "turn_complete", "session_id": Uuid::new_v4() });
    let foreign = json!({ "type": "error", "message": "no", "request_id": "another" });
    let unknown = json!({ "type": "invented_later", "request_id": "2" });
    let server = answering(move |message| match message["type"].as_str() {
        Some("kill_session") => vec![other.clone(), foreign.clone(), unknown.clone(), ack(message)],
        _ => vec![ack(message)],
    });
    let mut client = Client::connect(server.await).await.expect("the server accepts it");
    client.kill_session(Uuid::new_v4().into()).await.expect("the other error is not its answer");
    assert!(matches!(client.next().await, Ok(ServerMessage::TurnComplete(_))));
    assert!(
        matches!(client.next().await, Ok(ServerMessage::Error(_))),
        "buffered messages come in order"
    );
    let started = client.start_recipe(StartRecipe::new("x")).await;
    assert!(
        matches!(started, Err(ClientError::Unexpected(_))),
        "an ack has to name the run: {started:?}"
    );
}

#[tokio::test]
async fn a_client_buffers_a_bounded_number_of_messages_while_it_waits() {
    let server = answering(|message| match message["type"].as_str() {
        Some("kill_session") => vec![json!({ "type": "pong" }); 5000],
        _ => vec![ack(message)],
    });
    let mut client = Client::connect(server.await).await.expect("the server accepts it");
    let killed = client.kill_session(Uuid::new_v4().into()).await;
    assert!(matches!(killed, Err(ClientError::TooManyMessages)), "{killed:?}");
}
