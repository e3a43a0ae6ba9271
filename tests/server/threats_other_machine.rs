//! Another machine tries to reach the server.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use serde_json::json;
use surefire::agent::{Rehearsal, Script};
use surefire::recipes::BUNDLED;
use surefire::server::{BindError, Server};
use surefire_testkit::app::{App, Serving};

use crate::raw::{ask, read};

fn rehearsal() -> Arc<Rehearsal> {
    Arc::new(Rehearsal::new(Script::Happy))
}

#[tokio::test]
async fn an_address_that_others_can_reach_is_refused_unless_it_is_allowed() {
    let place = tempfile::tempdir().unwrap();
    let table =
        ["0.0.0.0:0", "[::]:0", "[::ffff:0.0.0.0]:0", "[::ffff:192.0.2.1]:0", "192.0.2.1:0", "10.0.0.1:80"];
    for address in table {
        let address: SocketAddr = address.parse().unwrap();
        let data = place.path().join("data");
        let server = Server::builder().recipes(BUNDLED).agent(rehearsal()).data(&data).listen(address);
        let error = server.bind().await.expect_err("it is not for everybody");
        assert!(matches!(error, BindError::NotLoopback(refused) if refused == address), "{error}");
        let words = error.to_string();
        assert!(words.contains("other machines") && words.contains("--lan"), "{words}");
        assert!(!data.exists(), "nothing was begun");
    }
}

/// Whether this machine has IPv6 at all.
fn has_ipv6() -> bool {
    std::net::TcpListener::bind("[::1]:0").is_ok()
}

#[tokio::test]
async fn an_address_of_this_machine_alone_needs_no_permission() {
    for address in ["127.0.0.1:0", "127.0.0.9:0", "[::1]:0"] {
        let address: SocketAddr = address.parse().unwrap();
        if address.is_ipv6() && !has_ipv6() {
            continue;
        }
        let server = Serving::with(rehearsal(), |builder| builder.listen(address)).await;
        assert_eq!(ask(server.address, "GET /health", &[]).await.status(), 200);
    }
}

#[tokio::test]
async fn everybody_needs_the_key_wherever_they_are() {
    // Where it listens, and how this machine reaches it.
    let table = [("127.0.0.1:0", "127.0.0.1"), ("0.0.0.0:0", "127.0.0.1"), ("[::]:0", "::1")];
    for (listen, here) in table {
        let (listen, here): (SocketAddr, IpAddr) = (listen.parse().unwrap(), here.parse().unwrap());
        if here.is_ipv6() && !has_ipv6() {
            continue;
        }
        let server = Serving::with(rehearsal(), |builder| builder.lan(true).listen(listen)).await;
        let address = SocketAddr::new(here, server.address.port());
        let mut stranger = App::dial(address).await;
        let start = json!({ "type": "start_recipe", "session_id": null, "recipe_id": "retrospective" });
        stranger.send(start).await;
        assert_eq!(stranger.next().await["type"], "auth_error");
        assert_eq!(ask(address, "GET /api/runs", &[]).await.status(), 401);
        assert_eq!(read(address, "/api/runs").await.status(), 200);
        App::connect(address).await;
    }
}

#[tokio::test]
async fn an_address_that_is_taken_says_so_and_begins_nothing() {
    let server = Serving::rehearsing(Script::Happy).await;
    let place = tempfile::tempdir().unwrap();
    let data = place.path().join("data");
    let second =
        Server::builder().recipes(BUNDLED).agent(rehearsal()).data(&data).listen(server.address).bind().await;
    let words = second.expect_err("it is taken").to_string();
    assert!(words.contains(&server.address.to_string()) && words.contains("another port"), "{words}");
    assert!(!data.exists());
}
