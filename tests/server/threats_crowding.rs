//! Clients without the key that try to keep the owner out by filling the server.

use std::net::SocketAddr;
use std::time::Duration;

use serde_json::json;
use surefire::server::{Server, ServerLimits};
use surefire_testkit::app::{App, KEY, Serving};
use surefire_testkit::eventually_async;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;
use tokio::task::JoinSet;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;

use crate::raw::{Raw, UPGRADE, frame, read, request};

/// As many connections as the server allows clients.
const CROWD: usize = 64;

/// What a client without the key says on each of its connections, before it waits until it is closed.
fn openings() -> [String; 4] {
    let host = [("Host", "localhost")];
    let socket = request("GET /ws", &[&host[..], &UPGRADE[..]].concat());
    let guess = [host[0], ("Authorization", "Bearer untethered-00000000000000000000000000000000")];
    [String::new(), "GET / HT".to_owned(), socket, request("GET /api/runs", &guess)]
}

/// A crowd whose connections are opened again as soon as they are closed. All of them were accepted once when this returns.
async fn crowd(address: SocketAddr) -> JoinSet<()> {
    let mut crowd = JoinSet::new();
    for index in 0..CROWD {
        let opening = openings()[index % 4].clone();
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

/// A server where no connection goes because time has passed.
async fn crowded() -> Serving {
    let hour = Duration::from_hours(1);
    let limits = ServerLimits { auth_time: hour, ..ServerLimits::default() };
    Serving::limited(limits).await
}

#[tokio::test]
async fn sixty_four_connections_without_a_key_do_not_keep_the_owner_out() {
    let server = crowded().await;
    let crowd = crowd(server.address).await;
    for _ in 0..3 {
        // A client that is told to come again does so.
        eventually_async("a request with the key is answered", async || {
            read(server.address, "/api/runs").await.status() == 200
        })
        .await;
    }
    let mut friends = Vec::new();
    for _ in 0..3 {
        eventually_async("a client with the key gets in", async || {
            let Some(mut app) = App::try_dial(server.address).await else { return false };
            app.send(json!({ "type": "connect", "api_key": KEY })).await;
            // Where this machine is so slow that its grace is over before that, it comes again.
            while let Ok(message) = app.try_next().await {
                if message["type"] == "available_recipes" {
                    friends.push(app);
                    return true;
                }
            }
            false
        })
        .await;
    }
    for friend in &mut friends {
        assert!(friend.so_far().await.is_empty(), "who has shown the key stays");
    }
    drop(crowd);
    server.stop().await;
}

/// The socket that the `surefire` command uses.
async fn same_user(server: &Serving) -> UnixStream {
    UnixStream::connect(server.place.path().join("data/socket")).await.expect("the server listens there")
}

#[tokio::test]
async fn a_process_of_the_same_user_waits_for_no_crowd_and_needs_the_key_all_the_same() {
    // However long the crowd may stay, and however late it is answered.
    let hour = Duration::from_hours(1);
    let limits = ServerLimits {
        auth_time: hour,
        request_time: hour,
        unauthenticated_grace: hour,
        wrong_key_delay: hour,
        ..ServerLimits::default()
    };
    let server = Serving::limited(limits).await;
    let crowd = crowd(server.address).await;
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
    let server = crowded().await;
    let place = server.stop().await;
    let socket = place.path().join("data/socket");
    assert!(!socket.exists(), "a server that stops takes it along");
    drop(std::os::unix::net::UnixListener::bind(&socket).unwrap());
    let rehearsal = std::sync::Arc::new(surefire::agent::Rehearsal::default());
    let server = Serving::again_in(place, rehearsal.clone(), |builder| builder).await;
    same_user(&server).await;

    // Where there is no room for a socket, the address has to do.
    let deep = server.place.path().join("d".repeat(120));
    let second = Server::builder().recipes(surefire::recipes::BUNDLED).agent(rehearsal).data(&deep);
    let second = second.listen(([127, 0, 0, 1], 0)).bind().await.unwrap();
    assert!(!deep.join("socket").exists());
    drop(second);
    server.stop().await;
}
