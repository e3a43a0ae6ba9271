//! The server stops while all kinds of clients are there.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::json;
use surefire::agent::{Rehearsal, Script};
use surefire::recipes::BUNDLED;
use surefire::server::{Server, ServerLimits};
use surefire_testkit::app::{App, PATIENCE, Serving};
use surefire_testkit::eventually_async;
use tokio::net::{TcpSocket, TcpStream};
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;

use crate::raw::{Raw, UPGRADE, frame, request};

/// Longer than the server may take to stop: it says its goodbyes, and waits for nobody else.
const SOON: Duration = Duration::from_millis(2500);

#[tokio::test]
async fn a_server_stops_soon_whoever_is_there_and_leaves_nothing_behind() {
    let limits = ServerLimits {
        request_time: PATIENCE,
        auth_time: PATIENCE,
        write_patience: PATIENCE,
        ..ServerLimits::default()
    };
    let slow = Arc::new(Rehearsal::new(Script::Slow));
    let server = Serving::with(slow, |builder| builder.limits(limits)).await;
    let (mut stranger, mut friend) = (App::dial(server.address).await, App::connect(server.address).await);
    let start = json!({
        "type": "start_recipe", "session_id": null, "recipe_id": "implement-and-review",
        "working_directory": server.project(),
    });
    friend.send(start).await;
    friend.until("recipe_step_started").await;

    let silent = Raw::dial(server.address).await;
    let mut half = Raw::dial(server.address).await;
    half.send("GET / HTTP/1.1\r\nHost: loc").await;
    let mut idle = Raw::dial(server.address).await;
    idle.send(request("GET /health", &[("Host", "localhost")])).await;
    idle.answer().await;
    let mut upgrading = Raw::dial(server.address).await;
    let unsent = [&[("Host", "localhost"), ("Content-Length", "100")], &UPGRADE[..]].concat();
    upgrading.send(request("GET /", &unsent)).await;
    let mut pipelining = Raw::dial(server.address).await;
    let many = request("GET /", &[("Host", "localhost")]).repeat(50_000);
    let _ = tokio::time::timeout(Duration::from_millis(500), pipelining.send(many)).await;
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(4096).unwrap();
    let mut deaf = App::over(socket.connect(server.address).await.unwrap()).await.unwrap();
    deaf.show_the_key().await;
    let loud = json!({ "type": "infer_session_name", "session_id": "s".repeat(200_000) }).to_string();
    let loud = frame(0x81, loud.as_bytes(), true).repeat(60);
    let _ = tokio::time::timeout(Duration::from_millis(500), deaf.send_raw(&loud)).await;

    let began = Instant::now();
    let reading = tokio::spawn(async move {
        for app in [&mut stranger, &mut friend] {
            let why = app.closed().await.expect("it is told why");
            assert_eq!((why.code, why.reason.as_str()), (CloseCode::Away, "the server stops"));
        }
        idle.rest().await;
    });
    let place = server.stop().await;
    assert!(began.elapsed() < SOON, "{:?}", began.elapsed());
    reading.await.unwrap();
    // Its data directory is free for the next one at once, although some of its clients are still there.
    let next = Serving::again_in(place, Arc::new(Rehearsal::default()), |builder| builder).await;
    App::connect(next.address).await;
    drop((silent, half, upgrading, pipelining, deaf));
    next.stop().await;
}

#[tokio::test]
async fn nobody_is_let_in_while_the_server_stops() {
    let server = Serving::rehearsing(Script::Happy).await;
    let address = server.address;
    server.stop().await;
    assert!(tokio::net::TcpStream::connect(address).await.is_err());
}

/// As in a `select!` with something else that ends first.
#[tokio::test]
async fn a_server_that_nobody_serves_any_more_is_gone() {
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
        () = server.serve(std::future::pending()) => panic!("nobody stops it"),
        app = App::connect_with(address, &key, "0.5.0") => app,
    };
    let why = app.closed().await.expect("it is told why");
    assert_eq!((why.code, why.reason.as_str()), (CloseCode::Away, "the server stops"));
    eventually_async("nobody listens", async || TcpStream::connect(address).await.is_err()).await;
    eventually_async("its data is free for the next one", async || builder().bind().await.is_ok()).await;
}
