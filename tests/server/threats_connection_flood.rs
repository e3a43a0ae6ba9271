//! Clients without the key that try to lock out the owner by using up the connections.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use serde_json::json;
use surefire::agent::Rehearsal;
use surefire::server::{Server, ServerLimits};
use surefire::store::Store;
use surefire_testkit::app::{App, KEY, Serving, TEST_TIMEOUT};
use surefire_testkit::{HeldStore, eventually_async};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;
use tokio::task::JoinSet;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;

use crate::raw::{Raw, UPGRADE, frame, read, request};

/// A time limit that no test reaches.
const HOUR: Duration = Duration::from_secs(60 * 60);

/// What a client without the key sends on its connections before it waits for the server to close
/// them.
fn openings() -> [String; 4] {
    let host = [("Host", "localhost")];
    let socket = request("GET /ws", &[&host[..], &UPGRADE[..]].concat());
    let guess = [host[0], ("Authorization", "Bearer untethered-00000000000000000000000000000000")];
    [String::new(), "GET / HT".to_owned(), socket, request("GET /api/runs", &guess)]
}

/// Opens this many connections, and opens each again as soon as the server closes it. All have been
/// open once when this returns.
async fn flood(address: SocketAddr, count: usize, openings: &[String]) -> JoinSet<()> {
    let mut flood = JoinSet::new();
    for opening in openings.iter().cycle().take(count) {
        let opening = opening.clone();
        let mut raw = Raw::dial(address).await;
        flood.spawn(async move {
            loop {
                raw.send(&opening).await;
                let mut closed = Vec::new();
                let _ = raw.0.read_to_end(&mut closed).await;
                raw = Raw::dial(address).await;
            }
        });
    }
    flood
}

#[tokio::test]
async fn no_number_of_unauthenticated_connections_blocks_a_request_with_the_key() {
    // The second server has fewer slots than the flood has connections, so the rest wait to be
    // accepted.
    for (unauthenticated, count, asked) in
        [(ServerLimits::default().max_unauthenticated, 240, 20), (16, 400, 3)]
    {
        let limits =
            ServerLimits::default().max_unauthenticated(unauthenticated).auth_timeout(HOUR);
        let server = Serving::limited(limits).await;
        for openings in [&openings()[..1], &openings()[..]] {
            let _flood = flood(server.address, count, openings).await;
            for index in 0..asked {
                let answer = read(server.address, "/api/work").await;
                assert_eq!(answer.status(), 200, "{index} of {unauthenticated}: {answer:?}");
            }
        }
        server.stop().await;
    }
}

#[tokio::test]
async fn two_hundred_unauthenticated_connections_do_not_block_a_websocket_with_the_key() {
    // A grace period that is enough on a busy machine, and time to wait for the others' to pass.
    let (unauthenticated_grace, request_timeout) = (Duration::from_millis(750), TEST_TIMEOUT);
    let limits = ServerLimits::default()
        .auth_timeout(HOUR)
        .unauthenticated_grace(unauthenticated_grace)
        .request_timeout(request_timeout);
    let server = Serving::limited(limits).await;
    let flood = flood(server.address, 200, &openings()).await;
    let mut apps = Vec::new();
    for _ in 0..3 {
        apps.push(App::connect(server.address).await);
    }
    for app in &mut apps {
        assert!(app.so_far().await.is_empty(), "authenticated clients stay");
    }
    drop(flood);
    server.stop().await;
}

#[tokio::test]
async fn an_authenticated_client_is_not_displaced_while_its_lists_are_read() {
    let disk = Arc::new(HeldStore::default());
    let store: Arc<dyn Store> = Arc::<HeldStore>::clone(&disk);
    let unauthenticated_grace = Duration::from_millis(1);
    let limits =
        ServerLimits::default().max_unauthenticated(1).unauthenticated_grace(unauthenticated_grace);
    let rehearsal = Arc::new(Rehearsal::default());
    let server = Serving::with(rehearsal, |builder| builder.store(store).limits(limits)).await;
    let mut owner = App::dial(server.address).await;
    disk.hold_lists(true);
    owner.send(json!({ "type": "connect", "api_key": KEY, "protocol_version": "0.5.0" })).await;
    eventually_async("its lists are being read", async || {
        disk.lists_waiting.load(Ordering::SeqCst) > 0
    })
    .await;
    let _unauthenticated = App::dial(server.address).await;
    disk.hold_lists(false);
    owner.until("available_recipes").await;
    server.stop().await;
}

/// The socket that the `surefire` command uses.
async fn same_user(server: &Serving) -> UnixStream {
    UnixStream::connect(server.place.path().join("data/socket"))
        .await
        .expect("the server listens there")
}

#[tokio::test]
async fn a_process_of_the_same_user_does_not_wait_for_a_slot_but_needs_the_key() {
    // The flood may stay for an hour, and its wrong keys are answered only after one.
    let limits = ServerLimits::default()
        .auth_timeout(HOUR)
        .request_timeout(HOUR)
        .unauthenticated_grace(HOUR)
        .wrong_key_delay(HOUR);
    let server = Serving::limited(limits).await;
    let flood = flood(server.address, 64, &openings()).await;
    for (key, status) in [(KEY, "200"), ("wrong", "401"), (KEY, "200")] {
        let authorization = format!("Bearer {key}");
        let headers =
            [("Host", "localhost"), ("Authorization", &authorization), ("Connection", "close")];
        let mut stream = same_user(&server).await;
        let request = request("GET /api/runs", &headers);
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        assert_eq!(answer.split(' ').nth(1), Some(status), "{answer}");
    }
    drop(flood);
    server.stop().await;
}

#[tokio::test]
async fn a_displaced_unauthenticated_websocket_is_asked_to_retry() {
    let grace = Duration::from_millis(1);
    let limits = ServerLimits::default().max_unauthenticated(1).unauthenticated_grace(grace);
    let server = Serving::limited(limits).await;
    let mut displaced = App::dial(server.address).await;
    let mut owner = App::dial(server.address).await;
    let why = displaced.closed().await.expect("the server sends a close frame");
    assert_eq!(
        (why.code, why.reason.as_str()),
        (CloseCode::Again, "not authenticated, and others wait")
    );
    assert!(
        !displaced.kinds().contains(&"auth_error"),
        "after an auth_error the app would not reconnect"
    );
    owner.show_the_key().await;
    let _next = App::dial(server.address).await;
    assert!(owner.so_far().await.is_empty());
    server.stop().await;
}

/// A browser opens connections before it has requests for them, and shows a broken page if one is
/// reset.
#[tokio::test]
async fn a_displaced_connection_that_has_sent_nothing_can_still_send_a_request() {
    let grace = Duration::from_millis(1);
    let limits = ServerLimits::default().max_unauthenticated(1).unauthenticated_grace(grace);
    let server = Serving::limited(limits).await;
    let mut late = Raw::dial(server.address).await;
    for _ in 0..3 {
        let mut other = Raw::dial(server.address).await;
        other.send(request("GET /health", &[("Host", "localhost")])).await;
        assert_eq!(other.answer().await.status(), 200);
    }
    late.send(request("GET /health", &[("Host", "localhost")])).await;
    assert_eq!(late.answer().await.status(), 200);
    server.stop().await;
}

#[tokio::test]
async fn a_client_that_authenticates_when_the_server_is_full_is_asked_to_retry() {
    let server = Serving::limited(ServerLimits::default().max_connections(1)).await;
    let (mut first, mut second) =
        (App::dial(server.address).await, App::dial(server.address).await);
    first.show_the_key().await;
    let connect = json!({ "type": "connect", "api_key": KEY });
    second.send_raw(&frame(0x81, connect.to_string().as_bytes(), true)).await;
    let why = second.closed().await.expect("the server sends a close frame");
    assert_eq!((why.code, second.kinds()), (CloseCode::Again, vec!["hello"]));
    assert!(first.so_far().await.is_empty());
    server.stop().await;
}

#[tokio::test]
async fn a_server_that_was_killed_leaves_a_socket_that_the_next_one_replaces() {
    let server = Serving::limited(ServerLimits::default()).await;
    let place = server.stop().await;
    let socket = place.path().join("data/socket");
    assert!(!socket.exists(), "a server that stops removes its socket");
    drop(std::os::unix::net::UnixListener::bind(&socket).unwrap());
    let rehearsal = Arc::new(Rehearsal::default());
    let server = Serving::again_in(place, rehearsal.clone(), |builder| builder).await;
    same_user(&server).await;

    // The path of a socket has a short maximum length; a directory's may be longer.
    let deep = server.place.path().join("d".repeat(120));
    let second = Server::builder().recipes(surefire::recipes::BUNDLED).agent(rehearsal).data(&deep);
    let second = second.listen(([127, 0, 0, 1], 0)).bind().await.unwrap();
    assert_eq!(deep.join("socket").exists(), cfg!(target_os = "linux"));
    drop(second);
    server.stop().await;
}
