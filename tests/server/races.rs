//! Clients that request the same thing at the same time, or disconnect before it is done.

use serde_json::{Value, json};
use std::sync::Arc;
use surefire::agent::{Rehearsal, Script};
use surefire::server::ServerLimits;
use surefire_testkit::app::{App, Serving};
use surefire_testkit::eventually_async;

use crate::raw::read;

const SESSION: &str = "3f2a8c1e-5b7d-4e90-a1c6-9d8e7f6a5b4c";

fn start(server: &Serving) -> Value {
    json!({
        "type": "start_recipe", "session_id": SESSION, "recipe_id": "implement-and-review",
        "working_directory": server.project(),
    })
}

#[tokio::test]
async fn of_two_starts_in_one_session_one_wins_and_only_the_loser_gets_an_error() {
    for _ in 0..3 {
        let server = Serving::rehearsing(Script::Slow).await;
        let mut apps = [
            App::connect(server.address).await,
            App::connect(server.address).await,
            App::connect(server.address).await,
        ];
        let before: Vec<_> = apps.iter().map(|app| app.heard.len()).collect();
        let message = start(&server);
        let [one, two, _] = &mut apps;
        tokio::join!(one.send(message.clone()), two.send(message));
        for app in &mut apps {
            while !app.kinds().contains(&"recipe_step_started") {
                app.next().await;
            }
        }
        // Both starts are answered before these pings.
        for app in &mut apps {
            app.so_far().await;
        }
        let received: Vec<_> =
            apps.iter().zip(before).map(|(app, before)| &app.heard[before..]).collect();
        let of = |app: usize, kind: &str| {
            received[app].iter().filter(|message| message["type"] == kind).count()
        };
        let losers: Vec<_> = (0..3).filter(|app| of(*app, "error") > 0).collect();
        assert_eq!(losers.len(), 1, "{received:?}");
        let loser = losers[0];
        assert_ne!(loser, 2);
        let winner = 1 - loser;
        let run = |app: usize| {
            received[app].iter().find(|message| message["type"] == "recipe_started").unwrap()["run_id"]
                .clone()
        };
        let error = received[loser].iter().find(|message| message["type"] == "error").unwrap();
        assert_eq!(
            (&error["code"], &error["session_id"]),
            (&json!("session_busy"), &json!(SESSION))
        );
        assert!(
            error["message"].as_str().unwrap().contains(run(winner).as_str().unwrap()),
            "{error}"
        );
        assert_eq!(
            (of(loser, "recipe_error"), of(loser, "recipe_started"), of(loser, "ack")),
            (1, 2, 0)
        );
        assert_eq!(
            (of(winner, "recipe_error"), of(winner, "recipe_started"), of(winner, "ack")),
            (0, 1, 1)
        );
        assert_eq!((of(2, "recipe_error"), of(2, "recipe_started"), of(2, "ack")), (0, 1, 0));
        assert_eq!((of(winner, "session_ready"), of(loser, "session_ready")), (1, 0));
        assert_eq!((run(winner), run(winner)), (run(loser), run(2)));
        let runs = read(server.address, "/api/runs").await.json();
        assert_eq!(runs["runs"].as_array().unwrap().len(), 1);
    }
}

#[tokio::test]
async fn an_invalid_start_in_a_busy_session_does_not_look_like_the_end_of_its_run() {
    let server = Serving::rehearsing(Script::Slow).await;
    let (mut holder, mut other) =
        (App::connect(server.address).await, App::connect(server.address).await);
    holder.send(start(&server)).await;
    let run = holder.until("recipe_step_started").await["run_id"].clone();
    other.until("recipe_step_started").await;
    let (holder_before, before) = (holder.heard.len(), other.heard.len());
    let wrongs = [
        ("provider", json!("copilot")),
        ("working_directory", json!("/nowhere")),
        ("working_directory", json!(server.place.path())),
    ];
    for (field, wrong) in &wrongs {
        let mut request = start(&server);
        request[*field] = wrong.clone();
        other.send(request).await;
        assert_eq!(other.until("error").await["code"], "session_busy", "{wrong}");
        assert_eq!(other.until("recipe_started").await["run_id"], run);
    }
    other.so_far().await;
    assert!(!other.kinds()[before..].contains(&"recipe_exited"), "{:?}", &other.kinds()[before..]);
    holder.so_far().await;
    assert!(
        !holder.heard[holder_before..].iter().any(|message| message["run_id"] != Value::Null),
        "no other client is notified"
    );
    let mut next = App::connect(server.address).await;
    assert_eq!(
        next.until("recipe_started").await["run_id"],
        run,
        "a new client gets the current state"
    );
}

#[tokio::test]
async fn an_answer_to_a_disconnected_client_is_dropped_and_blocks_nothing() {
    let server = Serving::rehearsing(Script::NoTasks).await;
    let mut staying = App::connect(server.address).await;
    for _ in 0..3 {
        let mut leaving = App::connect(server.address).await;
        // The end of a run that never began is delayed by 250 ms, and by then the client is gone.
        leaving
            .send(json!({ "type": "start_recipe", "session_id": SESSION, "recipe_id": "rebase" }))
            .await;
        leaving.until("recipe_started").await;
        leaving.send(json!({ "type": "exit_recipe", "session_id": SESSION })).await;
        drop(leaving);
        staying.until("recipe_exited").await;
        staying.until("turn_complete").await;
    }
    assert!(!staying.kinds().contains(&"error"), "the error was for the client that left");
    staying.send(start(&server)).await;
    staying.until("ack").await;
    staying.until("recipe_exited").await;
}

#[tokio::test]
async fn every_start_is_acknowledged_once_even_if_it_ends_at_once() {
    for script in [Script::NoTasks, Script::Crash] {
        let server = Serving::rehearsing(script).await;
        let mut app = App::connect(server.address).await;
        let before = app.heard.len();
        for _ in 0..2 {
            app.send(start(&server)).await;
            app.until("recipe_exited").await;
            app.until("turn_complete").await;
        }
        app.so_far().await;
        let acks = app.heard[before..].iter().filter(|message| message["type"] == "ack").count();
        assert_eq!(acks, 2, "{script}: {:?}", &app.kinds()[before..]);
    }
}

#[tokio::test]
async fn a_run_continues_when_the_client_that_started_it_disconnects() {
    let slow = Rehearsal::new(Script::OneFix).pace(std::time::Duration::from_millis(20));
    let server = Serving::with(Arc::new(slow), |builder| builder).await;
    let mut leaving = App::connect(server.address).await;
    leaving.send(start(&server)).await;
    leaving.until("recipe_started").await;
    leaving.socket.get_mut().set_zero_linger().unwrap();
    drop(leaving);
    eventually_async("the run has ended", async || {
        let runs = read(server.address, "/api/runs").await.json();
        runs["runs"][0]["ending"]["goal_met"] == true
    })
    .await;
    let mut app = App::connect(server.address).await;
    assert_eq!(app.until("recipe_exited").await["session_id"], SESSION, "a new client is notified");
}

#[tokio::test]
async fn one_clients_failed_starts_do_not_delay_other_clients() {
    let server = Serving::limited(ServerLimits::default().message_burst(1000)).await;
    let (mut hasty, mut other) =
        (App::connect(server.address).await, App::connect(server.address).await);
    for _ in 0..150 {
        hasty
            .send(json!({ "type": "start_recipe", "session_id": SESSION, "recipe_id": "rebase" }))
            .await;
    }
    hasty.so_far().await;
    other.send(start(&server)).await;
    let began = std::time::Instant::now();
    while other.until("recipe_started").await["recipe_id"] != "implement-and-review" {}
    assert!(began.elapsed() < std::time::Duration::from_secs(10), "{:?}", began.elapsed());
}

#[tokio::test]
async fn a_new_client_gets_a_bounded_number_of_remembered_messages() {
    let server = Serving::limited(
        ServerLimits::default().message_burst(10_000).max_queued_messages(100_000),
    )
    .await;
    let mut app = App::connect(server.address).await;
    for n in 0..1500_u32 {
        let session = format!("{n:08x}-5b7d-4e90-a1c6-9d8e7f6a5b4c");
        app.send(json!({ "type": "start_recipe", "session_id": session, "recipe_id": "rebase" }))
            .await;
    }
    while app.heard.last().unwrap()["session_id"] != "000005db-5b7d-4e90-a1c6-9d8e7f6a5b4c"
        || app.heard.last().unwrap()["type"] != "turn_complete"
    {
        app.next().await;
    }
    let mut next = App::connect(server.address).await;
    let remembered = next.so_far().await;
    assert!(remembered.len() <= 1024 && remembered.len() > 400, "{}", remembered.len());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_that_connects_while_a_session_begins_always_learns_of_it() {
    let limits = ServerLimits::default().max_connections(1000).message_burst(1000);
    let server = Serving::limited(limits).await;
    let mut busy = App::connect(server.address).await;
    let project = server.project();
    let ids: Vec<_> = (0..40).map(|n| format!("{n:08x}-5b7d-4e90-a1c6-9d8e7f6a5b4c")).collect();
    let begun = ids.clone();
    let beginning = tokio::spawn(async move {
        for id in &begun {
            let prompt = json!({ "type": "prompt", "text": "hi", "new_session_id": id, "working_directory": project });
            busy.send(prompt).await;
            busy.until("session_created").await;
        }
    });
    let mut clients = Vec::new();
    while !beginning.is_finished() {
        clients.push(App::connect(server.address).await);
    }
    beginning.await.unwrap();
    for app in &mut clients {
        app.so_far().await;
        let known = sessions(app);
        for id in &ids {
            assert!(known.contains(id), "{id}: {known:?}");
        }
    }
}

/// The sessions that a client knows from its list and from notifications.
fn sessions(app: &App) -> Vec<String> {
    let listed = app.heard.iter().filter(|message| message["type"] == "session_list");
    let listed = listed.flat_map(|list| list["sessions"].as_array().unwrap());
    let created = app.heard.iter().filter(|message| message["type"] == "session_created");
    listed
        .chain(created)
        .map(|session| session["session_id"].as_str().unwrap().to_owned())
        .collect()
}

#[tokio::test]
async fn updates_that_the_server_itself_missed_are_read_again() {
    let server = Serving::with(Arc::new(Rehearsal::new(Script::Happy)), |builder| {
        builder.tune(|options| (options.backlog, options.locks) = (1, options.data.join("locks")))
    })
    .await;
    let (mut app, mut other) =
        (App::connect(server.address).await, App::connect(server.address).await);
    let ids: Vec<_> = (0..5).map(|n| format!("{n:08x}-5b7d-4e90-a1c6-9d8e7f6a5b4c")).collect();
    for id in &ids {
        let directory = server.project();
        app.send(
            json!({ "type": "prompt", "text": "hi", "new_session_id": id, "working_directory": directory }),
        )
        .await;
        app.until("ack").await;
    }
    app.send(start(&server)).await;
    for app in [&mut app, &mut other] {
        let (mut started, mut exited) = (false, false);
        while !exited || ids.iter().any(|id| !sessions(app).contains(id)) {
            let message = app.next().await;
            started |= message["type"] == "recipe_started";
            exited |= message["type"] == "recipe_exited" && started;
        }
    }
    assert!(app.kinds().iter().filter(|kind| **kind == "ack").count() == 6, "{:?}", app.kinds());
}

#[tokio::test]
async fn the_next_server_still_reports_the_run_that_ended_last() {
    let server = Serving::rehearsing(Script::Slow).await;
    let mut app = App::connect(server.address).await;
    let mut runs = Vec::new();
    for _ in 0..2 {
        app.send(start(&server)).await;
        runs.push(app.until("recipe_step_started").await["run_id"].clone());
        app.send(json!({ "type": "exit_recipe", "session_id": SESSION })).await;
        app.until("recipe_exited").await;
    }
    app.send(json!({ "type": "resume_run", "run_id": runs[0] })).await;
    app.until("recipe_step_started").await;
    app.send(json!({ "type": "exit_recipe", "session_id": SESSION })).await;
    assert_eq!(app.until("recipe_exited").await["run_id"], runs[0]);
    let place = server.stop().await;
    let server = Serving::again_in(place, Arc::new(Rehearsal::default()), |builder| builder).await;
    let mut app = App::connect(server.address).await;
    assert_eq!(app.until("recipe_exited").await["run_id"], runs[0]);
    server.stop().await;
}
