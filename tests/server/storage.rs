//! A store that fails: clients are notified, and an update that cannot be published does not block
//! the others.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use serde_json::{Value, json};
use surefire::agent::{Rehearsal, Script};
use surefire::store::Store;
use surefire_testkit::HeldStore;
use surefire_testkit::app::{App, Serving};
use surefire_testkit::eventually_async;

/// A server with this store and a slow agent.
async fn serving(disk: &Arc<HeldStore>) -> Serving {
    let slow = Rehearsal::new(Script::NoTasks).pace(Duration::from_millis(200));
    let store: Arc<dyn Store> = Arc::<HeldStore>::clone(disk);
    Serving::with(Arc::new(slow), |builder| builder.store(store)).await
}

fn start(server: &Serving) -> Value {
    json!({
        "type": "start_recipe", "session_id": null, "recipe_id": "implement-and-review",
        "working_directory": server.project(),
    })
}

fn prompt(server: &Serving, session: u32) -> Value {
    json!({
        "type": "prompt", "text": "hi", "new_session_id": format!("{session:08x}-5b7d-4e90-a1c6-9d8e7f6a5b4c"),
        "working_directory": server.project(),
    })
}

#[tokio::test]
async fn clients_are_notified_when_a_run_resumes_after_a_full_disk() {
    let disk = Arc::new(HeldStore::default());
    let server = serving(&disk).await;
    let (mut app, mut other) =
        (App::connect(server.address).await, App::connect(server.address).await);
    app.send(start(&server)).await;
    app.until("recipe_step_started").await;
    disk.full.store(true, Ordering::SeqCst);
    let exited = app.until("recipe_exited").await;
    assert_eq!(exited["reason"], "storage_error");
    other.until("recipe_exited").await;
    disk.full.store(false, Ordering::SeqCst);

    let before = app.heard.len();
    app.send(json!({ "type": "resume_run", "run_id": exited["run_id"] })).await;
    for app in [&mut app, &mut other] {
        let started = app.until("recipe_started").await;
        assert_eq!(
            (&started["run_id"], &started["step"]),
            (&exited["run_id"], &json!("implement"))
        );
        assert_eq!(app.until("recipe_exited").await["reason"], "no-tasks-available");
    }
    assert_eq!(
        app.kinds()[before..].iter().filter(|kind| **kind == "ack").count(),
        1,
        "{:?}",
        app.kinds()
    );
    server.stop().await;
}

#[tokio::test]
async fn an_update_that_cannot_be_read_does_not_block_later_ones() {
    let disk = Arc::new(HeldStore::default());
    let server = serving(&disk).await;
    let (mut app, mut other) =
        (App::connect(server.address).await, App::connect(server.address).await);
    disk.damaged.store(true, Ordering::SeqCst);
    app.send(start(&server)).await;
    for app in [&mut app, &mut other] {
        app.until("recipe_exited").await;
    }
    assert_eq!(app.kinds().iter().filter(|kind| **kind == "ack").count(), 1, "{:?}", app.kinds());
    let before = other.kinds().iter().filter(|kind| **kind == "recipe_started").count();
    assert_eq!(before, 1, "it was published once");

    app.send(prompt(&server, 1)).await;
    app.until("ack").await;
    app.until("turn_complete").await;
    server.stop().await;
}

#[tokio::test]
async fn a_panic_while_publishing_does_not_block_later_updates() {
    let disk = Arc::new(HeldStore::default());
    let server = serving(&disk).await;
    let mut app = App::connect(server.address).await;
    disk.nonsense.store(true, Ordering::SeqCst);
    app.send(prompt(&server, 1)).await;
    eventually_async("it is persisted", async || disk.commits.load(Ordering::SeqCst) > 0).await;
    app.until("ack").await;
    app.until("turn_complete").await;
    disk.nonsense.store(false, Ordering::SeqCst);
    app.send(start(&server)).await;
    app.until("recipe_exited").await;
    server.stop().await;
}
