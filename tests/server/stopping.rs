//! The server stops while clients of all kinds are connected.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::json;
use surefire::agent::{Rehearsal, Script};
use surefire::recipes::BUNDLED;
use surefire::server::{Server, ServerLimits};
use surefire_testkit::app::{App, Serving, TEST_TIMEOUT};
use surefire_testkit::eventually_async;
use tokio::net::{TcpSocket, TcpStream};
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;

use crate::raw::{Raw, UPGRADE, frame, request};

/// The longest that a shutdown may take: the server sends its close frames and waits for nothing
/// else.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_millis(2500);

#[tokio::test]
async fn a_server_stops_in_time_whatever_its_clients_do_and_releases_its_data_directory() {
    let limits = ServerLimits::default()
        .request_timeout(TEST_TIMEOUT)
        .auth_timeout(TEST_TIMEOUT)
        .write_timeout(TEST_TIMEOUT);
    let slow = Arc::new(Rehearsal::new(Script::Slow));
    let server = Serving::with(slow, |builder| builder.limits(limits)).await;
    let (mut unauthenticated, mut authenticated) =
        (App::dial(server.address).await, App::connect(server.address).await);
    let start = json!({
        "type": "start_recipe", "session_id": null, "recipe_id": "implement-and-review",
        "working_directory": server.project(),
    });
    authenticated.send(start).await;
    authenticated.until("recipe_step_started").await;

    let silent = Raw::dial(server.address).await;
    let mut half = Raw::dial(server.address).await;
    half.send("GET / HTTP/1.1\r\nHost: loc").await;
    let mut idle = Raw::dial(server.address).await;
    idle.send(request("GET /health", &[("Host", "localhost")])).await;
    idle.answer().await;
    let mut upgrading = Raw::dial(server.address).await;
    let headers = [&[("Host", "localhost"), ("Content-Length", "100")], &UPGRADE[..]].concat();
    upgrading.send(request("GET /", &headers)).await;
    let mut pipelining = Raw::dial(server.address).await;
    let many = request("GET /", &[("Host", "localhost")]).repeat(50_000);
    let _ = tokio::time::timeout(Duration::from_millis(500), pipelining.send(many)).await;
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(4096).unwrap();
    let mut not_reading = App::over(socket.connect(server.address).await.unwrap()).await.unwrap();
    not_reading.show_the_key().await;
    let large =
        json!({ "type": "infer_session_name", "session_id": "s".repeat(200_000) }).to_string();
    let large = frame(0x81, large.as_bytes(), true).repeat(60);
    let _ = tokio::time::timeout(Duration::from_millis(500), not_reading.send_raw(&large)).await;

    let began = Instant::now();
    let reading = tokio::spawn(async move {
        for app in [&mut unauthenticated, &mut authenticated] {
            let why = app.closed().await.expect("the server sends a close frame");
            assert_eq!((why.code, why.reason.as_str()), (CloseCode::Away, "the server stops"));
        }
        idle.rest().await;
    });
    let place = server.stop().await;
    assert!(began.elapsed() < SHUTDOWN_TIMEOUT, "{:?}", began.elapsed());
    reading.await.unwrap();
    // The data directory is released at once, although some clients are still connected.
    let next = Serving::again_in(place, Arc::new(Rehearsal::default()), |builder| builder).await;
    App::connect(next.address).await;
    drop((silent, half, upgrading, pipelining, not_reading));
    next.stop().await;
}

#[tokio::test]
async fn a_stopped_server_accepts_no_connections() {
    let server = Serving::rehearsing(Script::Happy).await;
    let address = server.address;
    server.stop().await;
    assert!(tokio::net::TcpStream::connect(address).await.is_err());
}

/// A `select!` drops the server's future when another branch completes first.
#[tokio::test]
async fn a_server_whose_future_is_dropped_stops_and_releases_its_data_directory() {
    let place = tempfile::tempdir().unwrap();
    let builder = || {
        Server::builder()
            .recipes(BUNDLED)
            .agent(Arc::new(Rehearsal::default()))
            .data(place.path().join("data"))
            .root(place.path())
            .listen(([127, 0, 0, 1], 0))
    };
    let server = builder().bind().await.unwrap();
    let (address, key) = (server.address(), server.key().reveal().to_owned());
    let mut app = tokio::select! {
        () = server.serve(std::future::pending()) => panic!("nothing stops it"),
        app = App::connect_with(address, &key, "0.5.0") => app,
    };
    let why = app.closed().await.expect("the server sends a close frame");
    assert_eq!((why.code, why.reason.as_str()), (CloseCode::Away, "the server stops"));
    eventually_async("the port is closed", async || TcpStream::connect(address).await.is_err())
        .await;
    eventually_async("the data directory is released", async || builder().bind().await.is_ok())
        .await;
}
