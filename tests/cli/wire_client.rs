//! A client of a server, over its network address.

use std::net::SocketAddr;

use serde_json::Value;

/// Connects to a server by its ready line, sends one message, and waits for an answer of this type.
pub(crate) fn ask(ready: &Value, message: &Value, answer: &str) -> Value {
    let address =
        ready["ws_url"].as_str().expect("it names its address").trim_start_matches("ws://");
    let address: SocketAddr = address.parse().expect("it is an address");
    let key_file = ready["key_file"].as_str().expect("it names its key file");
    let key = std::fs::read_to_string(key_file).expect("the test runs as the same user");
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().expect("there is room");
    runtime.block_on(async {
        let mut app = surefire_testkit::app::App::connect_with(address, key.trim(), "0.5.0").await;
        app.send(message.clone()).await;
        app.until(answer).await
    })
}
