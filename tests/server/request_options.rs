//! Options that the app does not use: an exact agent, a model, limits, the reason of an exit, and
//! the deletion of old runs and sessions.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::{Value, json};
use surefire::agent::{Rehearsal, Script};
use surefire::engine::Clock;
use surefire_testkit::app::{App, Serving};
use uuid::Uuid;

use crate::raw::read;

/// A request for a run in a new session, with these additional fields.
fn start(server: &Serving, more: &Value) -> Value {
    let mut start = json!({
        "type": "start_recipe", "session_id": Uuid::new_v4(), "recipe_id": "implement-and-review",
        "working_directory": server.project(),
    });
    let fields = more.as_object().unwrap().iter();
    fields.for_each(|(field, value)| start[field] = value.clone());
    start
}

/// The spec of a run, as persisted.
async fn spec(server: &Serving, run: &Value) -> Value {
    let path = format!("/api/runs/{}", run.as_str().unwrap());
    read(server.address, &path).await.json()["events"][0]["order"].clone()
}

#[tokio::test]
async fn an_agent_requested_by_its_exact_name_is_never_substituted() {
    let server = Serving::rehearsing(Script::NoTasks).await;
    let mut app = App::connect(server.address).await;
    let table = [
        (json!({ "provider": "claude" }), true),
        (json!({ "agent": "rehearsal" }), true),
        (json!({ "agent": "rehearsal", "provider": "copilot" }), true),
        (json!({ "agent": " ", "provider": "claude" }), true),
        (json!({ "agent": "claude" }), false),
        (json!({ "agent": "claude", "provider": "rehearsal" }), false),
    ];
    for (request, good) in table {
        let start = start(&server, &request);
        app.send(start.clone()).await;
        let exited = app.until_in(&start["session_id"], "recipe_exited").await;
        let reason = if good { "no-tasks-available" } else { "error" };
        assert_eq!(exited["reason"], reason, "{request}");
        if !good {
            let refused = app.until_in(&start["session_id"], "error").await;
            assert_eq!(refused["code"], "start_failed");
            assert!(
                refused["message"].as_str().unwrap().contains("no agent `claude` here"),
                "{refused}"
            );
        }
    }
    server.stop().await;
}

#[tokio::test]
async fn the_model_and_the_automatic_resumes_are_persisted() {
    let server = Serving::rehearsing(Script::RateLimited).await;
    let mut app = App::connect(server.address).await;
    let request = start(&server, &json!({ "model": "opus", "limits": { "auto_resumes": 0 } }));
    app.send(request).await;
    let exited = app.until("recipe_exited").await;
    assert_eq!(
        (&exited["reason"], exited.get("resume_at")),
        (&json!("rate_limited"), None),
        "it does not wait for an automatic resume"
    );
    let spec_of_first = spec(&server, &exited["run_id"]).await;
    assert_eq!(
        (&spec_of_first["model"], &spec_of_first["limits"]["auto_resumes"]),
        (&json!("opus"), &json!(0))
    );

    let limits = json!({ "auto_resumes": 1 });
    app.send(json!({ "type": "resume_run", "run_id": exited["run_id"], "limits": limits })).await;
    let again = app.until("recipe_exited").await;
    assert_eq!(again["run_id"], exited["run_id"]);
    let path = format!("/api/runs/{}?since={}", exited["run_id"].as_str().unwrap(), exited["seq"]);
    let resumed = read(server.address, &path).await.json()["events"][0].clone();
    assert_eq!(
        (&resumed["event"], &resumed["limits"]["auto_resumes"]),
        (&json!("resumed"), &json!(1))
    );
    assert_eq!(resumed["limits"]["reasks"], spec_of_first["limits"]["reasks"]);

    let request = start(&server, &json!({ "limits": { "max_ticks": 9 } }));
    app.send(request).await;
    let with_defaults = app.until("recipe_exited").await;
    assert!(with_defaults["resume_at"].is_string(), "{with_defaults}");
    assert_eq!(spec(&server, &with_defaults["run_id"]).await["limits"]["auto_resumes"], 3);
    server.stop().await;
}

#[tokio::test]
async fn a_client_that_ends_a_run_can_give_the_reason() {
    let server = Serving::rehearsing(Script::Slow).await;
    let mut app = App::connect(server.address).await;
    for (reason, expected) in
        [(json!("user_stopped"), "user_stopped"), (Value::Null, "user-requested")]
    {
        let start = start(&server, &json!({}));
        let session = start["session_id"].clone();
        app.send(start).await;
        app.until("recipe_step_started").await;
        // The second request finds no run, and its answer has the same reason.
        for _ in 0..2 {
            app.send(json!({ "type": "exit_recipe", "session_id": session, "reason": reason }))
                .await;
            assert_eq!(app.until_in(&session, "recipe_exited").await["reason"], expected);
        }
    }
    server.stop().await;
}

#[tokio::test]
async fn old_runs_are_pruned_by_the_servers_clock() {
    let now = Arc::new(AtomicU64::new(1_800_000_000_000));
    let clock = Arc::clone(&now);
    let agent = Arc::new(Rehearsal::new(Script::NoTasks));
    let server = Serving::with(agent, |builder| {
        builder.tune(move |options| {
            options.locks = options.data.join("locks");
            options.clock = Clock::new(move || clock.load(Ordering::SeqCst));
        })
    })
    .await;
    let mut app = App::connect(server.address).await;
    let mut runs = Vec::new();
    for _ in 0..2 {
        app.send(start(&server, &json!({}))).await;
        runs.push(app.until("recipe_exited").await["run_id"].clone());
        now.fetch_add(60_000, Ordering::SeqCst);
    }
    // They ended two minutes and one minute ago.
    for (older_than_s, count, left) in [
        (json!(1e15), 0, &runs[..]),
        (json!(120), 0, &runs[..]),
        (json!(119.999), 1, &runs[1..]),
        (json!(119.999), 0, &runs[1..]),
        (json!(0.000_001), 1, &[]),
    ] {
        app.send(json!({ "type": "prune_runs", "older_than_s": older_than_s })).await;
        let pruned = app.until("runs_pruned").await;
        assert_eq!(pruned, json!({ "type": "runs_pruned", "count": count }), "{older_than_s}");
        let listed = read(server.address, "/api/runs").await.json();
        let mut listed: Vec<_> =
            listed["runs"].as_array().unwrap().iter().map(|it| it["run_id"].clone()).collect();
        listed.reverse();
        assert_eq!(listed, left, "{older_than_s}");
    }
    server.stop().await;
}

#[tokio::test]
async fn old_sessions_are_deleted_with_all_that_is_in_them() {
    let now = Arc::new(AtomicU64::new(1_800_000_000_000));
    let clock = Arc::clone(&now);
    let agent = Arc::new(Rehearsal::new(Script::NoTasks));
    let server = Serving::with(agent, |builder| {
        builder.tune(move |options| {
            options.locks = options.data.join("locks");
            options.clock = Clock::new(move || clock.load(Ordering::SeqCst));
        })
    })
    .await;
    let mut app = App::connect(server.address).await;
    let mut sessions = Vec::new();
    for _ in 0..2 {
        app.send(start(&server, &json!({}))).await;
        sessions.push(app.until("recipe_exited").await["session_id"].clone());
        app.until("turn_complete").await;
        now.fetch_add(60_000, Ordering::SeqCst);
    }
    // They were last used two minutes and one minute ago.
    for (older_than_s, count) in [(json!(1e15), 0), (json!(119.999), 1), (json!(119.999), 0)] {
        app.send(json!({ "type": "prune_sessions", "older_than_s": older_than_s })).await;
        let pruned = app.until("sessions_pruned").await;
        let counts = (&pruned["session_count"], &pruned["run_count"], pruned.get("problem"));
        assert_eq!(counts, (&json!(count), &json!(count), None), "{older_than_s}: {pruned}");
    }
    app.send(json!({ "type": "refresh_sessions" })).await;
    let list = app.until("session_list").await;
    assert_eq!(
        (&list["total_count"], &list["sessions"][0]["session_id"]),
        (&json!(1), &sessions[1])
    );
    app.send(json!({ "type": "prompt", "text": "hi", "resume_session_id": sessions[0] })).await;
    assert_eq!(app.until("error").await["code"], "session_not_found");
    server.stop().await;
}
