//! Signals: how the server is asked to stop, and how it exits.

use std::time::{Duration, Instant};

use rustix::process::Signal;
use serde_json::json;
use surefire_testkit::app::App;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use uuid::Uuid;

use super::program::{Place, Running};

/// The longest that a graceful shutdown may take.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(10);

/// A client that requests more than its socket buffers hold, and reads none of it.
async fn reads_nothing(place: &Place, server: &Running) -> App {
    let (mut app, session) = (server.app().await, Uuid::new_v4());
    for _ in 0..5 {
        let prompt = json!({
            "type": "prompt", "text": "long ".repeat(40_000), "new_session_id": session,
            "working_directory": place.project(),
        });
        app.send(prompt).await;
        app.until("turn_complete").await;
    }
    for _ in 0..60 {
        app.send(json!({ "type": "subscribe", "session_id": session, "from_offset": 0 })).await;
    }
    app
}

#[tokio::test]
async fn a_server_that_is_asked_to_stop_closes_its_sockets_and_exits() {
    for signal in [Signal::TERM, Signal::INT] {
        let place = Place::new();
        let mut server = place.serve("slow", Duration::ZERO).await;
        let (mut app, mut unauthenticated) = (server.app().await, App::dial(server.address).await);
        app.send(place.start_request()).await;
        app.until("recipe_step_started").await;
        let asked = Instant::now();
        server.signal(signal);
        for app in [&mut app, &mut unauthenticated] {
            let frame = app.closed().await.expect("it says why");
            assert_eq!(frame.code, CloseCode::Away);
        }
        assert!(server.ended().await.success());
        assert!(asked.elapsed() < SHUTDOWN_TIMEOUT);

        // The next server resumes the run.
        let server = place.serve("slow", Duration::ZERO).await;
        assert_eq!(server.app().await.until("recipe_started").await["step"], "implement");
    }
}

#[tokio::test]
async fn a_stopped_server_leaves_the_log_in_the_database() {
    for signal in [Signal::TERM, Signal::INT] {
        let place = Place::new();
        let mut server = place.serve("happy", Duration::ZERO).await;
        let mut app = server.app().await;
        app.send(place.start_request()).await;
        app.until("recipe_exited").await;
        let log = place.data().join("surefire.db-wal");
        assert!(std::fs::metadata(&log).unwrap().len() > 0);
        server.signal(signal);
        assert!(server.ended().await.success());
        let left = std::fs::metadata(&log).map_or(0, |log| log.len());
        assert_eq!(left, 0, "a copy of the database alone would miss that");
    }
}

#[tokio::test]
async fn a_client_that_never_reads_does_not_delay_the_server() {
    let place = Place::new();
    let mut server = place.serve("happy", Duration::ZERO).await;
    let silent = reads_nothing(&place, &server).await;
    let mut app = server.app().await;
    app.send(json!({ "type": "ping" })).await;
    app.until("pong").await;
    let asked = Instant::now();
    server.signal(Signal::TERM);
    assert_eq!(app.closed().await.expect("it says why").code, CloseCode::Away);
    assert!(server.ended().await.success());
    assert!(asked.elapsed() < SHUTDOWN_TIMEOUT);
    drop(silent);
}

#[tokio::test]
async fn a_second_signal_exits_at_once() {
    for (signal, status) in [(Signal::TERM, 143), (Signal::INT, 130)] {
        let place = Place::new();
        let mut server = place.serve("happy", Duration::ZERO).await;
        let silent = reads_nothing(&place, &server).await;
        let mut app = server.app().await;
        server.signal(signal);
        // The close frame shows that the first signal has arrived: two pending ones would be
        // merged.
        app.closed().await.expect("it says why");
        server.signal(signal);
        assert_eq!(
            server.ended().await.code(),
            Some(status),
            "it does not wait for the client that reads nothing"
        );
        drop(silent);
        // The store is intact.
        let server = place.serve("happy", Duration::ZERO).await;
        server.app().await.so_far().await;
    }
}
