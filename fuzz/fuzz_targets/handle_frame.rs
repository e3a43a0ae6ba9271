//! Sends any text to the server, over an unauthenticated and an authenticated connection; the
//! README says what must hold.

#![no_main]

use std::cell::RefCell;
use std::sync::Arc;

use libfuzzer_sys::fuzz_target;
use serde_json::Value;
use surefire::agent::{Rehearsal, Script};
use surefire::recipes::BUNDLED;
use surefire::server::{ApiKey, Server, ServerLimits, TestClient};
use surefire::store::Memory;
use tokio::runtime::Runtime;

const KEY: &str = "untethered-5afe5afe5afe5afe5afe5afe5afe5afe";

/// The largest message that the server sends to a client that did not ask for another maximum.
const MAX_MESSAGE_BYTES: usize = 1 << 20;

/// How many inputs one server gets. Starting a server for each would take nearly all of the time,
/// and the store in memory gets slower as it grows.
const MAX_INPUTS: u32 = 1000;

struct Stage {
    server: Server,
    runtime: Runtime,
    inputs: u32,
}

impl Stage {
    fn new() -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let place = tempfile::tempdir().unwrap();
        let builder = Server::builder()
            .recipes(BUNDLED)
            .agent(Arc::new(Rehearsal::new(Script::NoTasks)))
            .store(Arc::new(Memory::default()))
            .data(place.path().join("data"))
            .root("/tmp")
            .key(ApiKey::parse(KEY).unwrap())
            .limits(ServerLimits::default().max_wrong_keys(u32::MAX))
            .listen(([127, 0, 0, 1], 0));
        let server = runtime.block_on(builder.bind()).unwrap();
        Self { server, runtime, inputs: 0 }
    }
}

thread_local! {
    static STAGE: RefCell<Option<Stage>> = const { RefCell::new(None) };
}

fuzz_target!(|text: &str| {
    STAGE.with_borrow_mut(|stage| {
        if stage.as_ref().is_none_or(|stage| stage.inputs == MAX_INPUTS) {
            *stage = Some(Stage::new());
        }
        let stage = stage.as_mut().unwrap();
        stage.inputs += 1;
        stage.runtime.block_on(handle(&stage.server, text));
    });
});

/// Sends every paragraph of the text to the server.
async fn handle(server: &Server, text: &str) {
    let mut unauthenticated = TestClient::new(server);
    let mut client = TestClient::new(server);
    let connect = format!(r#"{{"type":"connect","api_key":"{KEY}"}}"#);
    let replies = client.send(&connect).await.unwrap();
    assert!(replies.iter().any(|message| message.contains(r#""type":"connected""#)));
    for frame in text.split("\n\n") {
        for reply in unauthenticated.send(frame).await.unwrap_or_default() {
            let kind = kind(&reply);
            let harmless = ["hello", "pong", "error", "auth_error"].contains(&kind.as_str());
            assert!(harmless, "an unauthenticated connection gets {kind}");
        }
        // The server disconnects an authenticated client only for a wrong key or an old version.
        let Some(replies) = client.send(frame).await else { return };
        replies.iter().for_each(|reply| drop(kind(reply)));
    }
    if let Some(replies) = client.send(r#"{"type":"ping"}"#).await {
        assert_eq!(replies, [r#"{"type":"pong"}"#]);
    }
    client.updates().await.iter().for_each(|reply| drop(kind(reply)));
}

/// The type of a reply, which must be a valid message.
fn kind(reply: &str) -> String {
    assert!(reply.len() < MAX_MESSAGE_BYTES, "{} bytes", reply.len());
    assert!(!reply.contains(KEY), "the key must not be sent");
    let value: Value = serde_json::from_str(reply).expect("every reply is JSON");
    value["type"].as_str().expect("every reply has a type").to_owned()
}
