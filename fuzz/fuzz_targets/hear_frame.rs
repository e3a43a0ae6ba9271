//! Says anything to the server, as a stranger and as a client that has shown the key; see the README beside it for what must
//! hold.

#![no_main]

use std::cell::RefCell;
use std::sync::Arc;

use libfuzzer_sys::fuzz_target;
use serde_json::Value;
use surefire::agent::{Rehearsal, Script};
use surefire::recipes::BUNDLED;
use surefire::server::{ApiKey, ByHand, Server, ServerLimits};
use surefire::store::Memory;
use tokio::runtime::Runtime;

const KEY: &str = "untethered-5afe5afe5afe5afe5afe5afe5afe5afe";

/// The largest message that a client is sent which has not asked for smaller ones.
const LARGEST: usize = 1 << 20;

/// How many inputs one server hears. Starting one for each would be nearly all that is done, and the store in memory gets slower
/// with what it has to remember.
const INPUTS: u32 = 1000;

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
            .limits(ServerLimits { wrong_keys: u32::MAX, ..ServerLimits::default() })
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
        if stage.as_ref().is_none_or(|stage| stage.inputs == INPUTS) {
            *stage = Some(Stage::new());
        }
        let stage = stage.as_mut().unwrap();
        stage.inputs += 1;
        stage.runtime.block_on(hear(&stage.server, text));
    });
});

/// Says every paragraph of the text to the server.
async fn hear(server: &Server, text: &str) {
    let mut stranger = ByHand::new(server);
    let mut client = ByHand::new(server);
    let connect = format!(r#"{{"type":"connect","api_key":"{KEY}"}}"#);
    let told = client.say(&connect).await.unwrap();
    assert!(told.iter().any(|message| message.contains(r#""type":"connected""#)));
    for frame in text.split("\n\n") {
        for reply in stranger.say(frame).await.unwrap_or_default() {
            let kind = kind(&reply);
            let harmless = ["hello", "pong", "error", "auth_error"].contains(&kind.as_str());
            assert!(harmless, "a stranger hears {kind}");
        }
        // Only a wrong key, or a version that is too old, makes a client leave that is known.
        let Some(replies) = client.say(frame).await else { return };
        replies.iter().for_each(|reply| drop(kind(reply)));
    }
    if let Some(replies) = client.say(r#"{"type":"ping"}"#).await {
        assert_eq!(replies, [r#"{"type":"pong"}"#]);
    }
    client.told().await.iter().for_each(|reply| drop(kind(reply)));
}

/// The type of a message, which has to be one.
fn kind(reply: &str) -> String {
    assert!(reply.len() < LARGEST, "{} bytes", reply.len());
    assert!(!reply.contains(KEY), "the key is told to nobody");
    let value: Value = serde_json::from_str(reply).expect("every reply is JSON");
    value["type"].as_str().expect("every reply has a type").to_owned()
}
