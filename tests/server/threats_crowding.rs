//! Clients without the key that try to keep the owner out by filling the server.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use serde_json::json;
use surefire::agent::Rehearsal;
use surefire::server::{Server, ServerLimits};
use surefire::store::Store;
use surefire_testkit::app::{App, KEY, PATIENCE, Serving};
use surefire_testkit::{HeldStore, eventually_async};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;
use tokio::task::JoinSet;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;

use crate::raw::{Raw, UPGRADE, frame, read, request};

/// So long that no connection goes because time has passed.
const HOUR: Duration = Duration::from_hours(1);

/// What a client without the key says on each of its connections, before it waits until it is closed.
fn openings() -> [String; 4] {
    let host = [("Host", "localhost")];
    let socket = request("GET /ws", &[&host[..], &UPGRADE[..]].concat());
    let guess = [host[0], ("Authorization", "Bearer untethered-00000000000000000000000000000000")];
    [String::new(), "GET / HT".to_owned(), socket, request("GET /api/runs", &guess)]
}

/// A crowd of so many connections, which are opened again as soon as they are closed. All of them were open once when this returns.
async fn crowd(address: SocketAddr, count: usize, openings: &[String]) -> JoinSet<()> {
    let mut crowd = JoinSet::new();
    for opening in openings.iter().cycle().take(count) {
        let opening = opening.clone();
        let mut raw = Raw::dial(address).await;
        crowd.spawn(async move {
            loop {
                raw.send(&opening).await;
                let mut closed = Vec::new();
                let _ = raw.0.read_to_end(&mut closed).await;
                raw = Raw::dial(address).await;
            }
        });
    }
    crowd
}

#[tokio::test]
async fn no_number_of_connections_without_a_key_keeps_a_request_out_that_shows_it() {
    // The second server accepts fewer connections than the crowd has, so that the others wait before they are.
    for (unauthenticated, count, asked) in [(ServerLimits::default().unauthenticated, 240, 20), (16, 400, 3)]
    {
        let limits = ServerLimits { unauthenticated, auth_time: HOUR, ..ServerLimits::default() };
        let server = Serving::limited(limits).await;
        for openings in [&openings()[..1], &openings()[..]] {
            let _crowd = crowd(server.address, count, openings).await;
            for index in 0..asked {
                let answer = read(server.address, "/api/work").await;
                assert_eq!(answer.status(), 200, "{index} of {unauthenticated}: {answer:?}");
            }
        }
        server.stop().await;
    }
}

#[tokio::test]
async fn two_hundred_connections_without_a_key_do_not_keep_a_client_out_that_shows_it_after_the_upgrade() {
    // A grace that is long enough for a busy machine, and time to wait for that of the others.
    let (unauthenticated_grace, request_time) = (Duration::from_millis(750), PATIENCE);
    let limits =
        ServerLimits { auth_time: HOUR, unauthenticated_grace, request_time, ..ServerLimits::default() };
    let server = Serving::limited(limits).await;
    let crowd = crowd(server.address, 200, &openings()).await;
    let mut friends = Vec::new();
    for _ in 0..3 {
        friends.push(App::connect(server.address).await);
    }
    for friend in &mut friends {
        assert!(friend.so_far().await.is_empty(), "who has shown the key stays");
    }
    drop(crowd);
    server.stop().await;
}

#[tokio::test]
async fn a_client_that_has_shown_the_key_is_not_displaced_while_its_lists_are_read() {
    let disk = Arc::new(HeldStore::default());
    let store: Arc<dyn Store> = Arc::<HeldStore>::clone(&disk);
    let unauthenticated_grace = Duration::from_millis(1);
    let limits = ServerLimits { unauthenticated: 1, unauthenticated_grace, ..ServerLimits::default() };
    let rehearsal = Arc::new(Rehearsal::default());
    let server = Serving::with(rehearsal, |builder| builder.store(store).limits(limits)).await;
    let mut owner = App::dial(server.address).await;
    disk.hold_lists(true);
    owner.send(json!({ "type": "connect", "api_key": KEY, "protocol_version": "0.5.0" })).await;
    eventually_async("its lists are being read", async || disk.lists_waiting.load(Ordering::SeqCst) > 0)
        .await;
    let _stranger = App::dial(server.address).await;
    disk.hold_lists(false);
    owner.until("available_recipes").await;
    server.stop().await;
}

/// The socket that the `surefire` command uses.
async fn same_user(server: &Serving) -> UnixStream {
    UnixStream::connect(server.place.path().join("data/socket")).await.expect("the server listens there")
}

#[tokio::test]
async fn a_process_of_the_same_user_waits_for_no_crowd_and_needs_the_key_all_the_same() {
    // However long the crowd may stay, and however late it is answered.
    let limits = ServerLimits {
        auth_time: HOUR,
        request_time: HOUR,
        unauthenticated_grace: HOUR,
        wrong_key_delay: HOUR,
        ..ServerLimits::default()
    };
    let server = Serving::limited(limits).await;
    let crowd = crowd(server.address, 64, &openings()).await;
    for (key, status) in [(KEY, "200"), ("wrong", "401"), (KEY, "200")] {
        let authorization = format!("Bearer {key}");
        let headers = [("Host", "localhost"), ("Authorization", &authorization), ("Connection", "close")];
        let mut stream = same_user(&server).await;
        let asking = request("GET /api/runs", &headers);
        stream.write_all(asking.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        assert_eq!(answer.split(' ').nth(1), Some(status), "{answer}");
    }
    drop(crowd);
    server.stop().await;
}

#[tokio::test]
async fn a_socket_that_makes_room_before_it_has_shown_the_key_is_told_to_come_again() {
    let grace = Duration::from_millis(1);
    let limits = ServerLimits { unauthenticated: 1, unauthenticated_grace: grace, ..ServerLimits::default() };
    let server = Serving::limited(limits).await;
    let mut stranger = App::dial(server.address).await;
    let mut owner = App::dial(server.address).await;
    let why = stranger.closed().await.expect("it is told why");
    assert_eq!((why.code, why.reason.as_str()), (CloseCode::Again, "not authenticated, and others wait"));
    assert!(!stranger.kinds().contains(&"auth_error"), "the app would not come back");
    owner.show_the_key().await;
    let _next = App::dial(server.address).await;
    assert!(owner.so_far().await.is_empty());
    server.stop().await;
}

/// A browser opens connections ahead of what it asks, and shows a broken page if one of them is reset.
#[tokio::test]
async fn a_connection_that_makes_room_before_it_has_said_anything_can_still_ask() {
    let grace = Duration::from_millis(1);
    let limits = ServerLimits { unauthenticated: 1, unauthenticated_grace: grace, ..ServerLimits::default() };
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
async fn a_client_that_shows_the_key_when_the_server_is_full_is_told_to_come_again() {
    let server = Serving::limited(ServerLimits { connections: 1, ..ServerLimits::default() }).await;
    let (mut first, mut second) = (App::dial(server.address).await, App::dial(server.address).await);
    first.show_the_key().await;
    let connect = json!({ "type": "connect", "api_key": KEY });
    second.send_raw(&frame(0x81, connect.to_string().as_bytes(), true)).await;
    let why = second.closed().await.expect("it is told why");
    assert_eq!((why.code, second.kinds()), (CloseCode::Again, vec!["hello"]));
    assert!(first.so_far().await.is_empty());
    server.stop().await;
}

#[tokio::test]
async fn a_server_that_was_killed_leaves_a_socket_that_the_next_one_replaces() {
    let server = Serving::limited(ServerLimits::default()).await;
    let place = server.stop().await;
    let socket = place.path().join("data/socket");
    assert!(!socket.exists(), "a server that stops takes it along");
    drop(std::os::unix::net::UnixListener::bind(&socket).unwrap());
    let rehearsal = Arc::new(Rehearsal::default());
    let server = Serving::again_in(place, rehearsal.clone(), |builder| builder).await;
    same_user(&server).await;

    // A socket's path must be short; its directory's need not be.
    let deep = server.place.path().join("d".repeat(120));
    let second = Server::builder().recipes(surefire::recipes::BUNDLED).agent(rehearsal).data(&deep);
    let second = second.listen(([127, 0, 0, 1], 0)).bind().await.unwrap();
    assert_eq!(deep.join("socket").exists(), cfg!(target_os = "linux"));
    drop(second);
    server.stop().await;
}
