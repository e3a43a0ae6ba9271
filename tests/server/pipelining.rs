//! Pipelined messages: messages that arrive together are all answered, in order.

use surefire::agent::Script;
use surefire_testkit::app::{App, Serving};
use tokio::io::AsyncWriteExt;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;

/// A text frame as a client sends it, masked with zeros.
fn masked(text: &str) -> Vec<u8> {
    let length = u8::try_from(text.len()).expect("it is short");
    [&[0x81, 0x80 | length, 0, 0, 0, 0], text.as_bytes()].concat()
}

#[tokio::test]
async fn a_hundred_pings_in_one_write_have_a_hundred_answers() {
    let serving = Serving::rehearsing(Script::default()).await;
    let mut app = App::connect(serving.address).await;
    let pings = masked(r#"{"type":"ping"}"#).repeat(100);
    app.socket.get_mut().write_all(&pings).await.expect("the server reads");
    for _ in 0..100 {
        assert_eq!(app.next().await["type"], "pong");
    }
    serving.stop().await;
}

#[tokio::test]
async fn messages_before_an_invalid_frame_are_answered() {
    let serving = Serving::rehearsing(Script::default()).await;
    let mut app = App::connect(serving.address).await;
    let mut bytes = masked(r#"{"type":"ping"}"#);
    bytes.extend(masked(r#"{"type":"ping"}"#));
    // Not masked, which only a server may do.
    bytes.extend([0x81, 1, b'x']);
    app.socket.get_mut().write_all(&bytes).await.expect("the server reads");
    for _ in 0..2 {
        assert_eq!(app.next().await["type"], "pong");
    }
    assert_eq!(app.closed().await.map(|frame| frame.code), Some(CloseCode::Protocol));
    serving.stop().await;
}

#[tokio::test]
async fn a_close_frame_right_behind_a_message_is_answered() {
    let serving = Serving::rehearsing(Script::default()).await;
    let mut app = App::connect(serving.address).await;
    let mut bytes = masked(r#"{"type":"ping"}"#);
    bytes.extend([0x88, 0x82, 0, 0, 0, 0, 0x03, 0xe8]);
    app.socket.get_mut().write_all(&bytes).await.expect("the server reads");
    assert_eq!(app.closed().await.map(|frame| frame.code), Some(CloseCode::Normal));
    serving.stop().await;
}
