//! A client that breaks the rules, with or without the key.

use std::io::Write;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use futures_util::StreamExt;
use serde_json::json;
use surefire::agent::Script;
use surefire::server::ServerLimits;
use surefire_testkit::app::{App, Serving, TEST_TIMEOUT};
use surefire_testkit::eventually_async;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpSocket;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;

use crate::raw::{Raw, UPGRADE, ask, frame, head, request};

const KIB: usize = 1024;

/// The first byte of a text message's last frame.
const TEXT: u8 = 0x81;

/// A time limit that tests wait for.
const SHORT_TIMEOUT: Duration = Duration::from_millis(200);

/// Limits that displace no connection, for tests of what else ends one.
fn no_displacement() -> ServerLimits {
    ServerLimits::default().unauthenticated_grace(TEST_TIMEOUT * 2)
}

/// Whether the server has a free slot for a new connection.
async fn has_free_slot(address: SocketAddr) -> bool {
    ask(address, "GET /health", &[]).await.status() == 200
}

/// A message of exactly this many bytes, of an unknown type.
fn of_size(bytes: usize) -> String {
    let (before, after) = (r#"{"type":"nonsense","x":""#, r#""}"#);
    format!("{before}{}{after}", "x".repeat(bytes - before.len() - after.len()))
}

/// The beginning of a text frame that announces this many bytes.
fn announcing(bytes: u64) -> Vec<u8> {
    [head(TEXT, bytes, true), vec![0; 4]].concat()
}

async fn close_code(app: &mut App) -> Option<CloseCode> {
    app.closed().await.map(|frame| frame.code)
}

#[tokio::test]
async fn a_message_of_256_kib_is_read_and_a_larger_one_closes_the_socket() {
    let server = Serving::rehearsing(Script::Happy).await;
    let mut app = App::connect(server.address).await;
    app.send_text(of_size(256 * KIB)).await;
    assert_eq!(app.next().await["code"], "unknown_message_type");
    app.send_raw(&frame(TEXT, of_size(256 * KIB + 1).as_bytes(), true)).await;
    assert_eq!(close_code(&mut app).await, Some(CloseCode::Size));
}

#[tokio::test]
async fn the_size_limit_holds_for_a_message_in_many_frames() {
    let server = Serving::rehearsing(Script::Happy).await;
    for (size, fits) in [(256 * KIB, true), (256 * KIB + 1, false)] {
        let mut app = App::connect(server.address).await;
        let text = of_size(size);
        let (parts, mut bytes) = (text.as_bytes().chunks(1000), Vec::new());
        let last = parts.len() - 1;
        for (index, part) in parts.enumerate() {
            let first = u8::from(index == 0) | if index == last { 0x80 } else { 0 };
            bytes.extend(frame(first, part, true));
        }
        app.send_raw(&bytes).await;
        if fits {
            assert_eq!(app.next().await["code"], "unknown_message_type");
        } else {
            assert_eq!(close_code(&mut app).await, Some(CloseCode::Size));
        }
    }
}

#[tokio::test]
async fn frames_that_break_the_rules_close_the_socket_before_and_after_the_key() {
    let server = Serving::rehearsing(Script::Happy).await;
    let (broken, large) =
        ([CloseCode::Protocol, CloseCode::Invalid], [CloseCode::Size, CloseCode::Size]);
    let table = [
        ("announces a terabyte", announcing(1 << 40), large),
        ("announces the largest valid length", announcing(u64::MAX >> 1), large),
        ("announces more than the largest valid length", announcing(u64::MAX), large),
        ("not masked", frame(TEXT, b"{}", false), broken),
        ("a reserved bit", frame(TEXT | 0x40, b"{}", true), broken),
        ("all reserved bits", frame(TEXT | 0x70, b"{}", true), broken),
        ("a reserved opcode", frame(0x83, b"{}", true), broken),
        ("a reserved control opcode", frame(0x8b, b"", true), broken),
        ("not UTF-8", frame(TEXT, b"{\"type\": \"\xff\xfe\"}", true), broken),
        ("UTF-8 that is cut off", frame(TEXT, b"\"\xe2\x82", true), broken),
        ("a ping of 126 bytes", frame(0x89, &[b'x'; 126], true), broken),
        ("a ping in parts", frame(0x09, b"x", true), broken),
        ("a close frame of one byte", frame(0x88, b"x", true), broken),
        (
            "a close frame with a code that must not be sent",
            frame(0x88, &1005_u16.to_be_bytes(), true),
            broken,
        ),
        ("a continuation without a beginning", frame(0x80, b"x", true), broken),
        ("two beginnings", [frame(1, b"x", true), frame(1, b"x", true)].concat(), broken),
        ("an HTTP request", request("GET /", &[("Host", "localhost")]).into_bytes(), broken),
    ];
    for (what, bytes, codes) in table {
        for authenticates in [false, true] {
            let mut app = App::dial(server.address).await;
            if authenticates {
                app.show_the_key().await;
            }
            app.send_raw(&bytes).await;
            let code = close_code(&mut app).await;
            assert!(code.is_some_and(|code| codes.contains(&code)), "{what}: {code:?}");
        }
    }
}

#[tokio::test]
async fn binary_frames_and_deep_nesting_are_refused_and_the_socket_stays_open() {
    let server = Serving::rehearsing(Script::Happy).await;
    for authenticates in [false, true] {
        let mut app = App::dial(server.address).await;
        if authenticates {
            app.show_the_key().await;
        }
        app.send_raw(&frame(0x82, b"\0\xff\0", true)).await;
        app.send_raw(&frame(0x82, &vec![0; 256 * KIB], true)).await;
        app.send_text("[".repeat(10_000)).await;
        app.send_text(format!("{}{}", r#"{"a":"#.repeat(10_000), "}".repeat(10_000))).await;
        let answers = app.so_far().await;
        assert_eq!(answers.len(), 4, "{answers:?}");
        assert!(answers.iter().all(|answer| answer["code"] == "invalid_message"), "{answers:?}");
    }
}

#[tokio::test]
async fn a_burst_is_answered_in_order_at_the_servers_pace() {
    let limits = ServerLimits::default()
        .message_burst(50)
        .messages_per_second(1000)
        .flood_timeout(TEST_TIMEOUT);
    let server = Serving::limited(limits).await;
    let mut app = App::connect(server.address).await;
    let (began, before) = (Instant::now(), app.heard.len());
    let messages = (0..500).map(|n| {
        let message =
            if n % 3 == 0 { json!({ "type": "ping" }) } else { json!({ "type": format!("x{n}") }) };
        frame(TEXT, message.to_string().as_bytes(), true)
    });
    app.send_raw(&messages.flatten().collect::<Vec<_>>()).await;
    for _ in 0..500 {
        app.next().await;
    }
    assert!(began.elapsed() >= Duration::from_millis(440), "{:?}", began.elapsed());
    for (n, answer) in app.heard[before..].iter().enumerate() {
        let expected =
            if n % 3 == 0 { "pong".to_owned() } else { format!("Unknown message type: x{n}") };
        assert!(answer["type"] == *expected || answer["message"] == *expected, "{n}: {answer}");
    }
    assert!(app.so_far().await.is_empty());
}

#[tokio::test]
async fn a_flooding_client_is_disconnected_as_rate_limited_and_others_are_not_affected() {
    let limits = ServerLimits::default()
        .message_burst(50)
        .messages_per_second(20)
        .flood_timeout(Duration::from_millis(500));
    let server = Serving::limited(limits).await;
    for authenticates in [false, true] {
        let (mut flooder, mut other) =
            (App::dial(server.address).await, App::connect(server.address).await);
        if authenticates {
            flooder.show_the_key().await;
        }
        let (began, before) = (Instant::now(), flooder.heard.len());
        flooder.send_raw(&frame(TEXT, br#"{"type":"ping"}"#, true).repeat(10_000)).await;
        for _ in 0..20 {
            assert!(other.so_far().await.is_empty());
        }
        assert_eq!(close_code(&mut flooder).await, Some(CloseCode::Policy));
        let max_answers = 50.0 + 20.0 * began.elapsed().as_secs_f64() + 2.0;
        let received = &flooder.heard[before..];
        let count = f64::from(u32::try_from(received.len()).unwrap());
        assert!(count <= max_answers && count > 50.0, "{} answers", received.len());
        assert_eq!(received.last().unwrap()["code"], "rate_limited");
        assert!(other.so_far().await.is_empty());
    }
}

/// Connects as soon as there is a free slot.
async fn connect_when_free(address: SocketAddr) -> App {
    let mut app = None;
    eventually_async("a slot is free", async || {
        app = App::try_dial(address).await;
        app.is_some()
    })
    .await;
    app.expect("it connected")
}

#[tokio::test]
async fn connections_are_limited_and_a_client_that_leaves_frees_its_slot() {
    let server = Serving::limited(ServerLimits::default().max_connections(3)).await;
    let mut apps = Vec::new();
    for _ in 0..3 {
        apps.push(App::connect(server.address).await);
    }
    for how in ["close frame", "disconnect", "reset", "within a frame", "half-closed", "wrong key"]
    {
        let mut raw = Raw::dial(server.address).await;
        raw.send(request("GET /", &[("Host", "localhost")])).await;
        let full = raw.answer().await;
        assert_eq!((full.status(), full.header("retry-after")), (503, Some("1")), "{full:?}");
        assert_eq!(full.header("connection"), Some("close"));
        assert_eq!(full.header("cache-control"), Some("no-store"), "{full:?}");
        assert_eq!(full.header("x-content-type-options"), Some("nosniff"), "{full:?}");
        assert_eq!(raw.rest().await, b"", "nothing follows the announced body");
        assert!(App::try_dial(server.address).await.is_none());
        assert!(apps[2].so_far().await.is_empty(), "connected clients stay");

        let mut app = apps.remove(0);
        match how {
            "close frame" => app.socket.close(None).await.unwrap(),
            "disconnect" => {}
            "reset" => app.socket.get_mut().set_zero_linger().unwrap(),
            "within a frame" => app.send_raw(&frame(TEXT, b"{}", true)[..4]).await,
            "half-closed" => {
                app.socket.get_mut().shutdown().await.unwrap();
                assert_eq!(close_code(&mut app).await, None, "the server closes too");
            }
            _ => {
                app.send(json!({ "type": "connect", "api_key": "wrong" })).await;
                assert_eq!(close_code(&mut app).await, Some(CloseCode::Policy));
            }
        }
        drop(app);
        apps.push(connect_when_free(server.address).await);
        apps[2].show_the_key().await;
    }
}

#[tokio::test]
async fn unauthenticated_connections_have_few_slots_and_authenticating_frees_one() {
    let limits = no_displacement().max_unauthenticated(2).request_timeout(SHORT_TIMEOUT);
    let server = Serving::limited(limits).await;
    let (mut one, two) = (App::dial(server.address).await, App::dial(server.address).await);
    assert!(App::try_dial(server.address).await.is_none());
    assert!(!has_free_slot(server.address).await);
    one.show_the_key().await;
    assert!(
        has_free_slot(server.address).await,
        "at once: the slot is freed before the answer is sent"
    );
    let mut authenticated = vec![one];
    for _ in 0..5 {
        authenticated.push(connect_when_free(server.address).await);
        authenticated.last_mut().unwrap().show_the_key().await;
    }
    for app in &mut authenticated {
        assert!(app.so_far().await.is_empty());
    }
    drop(two);
}

#[tokio::test]
async fn a_request_that_is_never_completed_is_cut_off() {
    let limits = no_displacement().max_unauthenticated(1).request_timeout(SHORT_TIMEOUT);
    let server = Serving::limited(limits).await;
    let whole = request("GET /health", &[("Host", "localhost")]);
    let beginnings = [
        "",
        "G",
        "GET /health HTTP/1.1",
        "GET /health HTTP/1.1\r\nHost: lo",
        &whole[..whole.len() - 1],
    ];
    for beginning in beginnings {
        let mut raw = Raw::dial(server.address).await;
        raw.send(beginning).await;
        let began = Instant::now();
        raw.rest().await;
        assert!(began.elapsed() < Duration::from_secs(5), "{beginning:?}: {:?}", began.elapsed());
        eventually_async("the slot is free", async || has_free_slot(server.address).await).await;
    }
    // Each byte arrives in time, but the limit is for the whole request.
    let mut raw = Raw::dial(server.address).await;
    let dripping = async {
        loop {
            if raw.0.write_all(b"x").await.is_err()
                || raw.0.try_read(&mut [0; 512]).is_ok_and(|read| read == 0)
            {
                return;
            }
            tokio::time::sleep(SHORT_TIMEOUT / 10).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(5), dripping).await.expect("it is cut off");
    eventually_async("the slot is free", async || has_free_slot(server.address).await).await;
}

#[tokio::test]
async fn an_idle_connection_is_closed() {
    let limits = no_displacement().max_unauthenticated(1).request_timeout(Duration::from_secs(1));
    let server = Serving::limited(limits).await;
    let host = ("Host", "localhost");
    let mut raw = Raw::dial(server.address).await;
    for _ in 0..3 {
        raw.send(request("GET /health", &[host])).await;
        assert_eq!(raw.answer().await.status(), 200);
    }
    assert_eq!(raw.rest().await, b"");
    eventually_async("the slot is free", async || has_free_slot(server.address).await).await;

    // A body that is announced and never sent.
    for line in ["GET /health", "POST /", "GET /"] {
        let mut raw = Raw::dial(server.address).await;
        raw.send(request(line, &[host, ("Content-Length", "100")])).await;
        raw.rest().await;
        eventually_async("the slot is free", async || has_free_slot(server.address).await).await;
    }
}

#[tokio::test]
async fn an_upgrade_that_is_never_completed_frees_its_slot() {
    let limits = no_displacement()
        .max_unauthenticated(1)
        .request_timeout(SHORT_TIMEOUT)
        .auth_timeout(SHORT_TIMEOUT);
    let server = Serving::limited(limits).await;
    let upgrade = [&[("Host", "localhost")], &UPGRADE[..]].concat();
    for extra in [&[][..], &[("Content-Length", "100")], &[("Transfer-Encoding", "chunked")]] {
        for stays in [true, false] {
            let mut raw = Raw::dial(server.address).await;
            raw.send(request("GET /ws", &[&upgrade, extra].concat())).await;
            if !stays {
                raw.0.set_zero_linger().unwrap();
                drop(raw);
                eventually_async("the slot is free", async || has_free_slot(server.address).await)
                    .await;
                continue;
            }
            eventually_async("the slot is free", async || has_free_slot(server.address).await)
                .await;
            drop(raw);
        }
    }
}

#[tokio::test]
async fn an_http_client_that_does_not_read_its_answers_is_disconnected() {
    let limits = no_displacement().max_unauthenticated(1).request_timeout(SHORT_TIMEOUT);
    let server = Serving::limited(limits).await;
    let raw = TcpSocket::new_v4().unwrap();
    raw.set_recv_buffer_size(4096).unwrap();
    let mut raw = Raw(raw.connect(server.address).await.unwrap());
    let many = request("GET /", &[("Host", "localhost")]).repeat(50_000);
    // As much as the server reads before it blocks on its answers.
    let _ = tokio::time::timeout(SHORT_TIMEOUT * 2, raw.send(many)).await;
    eventually_async("the slot is free", async || has_free_slot(server.address).await).await;
    drop(raw);
}

#[tokio::test]
async fn endless_fragments_of_a_message_do_not_extend_the_authentication_deadline() {
    let limits = no_displacement().max_unauthenticated(1).auth_timeout(SHORT_TIMEOUT);
    let server = Serving::limited(limits).await;
    let mut app = App::dial(server.address).await;
    app.send_raw(&frame(1, b"x", true)).await;
    // A thread of its own writes, so that the server always has more to read.
    let stream = app.socket.into_inner().into_std().unwrap();
    stream.set_nonblocking(false).unwrap();
    let writing = tokio::task::spawn_blocking(move || {
        let pieces = frame(0, b"", true).repeat(100_000);
        while (&stream).write_all(&pieces).is_ok() {}
    });
    // The writes fail once the server has closed the connection.
    tokio::time::timeout(TEST_TIMEOUT, writing).await.expect("the deadline is enforced").unwrap();
    eventually_async("the slot is free", async || has_free_slot(server.address).await).await;
}

#[tokio::test]
async fn an_unauthenticated_client_that_is_silent_or_only_pings_is_disconnected() {
    let server = Serving::limited(ServerLimits::default().auth_timeout(SHORT_TIMEOUT * 2)).await;
    for pings in [false, true] {
        let mut app = App::dial(server.address).await;
        let frame = loop {
            if pings {
                app.send_raw(&frame(TEXT, br#"{"type":"ping"}"#, true)).await;
            }
            match app.try_next().await {
                Ok(pong) => assert_eq!(pong["type"], "pong"),
                Err(frame) => break frame.expect("the server sends a close frame"),
            }
        };
        assert_eq!(
            (frame.code, frame.reason.as_str()),
            (CloseCode::Policy, "not authenticated in time")
        );
        assert!(
            !app.kinds().contains(&"auth_error"),
            "after an auth_error the app would not reconnect"
        );
    }
}

#[tokio::test]
async fn a_silent_client_is_disconnected_and_one_that_answers_pings_stays() {
    let server = Serving::limited(
        ServerLimits::default().max_connections(2).client_timeout(Duration::from_secs(2)),
    )
    .await;
    let (mut awake, mut asleep) =
        (App::connect(server.address).await, App::connect(server.address).await);
    // The WebSocket library answers pings only while it is polled.
    let mut pings = 0;
    while pings < 2 {
        let message =
            tokio::time::timeout(TEST_TIMEOUT, awake.socket.next()).await.expect("a ping comes");
        pings += usize::from(matches!(message, Some(Ok(Message::Ping(_)))));
    }
    let awake = tokio::spawn(async move {
        while let Some(Ok(message)) = awake.socket.next().await {
            if message.is_text() {
                return awake;
            }
        }
        panic!("it answers pings, so it stays connected");
    });
    let mut next = connect_when_free(server.address).await;
    let why = asleep.closed().await.expect("the server sends a close frame");
    assert_eq!(
        (why.code, why.reason.as_str()),
        (CloseCode::Away, "the client sent nothing for too long")
    );
    next.show_the_key().await;
    next.send(json!({ "type": "set_orchestration", "enabled": true })).await;
    awake.await.unwrap();
}

/// The offsets of all history messages that a client has received.
fn offsets(app: &App) -> Vec<u64> {
    let histories = app.heard.iter().filter(|message| message["type"] == "session_history");
    let messages = histories.flat_map(|history| history["messages"].as_array().unwrap());
    messages.map(|message| message["offset"].as_u64().unwrap()).collect()
}

#[tokio::test]
async fn a_slow_reader_is_disconnected_and_no_other_client_waits_for_it() {
    let limits = ServerLimits::default()
        .max_connections(2)
        .max_queued_messages(8)
        .max_queued_bytes(1 << 20)
        .message_burst(1000);
    let server = Serving::limited(limits).await;
    let mut fast = App::connect(server.address).await;
    let session = "11111111-2222-4333-8444-555555555555";
    let prompt = |text: &str| {
        let directory = server.project();
        json!({ "type": "prompt", "text": text, "new_session_id": session, "working_directory": directory })
    };
    fast.send(prompt("hello")).await;
    fast.until("turn_complete").await;

    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(4096).unwrap();
    let mut slow = App::over(socket.connect(server.address).await.unwrap()).await.unwrap();
    slow.show_the_key().await;
    slow.send(json!({ "type": "subscribe", "session_id": session })).await;
    slow.until("session_history").await;
    // From here on this client reads nothing.
    let words = "w".repeat(200_000);
    for _ in 0..60 {
        let began = Instant::now();
        fast.send(prompt(&words)).await;
        fast.until("turn_complete").await;
        assert!(began.elapsed() < Duration::from_secs(5), "no client waits: {:?}", began.elapsed());
    }
    let received = offsets(&fast);
    assert_eq!(received, (0..received.len() as u64).collect::<Vec<_>>(), "all of it, in order");
    assert_eq!(received.len(), 122);
    let third = connect_when_free(server.address).await;
    let code = close_code(&mut slow).await;
    assert!(matches!(code, None | Some(CloseCode::Again)), "{code:?}");
    let received = offsets(&slow);
    assert_eq!(
        received,
        (0..received.len() as u64).collect::<Vec<_>>(),
        "in order, as far as it read"
    );
    assert!(received.len() < 122);
    drop(third);
}

#[tokio::test]
async fn a_client_that_does_not_read_its_answers_is_disconnected() {
    let limits = ServerLimits::default().max_connections(1).write_timeout(SHORT_TIMEOUT);
    let server = Serving::limited(limits).await;
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(4096).unwrap();
    let mut slow = App::over(socket.connect(server.address).await.unwrap()).await.unwrap();
    slow.show_the_key().await;
    // Each answer repeats the message's long session id.
    let large =
        json!({ "type": "infer_session_name", "session_id": "s".repeat(200_000) }).to_string();
    let _ = tokio::time::timeout(
        TEST_TIMEOUT / 4,
        slow.send_raw(&frame(TEXT, large.as_bytes(), true).repeat(60)),
    )
    .await;
    connect_when_free(server.address).await;
    let code = close_code(&mut slow).await;
    assert!(matches!(code, None | Some(CloseCode::Again)), "{code:?}");
}

#[tokio::test]
async fn websocket_pings_are_answered() {
    let server = Serving::rehearsing(Script::Happy).await;
    for authenticates in [false, true] {
        let mut app = App::dial(server.address).await;
        if authenticates {
            app.show_the_key().await;
        }
        app.send_raw(&frame(0x89, b"are you there", true)).await;
        loop {
            let next = tokio::time::timeout(TEST_TIMEOUT, app.socket.next())
                .await
                .expect("it is answered");
            match next.expect("it stays").expect("it stays") {
                Message::Pong(words) => break assert_eq!(&words[..], b"are you there"),
                other => assert!(other.is_text(), "{other:?}"),
            }
        }
    }
}

#[tokio::test]
async fn extreme_limits_do_not_break_the_server() {
    let forever = Duration::MAX;
    let limits = ServerLimits::default()
        .max_connections(usize::MAX)
        .max_unauthenticated(usize::MAX)
        .unauthenticated_grace(forever)
        .request_timeout(forever)
        .auth_timeout(forever)
        .max_wrong_keys(u32::MAX)
        .wrong_key_delay(forever)
        .max_message_bytes(usize::MAX)
        .messages_per_second(u32::MAX)
        .message_burst(u32::MAX)
        .flood_timeout(forever)
        .max_queued_messages(usize::MAX)
        .max_queued_bytes(usize::MAX)
        .write_timeout(forever)
        .client_timeout(forever)
        .max_reply_bytes(usize::MAX);
    let server = Serving::limited(limits).await;
    assert!(has_free_slot(server.address).await);
    let mut app = App::connect(server.address).await;
    app.send_text(of_size(300 * KIB)).await;
    assert_eq!(app.next().await["code"], "unknown_message_type");
    let nothing = ServerLimits::default()
        .max_connections(0)
        .max_unauthenticated(0)
        .max_wrong_keys(0)
        .messages_per_second(0)
        .message_burst(0)
        .max_queued_messages(0)
        .max_queued_bytes(0);
    let server = Serving::limited(nothing).await;
    let mut app = App::connect(server.address).await;
    assert!(app.so_far().await.is_empty(), "with the smallest limits one client can still connect");
}

#[tokio::test]
async fn a_client_without_a_size_limit_still_gets_a_long_conversation_in_parts() {
    let limits = ServerLimits::default().max_queued_bytes(1 << 20).max_reply_bytes(64 * 1024);
    let server = Serving::limited(limits).await;
    let mut app = App::connect(server.address).await;
    let session = "3f2a8c1e-5b7d-4e90-a1c6-9d8e7f6a5b4c";
    app.send(json!({ "type": "set_max_message_size", "size_kb": u32::MAX })).await;
    app.until("ack").await;
    for _ in 0..8 {
        let prompt = json!({
            "type": "prompt", "text": "long ".repeat(40_000), "new_session_id": session,
            "working_directory": server.project(),
        });
        app.send(prompt).await;
        app.until("turn_complete").await;
    }
    let (mut from, mut parts) = (json!(0), 0);
    loop {
        app.send(json!({ "type": "subscribe", "session_id": session, "from_offset": from })).await;
        let part = app.until("session_history").await;
        assert!(part.to_string().len() < 1 << 20, "{}", part.to_string().len());
        (from, parts) = (part["next_offset"].clone(), parts + 1);
        if part["end_of_file"] == true {
            break;
        }
    }
    assert!(parts > 1);
    server.stop().await;
}
