//! A client with the key that is not the user at this machine tries to widen what runs may do.

use std::sync::Arc;

use serde_json::{Value, json};
use surefire::Tool;
use surefire::agent::{Rehearsal, Script};
use surefire::client::Endpoint;
use surefire::run::{Event, Permits};
use surefire_testkit::app::{App, KEY, Serving};

use crate::raw::read;

/// The fields that widen a run, and the command-line option that does the same on the machine.
fn widening() -> [(&'static str, Value, &'static str); 7] {
    [
        ("allow_tools", json!(["edit"]), "surefire run --allow-tool"),
        ("allow_dirty", json!(true), "surefire run --allow-dirty"),
        ("allow_deps", json!(true), "surefire run --allow-deps"),
        ("force_parallel", json!(true), "surefire run --force-parallel"),
        ("trust", json!(true), "surefire run --trust"),
        ("untrusted", json!("skip"), "surefire run --untrusted"),
        ("untrusted", json!("refuse"), "surefire run --untrusted"),
    ]
}

async fn serving() -> Serving {
    Serving::with(Arc::new(Rehearsal::new(Script::Happy)), |builder| {
        builder.allow_host("studio.example")
    })
    .await
}

fn start(server: &Serving) -> Value {
    json!({
        "type": "start_recipe", "session_id": null, "recipe_id": "retrospective",
        "working_directory": server.project(),
    })
}

/// Checks that every widening request is refused without effect, and that the error names the
/// command to use on the machine.
async fn is_refused(server: &Serving, mut client: App, from: &str) {
    let connected = client.heard.iter().find(|message| message["type"] == "connected");
    let connected = connected.expect("it has the key");
    assert_eq!(connected.get("may_widen"), None, "{from}");
    for (field, value, option) in widening() {
        let mut start = start(server);
        start[field] = value;
        client.send(start).await;
        let error = client.until("error").await;
        assert_eq!(error["code"], "not_supported", "{from} {field}: {error}");
        let words = error["message"].as_str().expect("an error has a message");
        assert!(words.contains(&format!("`{field}`")) && words.contains(option), "{from}: {words}");
    }
    for (kind, command) in
        [("trust_directory", "surefire trust"), ("untrust_directory", "surefire untrust")]
    {
        client.send(json!({ "type": kind, "working_directory": server.project() })).await;
        let error = client.until("error").await;
        assert_eq!(error["code"], "not_supported", "{from} {kind}: {error}");
        assert!(
            error["message"].as_str().expect("an error has a message").contains(command),
            "{from}: {error}"
        );
    }
    assert_eq!(
        read(server.address, "/api/runs").await.json(),
        json!({ "runs": [] }),
        "{from}: nothing was started"
    );
    assert!(!server.place.path().join("data/trust.json").exists(), "{from}: nothing was recorded");
}

#[tokio::test]
async fn a_local_program_that_connects_over_tcp_is_refused() {
    let server = serving().await;
    is_refused(&server, App::connect(server.address).await, "no origin").await;
    server.stop().await;
}

#[tokio::test]
async fn a_page_under_an_allowed_host_name_is_refused() {
    let server = serving().await;
    let host = format!("studio.example:{}", server.address.port());
    let origin = format!("http://{host}");
    let client = App::connect_as(server.address, &[("host", &host), ("origin", &origin)]).await;
    is_refused(&server, client, "another name").await;
    server.stop().await;
}

#[tokio::test]
async fn a_page_behind_a_proxy_is_refused() {
    let server = serving().await;
    let origin = format!("http://{}", server.address);
    for (name, value) in [
        ("x-forwarded-for", "203.0.113.7"),
        ("x-forwarded-proto", "https"),
        ("forwarded", "for=203.0.113.7"),
    ] {
        let client = App::connect_as(server.address, &[("origin", &origin), (name, value)]).await;
        is_refused(&server, client, name).await;
    }
    let behind_tls = format!("https://{}", server.address);
    let client = App::connect_as(server.address, &[("origin", &behind_tls)]).await;
    is_refused(&server, client, "TLS").await;
    server.stop().await;
}

#[tokio::test]
async fn the_console_on_this_machine_gets_may_widen_and_can_widen_a_run() {
    let server = serving().await;
    let origin = format!("http://{}", server.address);
    let mut page = App::connect_as(server.address, &[("origin", &origin)]).await;
    let connected = page.heard.iter().find(|message| message["type"] == "connected");
    assert_eq!(connected.expect("it has the key")["may_widen"], true);
    let mut start = start(&server);
    (start["allow_deps"], start["force_parallel"], start["allow_tools"]) =
        (true.into(), true.into(), json!(["edit"]));
    page.send(start).await;
    let ack = page.until("ack").await;
    let run = ack["run_id"].as_str().expect("a run was started").parse().expect("it is an id");
    let journal = Endpoint::at(server.address, KEY).journal(run, 0).await.expect("it can be read");
    let journal = journal.expect("the run exists");
    let Event::Started { spec, .. } = &journal.events[0].event else {
        panic!("{:?}", journal.events[0])
    };
    let permits = Permits { allow_deps: true, force_parallel: true, ..Permits::default() };
    assert_eq!((spec.permits, &spec.allow_tools[..]), (permits, &[Tool::Edit][..]));
    server.stop().await;
}
