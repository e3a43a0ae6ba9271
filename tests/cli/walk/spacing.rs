//! The app debounces updates for a tenth of a second: a start and an end that arrive together
//! cancel out. So the server spaces them.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use surefire_testkit::app::App;
use uuid::Uuid;

use super::program::Place;
use super::rules;

/// 250 ms, less some tolerance for a late reader.
const EXPECTED_GAP: Duration = Duration::from_millis(240);

/// What the app needs at least: its tenth of a second, and half as much again.
const MIN_GAP: Duration = Duration::from_millis(150);

/// When a client received each start and end in a session.
fn edges(app: &App, session: &Value) -> Vec<(String, Instant)> {
    let received =
        app.heard.iter().zip(&app.times).filter(|(message, _)| message["session_id"] == *session);
    let edges =
        received.filter_map(|(message, time)| Some((message["type"].as_str()?.to_owned(), *time)));
    edges.filter(|(kind, _)| matches!(kind.as_str(), "recipe_started" | "recipe_exited")).collect()
}

/// The time from each start to its end, and from each end to the next start.
fn gaps(app: &App, session: &Value) -> Vec<Duration> {
    let edges = edges(app, session);
    let changes = edges.windows(2).filter(|pair| pair[0].0 != pair[1].0);
    changes.map(|pair| pair[1].1 - pair[0].1).collect()
}

/// How often a measurement is repeated: on a busy machine a late reader may see two spaced messages
/// arrive together. The tests in `server/broadcast/spacing.rs` check the exact gap with a simulated
/// clock; these only check that there is one over a real socket.
const ROUNDS: usize = 5;

/// Whether all gaps are as long as the app needs, and most of them as long as expected.
fn are_spaced(gaps: &[Duration]) -> bool {
    let most = gaps.iter().filter(|gap| **gap >= EXPECTED_GAP).count() * 2 > gaps.len();
    most && gaps.iter().all(|gap| *gap >= MIN_GAP)
}

/// Measures until all gaps of a round are long enough. Each round starts from scratch, and returns
/// nothing if it could not measure.
async fn spaced_in_some_round(mut measure: impl AsyncFnMut() -> Vec<Vec<Duration>>) {
    let mut seen = Vec::new();
    while seen.len() < ROUNDS {
        let measured = measure().await;
        if !measured.is_empty() && measured.iter().all(|gaps| are_spaced(gaps)) {
            return;
        }
        seen.push(measured);
    }
    panic!("no round had long enough gaps: {seen:?}");
}

#[tokio::test]
async fn a_start_and_its_end_are_spaced_and_nothing_else_is_delayed() {
    spaced_in_some_round(async || {
        let place = Place::new();
        let server = place.serve("no-tasks", Duration::ZERO).await;
        let mut app = server.app().await;
        let mut sessions = Vec::new();
        for _ in 0..5 {
            app.send(place.start_request()).await;
            sessions.push(app.until("recipe_started").await["session_id"].clone());
            app.send(json!({ "type": "ping" })).await;
        }
        let mut all = Vec::new();
        for session in &sessions {
            let ended = |message: &Value| {
                message["type"] == "recipe_exited" && message["session_id"] == *session
            };
            while !app.heard.iter().any(ended) {
                app.next().await;
            }
            assert_eq!(edges(&app, session).len(), 2);
            all.extend(gaps(&app, session));
        }
        app.so_far().await;
        assert_eq!(
            app.kinds().iter().filter(|kind| **kind == "pong").count(),
            6,
            "one for each ping"
        );
        let first =
            |is: &dyn Fn(&Value) -> bool| app.heard.iter().position(is).expect("it was received");
        let end = first(&|message| message["type"] == "recipe_exited");
        let before_it =
            |kind: &str| app.kinds()[..end].iter().filter(|other| **other == kind).count();
        let others_delayed = before_it("recipe_started") < 2 || before_it("pong") == 0;
        let reply = first(&|message| {
            message["type"] == "session_history" && message["messages"][0]["role"] == "assistant"
        });
        assert!(reply < end, "the conversation is not delayed");
        rules::hold_for(&app);
        if others_delayed { Vec::new() } else { vec![all] }
    })
    .await;
}

#[tokio::test]
async fn the_next_start_is_spaced_from_the_end_before_it() {
    spaced_in_some_round(async || {
        let place = Place::new();
        let server = place.serve("no-tasks", Duration::ZERO).await;
        let mut app = server.app().await;
        app.send(place.start_request()).await;
        let session = app.until("recipe_exited").await["session_id"].clone();
        for _ in 0..2 {
            let again =
                json!({ "type": "start_recipe", "session_id": session, "recipe_id": "implement-and-review" });
            app.send(again).await;
            app.until("recipe_exited").await;
        }
        assert_eq!(edges(&app, &session).len(), 6);
        vec![gaps(&app, &session)]
    })
    .await;
}

#[tokio::test]
async fn a_refused_start_is_spaced_from_its_end() {
    spaced_in_some_round(async || {
        let place = Place::new();
        let server = place.serve("happy", Duration::ZERO).await;
        let mut app = server.app().await;
        let mut all = Vec::new();
        for _ in 0..3 {
            let mut request = place.start_request();
            request["working_directory"] = json!(place.project().join("missing"));
            app.send(request).await;
            let exited = app.until("recipe_exited").await;
            assert_eq!(exited["category"], "error");
            let error = app.until("error").await;
            assert_eq!(
                (&error["code"], &error["session_id"]),
                (&json!("start_failed"), &exited["session_id"])
            );
            all.extend(gaps(&app, &exited["session_id"]));
        }
        assert_eq!(all.len(), 3);
        rules::hold_for(&app);
        vec![all]
    })
    .await;
}

/// A user taps start, and immediately start again and exit.
#[tokio::test]
async fn simultaneous_requests_are_answered_one_after_the_other() {
    spaced_in_some_round(async || {
        let place = Place::new();
        let server = place.serve("slow", Duration::ZERO).await;
        let mut app = server.app().await;
        let mut all = Vec::new();
        for _ in 0..3 {
            let (before, session) = (app.heard.len(), json!(Uuid::new_v4()));
            let mut request = place.start_request();
            request["session_id"] = session.clone();
            app.send(request.clone()).await;
            app.send(request).await;
            app.send(json!({ "type": "exit_recipe", "session_id": session })).await;
            let exited = app.until("recipe_exited").await;
            assert_eq!(
                (&exited["reason"], &exited["session_id"]),
                (&json!("user-requested"), &session)
            );
            app.until("turn_complete").await;
            let kinds = &app.kinds()[before..];
            for kind in
                ["recipe_started", "session_created", "session_ready", "ack", "recipe_exited"]
            {
                assert!(kinds.contains(&kind), "{kind} in {kinds:?}");
            }
            let errors: Vec<_> =
                app.heard[before..].iter().filter(|message| message["type"] == "error").collect();
            assert!(errors.len() == 1 && errors[0]["code"] == "session_busy", "{errors:?}");
            all.extend(gaps(&app, &session));
        }
        assert_eq!(all.len(), 3, "each started once and ended once");
        rules::hold_for(&app);
        vec![all]
    })
    .await;
}

/// A client that connects while an end is delayed receives the start first.
#[tokio::test]
async fn a_client_that_connects_between_a_start_and_its_end_gets_them_spaced() {
    spaced_in_some_round(async || {
        let place = Place::new();
        let server = place.serve("no-tasks", Duration::ZERO).await;
        let mut app = server.app().await;
        let (mut first, mut later) = (Vec::new(), Vec::new());
        for late in [0, 50, 100, 150, 200] {
            app.send(place.start_request()).await;
            let session = app.until("recipe_started").await["session_id"].clone();
            tokio::time::sleep(Duration::from_millis(late)).await;
            let mut back = server.app().await;
            back.until_in(&session, "recipe_exited").await;
            later.extend(gaps(&back, &session));
            app.until_in(&session, "recipe_exited").await;
            first.extend(gaps(&app, &session));
        }
        // An empty list fails the round: at least one client has to connect in time.
        vec![first, later]
    })
    .await;
}
