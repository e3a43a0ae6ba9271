//! A client of a server, as any other is.

use std::net::SocketAddr;

use serde_json::Value;

/// Connects to a server that said it is ready, says one thing, and waits for the answer.
pub(crate) fn ask(ready: &Value, message: &Value, answer: &str) -> Value {
    let address = ready["ws_url"].as_str().expect("it says where it is").trim_start_matches("ws://");
    let address: SocketAddr = address.parse().expect("it is an address");
    let key_file = ready["key_file"].as_str().expect("it says where its key is");
    let key = std::fs::read_to_string(key_file).expect("we are the same user");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("there is room");
    runtime.block_on(async {
        let mut app = surefire_testkit::app::App::connect_with(address, key.trim(), "0.5.0").await;
        app.send(message.clone()).await;
        app.until(answer).await
    })
}
