//! A client that does not play by the rules, with the key or without.

use std::io::Write;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use futures_util::StreamExt;
use serde_json::json;
use surefire::agent::Script;
use surefire::server::ServerLimits;
use surefire_testkit::app::{App, PATIENCE, Serving};
use surefire_testkit::eventually_async;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpSocket;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;

use crate::raw::{Raw, UPGRADE, ask, frame, head, request};

const KIB: usize = 1024;

/// A first byte that says: the last frame of a text.
const TEXT: u8 = 0x81;

fn soon() -> Duration {
    Duration::from_millis(200)
}

/// Limits that displace no connection, for tests of what else ends one.
fn patient() -> ServerLimits {
    ServerLimits { unauthenticated_grace: PATIENCE * 2, ..ServerLimits::default() }
}

/// Whether somebody new finds a place. The answer is given on a connection of its own.
async fn has_room(address: SocketAddr) -> bool {
    ask(address, "GET /health", &[]).await.status() == 200
}

/// A message of exactly this many bytes that nobody knows the type of.
fn of_size(bytes: usize) -> String {
    let (before, after) = (r#"{"type":"nonsense","x":""#, r#""}"#);
    format!("{before}{}{after}", "x".repeat(bytes - before.len() - after.len()))
}

/// The beginning of a text that is to have so many bytes.
fn announcing(bytes: u64) -> Vec<u8> {
    [head(TEXT, bytes, true), vec![0; 4]].concat()
}

async fn close_code(app: &mut App) -> Option<CloseCode> {
    app.closed().await.map(|frame| frame.code)
}

#[tokio::test]
async fn a_message_of_256_kib_is_read_and_a_larger_one_is_told_to_be_too_large() {
    let server = Serving::rehearsing(Script::Happy).await;
    let mut app = App::connect(server.address).await;
    app.send_text(of_size(256 * KIB)).await;
    assert_eq!(app.next().await["code"], "unknown_message_type");
    app.send_raw(&frame(TEXT, of_size(256 * KIB + 1).as_bytes(), true)).await;
    assert_eq!(close_code(&mut app).await, Some(CloseCode::Size));
}

#[tokio::test]
async fn a_message_in_many_frames_is_not_larger_than_one_in_a_single_frame() {
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
    let (broken, large) = ([CloseCode::Protocol, CloseCode::Invalid], [CloseCode::Size, CloseCode::Size]);
    let table = [
        ("announces a terabyte", announcing(1 << 40), large),
        ("announces all there is", announcing(u64::MAX >> 1), large),
        ("announces more than there is", announcing(u64::MAX), large),
        ("not masked", frame(TEXT, b"{}", false), broken),
        ("a reserved bit", frame(TEXT | 0x40, b"{}", true), broken),
        ("all reserved bits", frame(TEXT | 0x70, b"{}", true), broken),
        ("a reserved opcode", frame(0x83, b"{}", true), broken),
        ("a reserved control opcode", frame(0x8b, b"", true), broken),
        ("not UTF-8", frame(TEXT, b"{\"type\": \"\xff\xfe\"}", true), broken),
        ("UTF-8 that is cut off", frame(TEXT, b"\"\xe2\x82", true), broken),
        ("a ping of 126 bytes", frame(0x89, &[b'x'; 126], true), broken),
        ("a ping in parts", frame(0x09, b"x", true), broken),
        ("a goodbye of one byte", frame(0x88, b"x", true), broken),
        ("a goodbye with a code that nobody may send", frame(0x88, &1005_u16.to_be_bytes(), true), broken),
        ("a part of nothing", frame(0x80, b"x", true), broken),
        ("two beginnings", [frame(1, b"x", true), frame(1, b"x", true)].concat(), broken),
        ("an HTTP request", request("GET /", &[("Host", "localhost")]).into_bytes(), broken),
    ];
    for (what, bytes, codes) in table {
        for known in [false, true] {
            let mut app = App::dial(server.address).await;
            if known {
                app.show_the_key().await;
            }
            app.send_raw(&bytes).await;
            let code = close_code(&mut app).await;
            assert!(code.is_some_and(|code| codes.contains(&code)), "{what}: {code:?}");
        }
    }
}

#[tokio::test]
async fn bytes_and_deep_nesting_are_refused_and_the_socket_stays() {
    let server = Serving::rehearsing(Script::Happy).await;
    for known in [false, true] {
        let mut app = App::dial(server.address).await;
        if known {
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
    let limits = ServerLimits {
        burst: 50,
        messages_per_second: 1000,
        flood_patience: PATIENCE,
        ..ServerLimits::default()
    };
    let server = Serving::limited(limits).await;
    let mut app = App::connect(server.address).await;
    let (began, before) = (Instant::now(), app.heard.len());
    let messages = (0..500).map(|n| {
        let message = if n % 3 == 0 { json!({ "type": "ping" }) } else { json!({ "type": format!("x{n}") }) };
        frame(TEXT, message.to_string().as_bytes(), true)
    });
    app.send_raw(&messages.flatten().collect::<Vec<_>>()).await;
    for _ in 0..500 {
        app.next().await;
    }
    assert!(began.elapsed() >= Duration::from_millis(440), "{:?}", began.elapsed());
    for (n, answer) in app.heard[before..].iter().enumerate() {
        let expected = if n % 3 == 0 { "pong".to_owned() } else { format!("Unknown message type: x{n}") };
        assert!(answer["type"] == *expected || answer["message"] == *expected, "{n}: {answer}");
    }
    assert!(app.so_far().await.is_empty());
}

#[tokio::test]
async fn a_flood_is_told_to_be_one_and_others_do_not_notice() {
    let limits = ServerLimits {
        burst: 50,
        messages_per_second: 20,
        flood_patience: Duration::from_millis(500),
        ..ServerLimits::default()
    };
    let server = Serving::limited(limits).await;
    for known in [false, true] {
        let (mut flooder, mut other) = (App::dial(server.address).await, App::connect(server.address).await);
        if known {
            flooder.show_the_key().await;
        }
        let (began, before) = (Instant::now(), flooder.heard.len());
        flooder.send_raw(&frame(TEXT, br#"{"type":"ping"}"#, true).repeat(10_000)).await;
        for _ in 0..20 {
            assert!(other.so_far().await.is_empty());
        }
        assert_eq!(close_code(&mut flooder).await, Some(CloseCode::Policy));
        let most = 50.0 + 20.0 * began.elapsed().as_secs_f64() + 2.0;
        let heard = &flooder.heard[before..];
        let many = f64::from(u32::try_from(heard.len()).unwrap());
        assert!(many <= most && many > 50.0, "{} answers", heard.len());
        assert_eq!(heard.last().unwrap()["code"], "rate_limited");
        assert!(other.so_far().await.is_empty());
    }
}

/// A client that comes as soon as there is a place.
async fn comes(address: SocketAddr) -> App {
    let mut came = None;
    eventually_async("there is a place", async || {
        came = App::try_dial(address).await;
        came.is_some()
    })
    .await;
    came.expect("it came")
}

#[tokio::test]
async fn there_are_only_so_many_places_and_whoever_leaves_gives_one_back() {
    let server = Serving::limited(ServerLimits { connections: 3, ..ServerLimits::default() }).await;
    let mut apps = Vec::new();
    for _ in 0..3 {
        apps.push(App::connect(server.address).await);
    }
    for leave in ["politely", "without a word", "with a reset", "in a frame", "by half", "with a wrong key"] {
        let mut raw = Raw::dial(server.address).await;
        raw.send(request("GET /", &[("Host", "localhost")])).await;
        let full = raw.answer().await;
        assert_eq!((full.status(), full.header("retry-after")), (503, Some("1")), "{full:?}");
        assert_eq!(full.header("connection"), Some("close"));
        assert_eq!(full.header("cache-control"), Some("no-store"), "{full:?}");
        assert_eq!(full.header("x-content-type-options"), Some("nosniff"), "{full:?}");
        assert_eq!(raw.rest().await, b"", "nothing follows what was announced");
        assert!(App::try_dial(server.address).await.is_none());
        assert!(apps[2].so_far().await.is_empty(), "who is there already stays");

        let mut app = apps.remove(0);
        match leave {
            "politely" => app.socket.close(None).await.unwrap(),
            "without a word" => {}
            "with a reset" => app.socket.get_mut().set_zero_linger().unwrap(),
            "in a frame" => app.send_raw(&frame(TEXT, b"{}", true)[..4]).await,
            "by half" => {
                app.socket.get_mut().shutdown().await.unwrap();
                assert_eq!(close_code(&mut app).await, None, "the server leaves as well");
            }
            _ => {
                app.send(json!({ "type": "connect", "api_key": "wrong" })).await;
                assert_eq!(close_code(&mut app).await, Some(CloseCode::Policy));
            }
        }
        drop(app);
        apps.push(comes(server.address).await);
        apps[2].show_the_key().await;
    }
}

#[tokio::test]
async fn strangers_have_few_places_and_whoever_shows_the_key_gives_theirs_back() {
    let limits = ServerLimits { unauthenticated: 2, request_time: soon(), ..patient() };
    let server = Serving::limited(limits).await;
    let (mut one, two) = (App::dial(server.address).await, App::dial(server.address).await);
    assert!(App::try_dial(server.address).await.is_none());
    assert!(!has_room(server.address).await);
    one.show_the_key().await;
    assert!(has_room(server.address).await, "at once, since the answer comes after that");
    let mut friends = vec![one];
    for _ in 0..5 {
        friends.push(comes(server.address).await);
        friends.last_mut().unwrap().show_the_key().await;
    }
    for friend in &mut friends {
        assert!(friend.so_far().await.is_empty());
    }
    drop(two);
}

#[tokio::test]
async fn a_request_that_never_comes_to_an_end_is_cut_off() {
    let limits = ServerLimits { unauthenticated: 1, request_time: soon(), ..patient() };
    let server = Serving::limited(limits).await;
    let whole = request("GET /health", &[("Host", "localhost")]);
    let beginnings =
        ["", "G", "GET /health HTTP/1.1", "GET /health HTTP/1.1\r\nHost: lo", &whole[..whole.len() - 1]];
    for beginning in beginnings {
        let mut raw = Raw::dial(server.address).await;
        raw.send(beginning).await;
        let began = Instant::now();
        raw.rest().await;
        assert!(began.elapsed() < Duration::from_secs(5), "{beginning:?}: {:?}", began.elapsed());
        eventually_async("the place is free", async || has_room(server.address).await).await;
    }
    // Byte by byte, each of them in time: it is the whole that counts.
    let mut raw = Raw::dial(server.address).await;
    let dripping = async {
        loop {
            if raw.0.write_all(b"x").await.is_err()
                || raw.0.try_read(&mut [0; 512]).is_ok_and(|read| read == 0)
            {
                return;
            }
            tokio::time::sleep(soon() / 10).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(5), dripping).await.expect("it is cut off");
    eventually_async("the place is free", async || has_room(server.address).await).await;
}

#[tokio::test]
async fn a_connection_that_is_kept_for_nothing_is_closed() {
    let limits = ServerLimits { unauthenticated: 1, request_time: Duration::from_secs(1), ..patient() };
    let server = Serving::limited(limits).await;
    let host = ("Host", "localhost");
    let mut raw = Raw::dial(server.address).await;
    for _ in 0..3 {
        raw.send(request("GET /health", &[host])).await;
        assert_eq!(raw.answer().await.status(), 200);
    }
    assert_eq!(raw.rest().await, b"");
    eventually_async("the place is free", async || has_room(server.address).await).await;

    // A body that is announced and does not come.
    for line in ["GET /health", "POST /", "GET /"] {
        let mut raw = Raw::dial(server.address).await;
        raw.send(request(line, &[host, ("Content-Length", "100")])).await;
        raw.rest().await;
        eventually_async("the place is free", async || has_room(server.address).await).await;
    }
}

#[tokio::test]
async fn an_upgrade_that_is_never_completed_gives_its_place_back() {
    let limits = ServerLimits { unauthenticated: 1, request_time: soon(), auth_time: soon(), ..patient() };
    let server = Serving::limited(limits).await;
    let upgrade = [&[("Host", "localhost")], &UPGRADE[..]].concat();
    for extra in [&[][..], &[("Content-Length", "100")], &[("Transfer-Encoding", "chunked")]] {
        for stays in [true, false] {
            let mut raw = Raw::dial(server.address).await;
            raw.send(request("GET /ws", &[&upgrade, extra].concat())).await;
            if !stays {
                raw.0.set_zero_linger().unwrap();
                drop(raw);
                eventually_async("the place is free", async || has_room(server.address).await).await;
                continue;
            }
            eventually_async("the place is free", async || has_room(server.address).await).await;
            drop(raw);
        }
    }
}

#[tokio::test]
async fn whoever_asks_and_does_not_read_is_not_waited_for() {
    let limits = ServerLimits { unauthenticated: 1, request_time: soon(), ..patient() };
    let server = Serving::limited(limits).await;
    let raw = TcpSocket::new_v4().unwrap();
    raw.set_recv_buffer_size(4096).unwrap();
    let mut raw = Raw(raw.connect(server.address).await.unwrap());
    let many = request("GET /", &[("Host", "localhost")]).repeat(50_000);
    // As much as the server takes; then it is stuck with its answers.
    let _ = tokio::time::timeout(soon() * 2, raw.send(many)).await;
    eventually_async("the place is free", async || has_room(server.address).await).await;
    drop(raw);
}

#[tokio::test]
async fn endless_pieces_of_a_message_do_not_stop_the_clock() {
    let limits = ServerLimits { unauthenticated: 1, auth_time: soon(), ..patient() };
    let server = Serving::limited(limits).await;
    let mut app = App::dial(server.address).await;
    app.send_raw(&frame(1, b"x", true)).await;
    // From a thread of its own, so that there is always more to read.
    let stream = app.socket.into_inner().into_std().unwrap();
    stream.set_nonblocking(false).unwrap();
    let writing = tokio::task::spawn_blocking(move || {
        let pieces = frame(0, b"", true).repeat(100_000);
        while (&stream).write_all(&pieces).is_ok() {}
    });
    // Until the server will not have it any more.
    tokio::time::timeout(PATIENCE, writing).await.expect("somebody looks at the clock").unwrap();
    eventually_async("the place is free", async || has_room(server.address).await).await;
}

#[tokio::test]
async fn a_stranger_who_says_nothing_or_only_pings_is_sent_away_in_time() {
    let server = Serving::limited(ServerLimits { auth_time: soon() * 2, ..ServerLimits::default() }).await;
    for pings in [false, true] {
        let mut app = App::dial(server.address).await;
        let frame = loop {
            if pings {
                app.send_raw(&frame(TEXT, br#"{"type":"ping"}"#, true)).await;
            }
            match app.try_next().await {
                Ok(pong) => assert_eq!(pong["type"], "pong"),
                Err(frame) => break frame.expect("it is told why"),
            }
        };
        assert_eq!((frame.code, frame.reason.as_str()), (CloseCode::Policy, "not authenticated in time"));
        assert!(!app.kinds().contains(&"auth_error"), "the app would not come back");
    }
}

#[tokio::test]
async fn a_client_that_has_fallen_silent_is_let_go_and_one_that_answers_stays() {
    let server = Serving::limited(ServerLimits {
        connections: 2,
        silence: Duration::from_secs(2),
        ..ServerLimits::default()
    })
    .await;
    let (mut awake, mut asleep) = (App::connect(server.address).await, App::connect(server.address).await);
    // The library answers pings while it is asked for what comes.
    let mut pings = 0;
    while pings < 2 {
        let message = tokio::time::timeout(PATIENCE, awake.socket.next()).await.expect("a ping comes");
        pings += usize::from(matches!(message, Some(Ok(Message::Ping(_)))));
    }
    let awake = tokio::spawn(async move {
        while let Some(Ok(message)) = awake.socket.next().await {
            if message.is_text() {
                return awake;
            }
        }
        panic!("it answers, and stays");
    });
    let mut next = comes(server.address).await;
    let why = asleep.closed().await.expect("it is told why, if it reads it");
    assert_eq!((why.code, why.reason.as_str()), (CloseCode::Away, "nothing was heard of the client"));
    next.show_the_key().await;
    next.send(json!({ "type": "set_orchestration", "enabled": true })).await;
    awake.await.unwrap();
}

/// Everything that was said, by its offset.
fn offsets(app: &App) -> Vec<u64> {
    let histories = app.heard.iter().filter(|message| message["type"] == "session_history");
    let messages = histories.flat_map(|history| history["messages"].as_array().unwrap());
    messages.map(|message| message["offset"].as_u64().unwrap()).collect()
}

#[tokio::test]
async fn a_slow_reader_is_closed_and_nobody_waits_for_it() {
    let limits = ServerLimits {
        connections: 2,
        queue: 8,
        queue_bytes: 1 << 20,
        burst: 1000,
        ..ServerLimits::default()
    };
    let server = Serving::limited(limits).await;
    let mut fast = App::connect(server.address).await;
    let session = "11111111-2222-4333-8444-555555555555";
    let say = |text: &str| {
        let directory = server.project();
        json!({ "type": "prompt", "text": text, "new_session_id": session, "working_directory": directory })
    };
    fast.send(say("hello")).await;
    fast.until("turn_complete").await;

    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(4096).unwrap();
    let mut slow = App::over(socket.connect(server.address).await.unwrap()).await.unwrap();
    slow.show_the_key().await;
    slow.send(json!({ "type": "subscribe", "session_id": session })).await;
    slow.until("session_history").await;
    // From here on it reads nothing more.
    let words = "w".repeat(200_000);
    for _ in 0..60 {
        let began = Instant::now();
        fast.send(say(&words)).await;
        fast.until("turn_complete").await;
        assert!(began.elapsed() < Duration::from_secs(5), "nobody waits: {:?}", began.elapsed());
    }
    let told = offsets(&fast);
    assert_eq!(told, (0..told.len() as u64).collect::<Vec<_>>(), "all of it, in order");
    assert_eq!(told.len(), 122);
    let third = comes(server.address).await;
    let code = close_code(&mut slow).await;
    assert!(matches!(code, None | Some(CloseCode::Again)), "{code:?}");
    let heard = offsets(&slow);
    assert_eq!(heard, (0..heard.len() as u64).collect::<Vec<_>>(), "as far as it got");
    assert!(heard.len() < 122);
    drop(third);
}

#[tokio::test]
async fn a_client_that_does_not_read_its_answers_is_not_waited_for_either() {
    let limits = ServerLimits { connections: 1, write_patience: soon(), ..ServerLimits::default() };
    let server = Serving::limited(limits).await;
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(4096).unwrap();
    let mut slow = App::over(socket.connect(server.address).await.unwrap()).await.unwrap();
    slow.show_the_key().await;
    // Each is answered with what it says itself.
    let loud = json!({ "type": "infer_session_name", "session_id": "s".repeat(200_000) }).to_string();
    let _ = tokio::time::timeout(PATIENCE / 4, slow.send_raw(&frame(TEXT, loud.as_bytes(), true).repeat(60)))
        .await;
    comes(server.address).await;
    let code = close_code(&mut slow).await;
    assert!(matches!(code, None | Some(CloseCode::Again)), "{code:?}");
}

#[tokio::test]
async fn pings_of_the_protocol_are_answered_too() {
    let server = Serving::rehearsing(Script::Happy).await;
    for known in [false, true] {
        let mut app = App::dial(server.address).await;
        if known {
            app.show_the_key().await;
        }
        app.send_raw(&frame(0x89, b"are you there", true)).await;
        loop {
            let next = tokio::time::timeout(PATIENCE, app.socket.next()).await.expect("it is answered");
            match next.expect("it stays").expect("it stays") {
                Message::Pong(words) => break assert_eq!(&words[..], b"are you there"),
                other => assert!(other.is_text(), "{other:?}"),
            }
        }
    }
}

#[tokio::test]
async fn limits_that_are_none_are_no_reason_to_break() {
    let forever = Duration::MAX;
    let limits = ServerLimits {
        connections: usize::MAX,
        unauthenticated: usize::MAX,
        unauthenticated_grace: forever,
        request_time: forever,
        auth_time: forever,
        wrong_keys: u32::MAX,
        wrong_key_delay: forever,
        message_size: usize::MAX,
        messages_per_second: u32::MAX,
        burst: u32::MAX,
        flood_patience: forever,
        queue: usize::MAX,
        queue_bytes: usize::MAX,
        write_patience: forever,
        silence: forever,
        reply_size: usize::MAX,
    };
    let server = Serving::limited(limits).await;
    assert!(has_room(server.address).await);
    let mut app = App::connect(server.address).await;
    app.send_text(of_size(300 * KIB)).await;
    assert_eq!(app.next().await["code"], "unknown_message_type");
    let nothing = ServerLimits {
        connections: 0,
        unauthenticated: 0,
        wrong_keys: 0,
        messages_per_second: 0,
        burst: 0,
        queue: 0,
        queue_bytes: 0,
        ..ServerLimits::default()
    };
    let server = Serving::limited(nothing).await;
    let mut app = App::connect(server.address).await;
    assert!(app.so_far().await.is_empty(), "as little as there can be is enough for one");
}

#[tokio::test]
async fn whoever_wants_messages_of_any_size_gets_a_conversation_in_parts_all_the_same() {
    let limits = ServerLimits { queue_bytes: 1 << 20, reply_size: 64 * 1024, ..ServerLimits::default() };
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
