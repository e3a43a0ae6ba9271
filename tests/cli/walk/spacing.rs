//! The app collects what it is told for a tenth of a second: a beginning and an end that come together cancel out.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use surefire_testkit::app::App;
use uuid::Uuid;

use super::program::Place;
use super::rules;

/// 250 ms, less what a reader may be late with.
const APART: Duration = Duration::from_millis(240);

/// What the app needs in any case: its tenth of a second, and half as much again.
const NEEDED: Duration = Duration::from_millis(150);

/// The moments at which a client was told of each beginning and end in a session.
fn beats(app: &App, session: &Value) -> Vec<(String, Instant)> {
    let told = app.heard.iter().zip(&app.times).filter(|(message, _)| message["session_id"] == *session);
    let beats = told.filter_map(|(message, time)| Some((message["type"].as_str()?.to_owned(), *time)));
    beats.filter(|(kind, _)| matches!(kind.as_str(), "recipe_started" | "recipe_exited")).collect()
}

/// How long it took from each beginning to its end, and from each end to the next beginning.
fn gaps(app: &App, session: &Value) -> Vec<Duration> {
    let beats = beats(app, session);
    let changes = beats.windows(2).filter(|pair| pair[0].0 != pair[1].0);
    changes.map(|pair| pair[1].1 - pair[0].1).collect()
}

/// How often is tried anew: a reader that is late on a busy machine sees two that are apart as if they came together. The exact
/// distance is held by the tests in `server/broadcast/spacing.rs`, which say what time it is; here it is to be seen at all.
const ROUNDS: usize = 5;

/// Whether all of them are as far apart as the app needs, and most of them as they should be.
fn are_apart(gaps: &[Duration]) -> bool {
    let most = gaps.iter().filter(|gap| **gap >= APART).count() * 2 > gaps.len();
    most && gaps.iter().all(|gap| *gap >= NEEDED)
}

/// Measures until everything is apart, each time from the beginning. A round in which nothing could be seen gives nothing.
async fn apart_in_some_round(mut measure: impl AsyncFnMut() -> Vec<Vec<Duration>>) {
    let mut seen = Vec::new();
    while seen.len() < ROUNDS {
        let measured = measure().await;
        if !measured.is_empty() && measured.iter().all(|gaps| are_apart(gaps)) {
            return;
        }
        seen.push(measured);
    }
    panic!("in no round: {seen:?}");
}

#[tokio::test]
async fn a_beginning_and_an_end_are_apart_and_nothing_else_waits() {
    apart_in_some_round(async || {
        let place = Place::new();
        let server = place.serve("no-tasks", Duration::ZERO).await;
        let mut app = server.app().await;
        let mut sessions = Vec::new();
        for _ in 0..5 {
            app.send(place.wish()).await;
            sessions.push(app.until("recipe_started").await["session_id"].clone());
            app.send(json!({ "type": "ping" })).await;
        }
        let mut all = Vec::new();
        for session in &sessions {
            let ended =
                |message: &Value| message["type"] == "recipe_exited" && message["session_id"] == *session;
            while !app.heard.iter().any(ended) {
                app.next().await;
            }
            assert_eq!(beats(&app, session).len(), 2);
            all.extend(gaps(&app, session));
        }
        app.so_far().await;
        assert_eq!(app.kinds().iter().filter(|kind| **kind == "pong").count(), 6, "one for each ping");
        let first = |is: &dyn Fn(&Value) -> bool| app.heard.iter().position(is).expect("it was told");
        let end = first(&|message| message["type"] == "recipe_exited");
        let before_it = |kind: &str| app.kinds()[..end].iter().filter(|told| **told == kind).count();
        let others_wait = before_it("recipe_started") < 2 || before_it("pong") == 0;
        let said = first(&|message| {
            message["type"] == "session_history" && message["messages"][0]["role"] == "assistant"
        });
        assert!(said < end, "the conversation does not wait");
        rules::hold_for(&app);
        if others_wait { Vec::new() } else { vec![all] }
    })
    .await;
}

#[tokio::test]
async fn the_next_beginning_is_apart_from_the_end_before_it() {
    apart_in_some_round(async || {
        let place = Place::new();
        let server = place.serve("no-tasks", Duration::ZERO).await;
        let mut app = server.app().await;
        app.send(place.wish()).await;
        let session = app.until("recipe_exited").await["session_id"].clone();
        for _ in 0..2 {
            let again =
                json!({ "type": "start_recipe", "session_id": session, "recipe_id": "implement-and-review" });
            app.send(again).await;
            app.until("recipe_exited").await;
        }
        assert_eq!(beats(&app, &session).len(), 6);
        vec![gaps(&app, &session)]
    })
    .await;
}

#[tokio::test]
async fn a_start_that_is_refused_is_apart_from_its_end() {
    apart_in_some_round(async || {
        let place = Place::new();
        let server = place.serve("happy", Duration::ZERO).await;
        let mut app = server.app().await;
        let mut all = Vec::new();
        for _ in 0..3 {
            let mut wish = place.wish();
            wish["working_directory"] = json!(place.project().join("missing"));
            app.send(wish).await;
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

/// Somebody taps start, and then at once on start again, or on exit.
#[tokio::test]
async fn what_is_asked_for_at_once_is_told_one_after_the_other() {
    apart_in_some_round(async || {
        let place = Place::new();
        let server = place.serve("slow", Duration::ZERO).await;
        let mut app = server.app().await;
        let mut all = Vec::new();
        for _ in 0..3 {
            let (before, session) = (app.heard.len(), json!(Uuid::new_v4()));
            let mut wish = place.wish();
            wish["session_id"] = session.clone();
            app.send(wish.clone()).await;
            app.send(wish).await;
            app.send(json!({ "type": "exit_recipe", "session_id": session })).await;
            let exited = app.until("recipe_exited").await;
            assert_eq!((&exited["reason"], &exited["session_id"]), (&json!("user-requested"), &session));
            app.until("turn_complete").await;
            let kinds = &app.kinds()[before..];
            for kind in ["recipe_started", "session_created", "session_ready", "ack", "recipe_exited"] {
                assert!(kinds.contains(&kind), "{kind} in {kinds:?}");
            }
            let errors: Vec<_> =
                app.heard[before..].iter().filter(|message| message["type"] == "error").collect();
            assert!(errors.len() == 1 && errors[0]["code"] == "session_busy", "{errors:?}");
            all.extend(gaps(&app, &session));
        }
        assert_eq!(all.len(), 3, "each began once and ended once");
        rules::hold_for(&app);
        vec![all]
    })
    .await;
}

/// A client that comes while an end waits is told of the beginning first.
#[tokio::test]
async fn who_comes_between_a_beginning_and_its_end_has_them_apart_as_well() {
    apart_in_some_round(async || {
        let place = Place::new();
        let server = place.serve("no-tasks", Duration::ZERO).await;
        let mut app = server.app().await;
        let (mut first, mut later) = (Vec::new(), Vec::new());
        for late in [0, 50, 100, 150, 200] {
            app.send(place.wish()).await;
            let session = app.until("recipe_started").await["session_id"].clone();
            tokio::time::sleep(Duration::from_millis(late)).await;
            let mut back = server.app().await;
            back.until_in(&session, "recipe_exited").await;
            later.extend(gaps(&back, &session));
            app.until_in(&session, "recipe_exited").await;
            first.extend(gaps(&app, &session));
        }
        // An empty one is not apart: somebody has to come in time.
        vec![first, later]
    })
    .await;
}
