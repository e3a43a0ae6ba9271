//! Several browsers at once: each opens six connections for one page and keeps them alive.

use std::time::Duration;

use serde_json::json;
use surefire::server::ServerLimits;
use surefire_testkit::app::{KEY, Serving};

use crate::raw::{Answer, Raw, UPGRADE, frame, request};

/// A text, in one frame.
const TEXT: u8 = 0x81;

/// A time limit that no test reaches.
const LONG_TIMEOUT: Duration = Duration::from_secs(60 * 60);

async fn with_slots(unauthenticated: usize) -> Serving {
    let limits = ServerLimits::default()
        .max_unauthenticated(unauthenticated)
        .unauthenticated_grace(LONG_TIMEOUT)
        .request_timeout(LONG_TIMEOUT)
        .auth_timeout(LONG_TIMEOUT);
    Serving::limited(limits).await
}

/// Sends a request on a connection that stays open.
async fn ask(raw: &mut Raw, path: &str) -> Answer {
    raw.send(request(&format!("GET {path}"), &[("Host", "localhost")])).await;
    raw.answer().await
}

#[tokio::test]
async fn an_answered_connection_makes_room_for_a_waiting_one() {
    let server = with_slots(16).await;
    let mut kept = Vec::new();
    for _ in 0..60 {
        let mut raw = Raw::dial(server.address).await;
        assert_eq!(ask(&mut raw, "/console/main.js").await.status(), 200);
        kept.push(raw);
    }
    // Connections that made room were closed without further bytes. The last one stays, since no
    // other waits.
    let mut last = kept.pop().unwrap();
    for mut raw in kept.drain(..20) {
        assert_eq!(raw.rest().await, b"");
    }
    assert_eq!(ask(&mut last, "/health").await.status(), 200);
    server.stop().await;
}

#[tokio::test]
async fn a_request_begun_before_others_wait_is_still_answered() {
    let server = with_slots(1).await;
    let mut first = Raw::dial(server.address).await;
    assert_eq!(ask(&mut first, "/health").await.status(), 200);
    let mut second = Raw::dial(server.address).await;
    second.send("GET /health HT").await;
    assert_eq!(first.rest().await, b"", "it made room, so the second one has its slot");
    let mut third = Raw::dial(server.address).await;
    third.send(request("GET /ws", &[&[("Host", "localhost")], &UPGRADE[..]].concat())).await;
    second.send("TP/1.1\r\nHost: localhost\r\n\r\n").await;
    assert_eq!(second.answer().await.status(), 200);
    assert_eq!(second.rest().await, b"");

    // A WebSocket keeps its slot until it authenticates. From then on it needs none of these slots.
    assert_eq!(third.answer().await.status(), 101);
    let mut fourth = Raw::dial(server.address).await;
    fourth.send(request("GET /", &[("Host", "localhost")])).await;
    let connect = json!({ "type": "connect", "api_key": KEY, "protocol_version": "0.5.0" });
    third.send(frame(TEXT, connect.to_string().as_bytes(), true)).await;
    assert_eq!(fourth.answer().await.status(), 200);
    server.stop().await;
}

#[tokio::test]
async fn a_connection_that_waits_for_a_slot_does_not_delay_shutdown() {
    let server = with_slots(1).await;
    let mut silent = Raw::dial(server.address).await;
    silent.send(request("GET /ws", &[&[("Host", "localhost")], &UPGRADE[..]].concat())).await;
    assert_eq!(silent.answer().await.status(), 101);
    let mut waits = Raw::dial(server.address).await;
    waits.send(request("GET /", &[("Host", "localhost")])).await;
    server.stop().await;
    assert_eq!(waits.rest().await, b"");
}

#[tokio::test]
async fn an_upgrade_requested_while_others_wait_succeeds() {
    let server = with_slots(2).await;
    let upgrade = request("GET /ws", &[&[("Host", "localhost")], &UPGRADE[..]].concat());
    let (beginning, rest) = upgrade.split_at(20);
    let mut idle = Raw::dial(server.address).await;
    assert_eq!(ask(&mut idle, "/health").await.status(), 200);
    let mut socket = Raw::dial(server.address).await;
    socket.send(beginning).await;
    // One of them gets the idle connection's slot, and the other keeps waiting.
    let _waiting = [Raw::dial(server.address).await, Raw::dial(server.address).await];
    assert_eq!(idle.rest().await, b"");
    socket.send(rest).await;
    let answer = socket.answer().await;
    assert_eq!((answer.status(), answer.header("connection")), (101, Some("Upgrade")));
    server.stop().await;
}
