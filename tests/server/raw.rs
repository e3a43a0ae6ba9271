//! Raw connections to the server, for requests and frames that no regular client sends.

use std::net::SocketAddr;

use serde_json::Value;
use surefire_testkit::app::{KEY, TEST_TIMEOUT};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

/// The headers of a WebSocket upgrade request, apart from `Host`.
pub(crate) const UPGRADE: [(&str, &str); 4] = [
    ("Connection", "Upgrade"),
    ("Upgrade", "websocket"),
    ("Sec-WebSocket-Version", "13"),
    ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="),
];

/// A connection on which a test can send any bytes.
pub(crate) struct Raw(pub(crate) TcpStream);

impl Raw {
    pub(crate) async fn dial(address: SocketAddr) -> Self {
        Self(TcpStream::connect(address).await.expect("the server listens"))
    }

    /// Sends bytes, as many as the server accepts.
    pub(crate) async fn send(&mut self, bytes: impl AsRef<[u8]>) {
        let _ = self.0.write_all(bytes.as_ref()).await;
    }

    /// Reads the answer to one request. The connection may stay open.
    pub(crate) async fn answer(&mut self) -> Answer {
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            let byte = timeout(TEST_TIMEOUT, self.0.read_u8()).await.expect("an answer comes");
            let so_far = String::from_utf8_lossy(&head).into_owned();
            head.push(byte.unwrap_or_else(|error| panic!("{error} after {so_far:?}")));
        }
        let head = String::from_utf8(head).expect("it is text");
        let mut answer = Answer { head, body: Vec::new() };
        let length =
            answer.header("content-length").map_or(0, |length| length.parse().expect("a number"));
        answer.body.resize(length, 0);
        self.0.read_exact(&mut answer.body).await.expect("the whole body comes");
        answer
    }

    /// Reads until the server closes the connection, and fails if it does not.
    pub(crate) async fn rest(&mut self) -> Vec<u8> {
        let mut rest = Vec::new();
        // A connection that was reset counts as closed.
        let _ = timeout(TEST_TIMEOUT, self.0.read_to_end(&mut rest))
            .await
            .expect("the server closes it");
        rest
    }
}

/// The answer to a request.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    pub(crate) fn status(&self) -> u16 {
        let status = self.head.split(' ').nth(1).and_then(|status| status.parse().ok());
        status.unwrap_or_else(|| panic!("no answer: {self:?}"))
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.into_iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.body).expect("it is text")
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error} in {self:?}"))
    }
}

/// The text of a request with these headers and no others.
pub(crate) fn request(line: &str, headers: &[(&str, &str)]) -> String {
    let headers: String =
        headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    format!("{line} HTTP/1.1\r\n{headers}\r\n")
}

/// Sends a request on a connection of its own, with these headers and `Host`.
pub(crate) async fn ask(address: SocketAddr, line: &str, headers: &[(&str, &str)]) -> Answer {
    let host = address.to_string();
    let headers: Vec<_> =
        [("Host", host.as_str())].into_iter().chain(headers.iter().copied()).collect();
    ask_as(address, line, &headers).await
}

/// The same, but with these headers only.
pub(crate) async fn ask_as(address: SocketAddr, line: &str, headers: &[(&str, &str)]) -> Answer {
    let mut raw = Raw::dial(address).await;
    raw.send(request(line, headers)).await;
    raw.answer().await
}

/// Sends a `GET` request with the key.
pub(crate) async fn read(address: SocketAddr, path: &str) -> Answer {
    ask(address, &format!("GET {path}"), &[("Authorization", &format!("Bearer {KEY}"))]).await
}

/// A frame with this first byte and payload. A client's frame has to be masked.
pub(crate) fn frame(first: u8, payload: &[u8], masked: bool) -> Vec<u8> {
    let mut frame = head(first, payload.len() as u64, masked);
    // A mask of zeros leaves the payload unchanged.
    if masked {
        frame.extend([0; 4]);
    }
    frame.extend(payload);
    frame
}

/// The header of a frame that announces a payload of this length.
pub(crate) fn head(first: u8, length: u64, masked: bool) -> Vec<u8> {
    let mask = if masked { 0x80 } else { 0 };
    match (u8::try_from(length), u16::try_from(length)) {
        (Ok(length @ ..126), _) => vec![first, mask | length],
        (_, Ok(length)) => [&[first, mask | 0x7e], &length.to_be_bytes()[..]].concat(),
        _ => [&[first, mask | 0x7f], &length.to_be_bytes()[..]].concat(),
    }
}
