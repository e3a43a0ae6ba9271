//! Several browsers at once: each takes six connections for one page, and keeps them in case it needs them again.

use std::time::Duration;

use serde_json::json;
use surefire::server::ServerLimits;
use surefire_testkit::app::{KEY, Serving};

use crate::raw::{Answer, Raw, UPGRADE, frame, request};

/// A text, in one frame.
const TEXT: u8 = 0x81;

/// So long that nothing happens here because time has passed.
const LONG: Duration = Duration::from_hours(1);

async fn crowded(unauthenticated: usize) -> Serving {
    let limits = ServerLimits {
        unauthenticated,
        unauthenticated_grace: LONG,
        request_time: LONG,
        auth_time: LONG,
        ..ServerLimits::default()
    };
    Serving::limited(limits).await
}

/// What is answered on a connection that stays.
async fn ask(raw: &mut Raw, path: &str) -> Answer {
    raw.send(request(&format!("GET {path}"), &[("Host", "localhost")])).await;
    raw.answer().await
}

#[tokio::test]
async fn whoever_was_answered_makes_room_for_whoever_waits() {
    let server = crowded(16).await;
    let mut kept = Vec::new();
    for _ in 0..60 {
        let mut raw = Raw::dial(server.address).await;
        assert_eq!(ask(&mut raw, "/console/main.js").await.status(), 200);
        kept.push(raw);
    }
    // Those who had to go were told nothing but that; where nobody waits, nobody has to.
    let mut last = kept.pop().unwrap();
    for mut raw in kept.drain(..20) {
        assert_eq!(raw.rest().await, b"");
    }
    assert_eq!(ask(&mut last, "/health").await.status(), 200);
    server.stop().await;
}

#[tokio::test]
async fn what_was_asked_before_the_crowd_came_is_answered_all_the_same() {
    let server = crowded(1).await;
    let mut first = Raw::dial(server.address).await;
    assert_eq!(ask(&mut first, "/health").await.status(), 200);
    let mut second = Raw::dial(server.address).await;
    second.send("GET /health HT").await;
    assert_eq!(first.rest().await, b"", "it has made room, so the second one is in");
    let mut third = Raw::dial(server.address).await;
    third.send(request("GET /ws", &[&[("Host", "localhost")], &UPGRADE[..]].concat())).await;
    second.send("TP/1.1\r\nHost: localhost\r\n\r\n").await;
    assert_eq!(second.answer().await.status(), 200);
    assert_eq!(second.rest().await, b"");

    // A socket stays until it has shown the key, and is none of the strangers from then on.
    assert_eq!(third.answer().await.status(), 101);
    let mut fourth = Raw::dial(server.address).await;
    fourth.send(request("GET /", &[("Host", "localhost")])).await;
    let connect = json!({ "type": "connect", "api_key": KEY, "protocol_version": "0.5.0" });
    third.send(frame(TEXT, connect.to_string().as_bytes(), true)).await;
    assert_eq!(fourth.answer().await.status(), 200);
    server.stop().await;
}

#[tokio::test]
async fn whoever_waits_for_a_place_does_not_keep_the_server_from_stopping() {
    let server = crowded(1).await;
    let mut silent = Raw::dial(server.address).await;
    silent.send(request("GET /ws", &[&[("Host", "localhost")], &UPGRADE[..]].concat())).await;
    assert_eq!(silent.answer().await.status(), 101);
    let mut waits = Raw::dial(server.address).await;
    waits.send(request("GET /", &[("Host", "localhost")])).await;
    server.stop().await;
    assert_eq!(waits.rest().await, b"");
}

#[tokio::test]
async fn a_socket_that_is_asked_for_while_others_wait_begins_as_any_other() {
    let server = crowded(2).await;
    let asking = request("GET /ws", &[&[("Host", "localhost")], &UPGRADE[..]].concat());
    let (begin, rest) = asking.split_at(20);
    let mut idle = Raw::dial(server.address).await;
    assert_eq!(ask(&mut idle, "/health").await.status(), 200);
    let mut socket = Raw::dial(server.address).await;
    socket.send(begin).await;
    // One of them gets the place of whoever is idle, and the other one goes on waiting.
    let _waiting = [Raw::dial(server.address).await, Raw::dial(server.address).await];
    assert_eq!(idle.rest().await, b"");
    socket.send(rest).await;
    let answer = socket.answer().await;
    assert_eq!((answer.status(), answer.header("connection")), (101, Some("Upgrade")));
    server.stop().await;
}
