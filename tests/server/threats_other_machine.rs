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
async fn an_address_that_other_machines_can_reach_is_refused_by_default() {
    let place = tempfile::tempdir().unwrap();
    let table = [
        "0.0.0.0:0",
        "[::]:0",
        "[::ffff:0.0.0.0]:0",
        "[::ffff:192.0.2.1]:0",
        "192.0.2.1:0",
        "10.0.0.1:80",
    ];
    for address in table {
        let address: SocketAddr = address.parse().unwrap();
        let data = place.path().join("data");
        let server =
            Server::builder().recipes(BUNDLED).agent(rehearsal()).data(&data).listen(address);
        let error = server.bind().await.expect_err("other machines could reach it");
        assert!(matches!(error, BindError::NotLoopback(refused) if refused == address), "{error}");
        let words = error.to_string();
        assert!(words.contains("other machines") && words.contains("--lan"), "{words}");
        assert!(!data.exists(), "nothing was created");
    }
}

/// Whether this machine supports IPv6.
fn has_ipv6() -> bool {
    std::net::TcpListener::bind("[::1]:0").is_ok()
}

#[tokio::test]
async fn a_loopback_address_needs_no_permission() {
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
async fn every_client_needs_the_key_wherever_it_connects_from() {
    // The address that the server listens on, and the one at which this machine reaches it.
    let table = [("127.0.0.1:0", "127.0.0.1"), ("0.0.0.0:0", "127.0.0.1"), ("[::]:0", "::1")];
    for (listen, here) in table {
        let (listen, here): (SocketAddr, IpAddr) = (listen.parse().unwrap(), here.parse().unwrap());
        if here.is_ipv6() && !has_ipv6() {
            continue;
        }
        let server = Serving::with(rehearsal(), |builder| builder.lan(true).listen(listen)).await;
        let address = SocketAddr::new(here, server.address.port());
        let mut unauthenticated = App::dial(address).await;
        let start =
            json!({ "type": "start_recipe", "session_id": null, "recipe_id": "retrospective" });
        unauthenticated.send(start).await;
        assert_eq!(unauthenticated.next().await["type"], "auth_error");
        assert_eq!(ask(address, "GET /api/runs", &[]).await.status(), 401);
        assert_eq!(read(address, "/api/runs").await.status(), 200);
        App::connect(address).await;
    }
}

#[tokio::test]
async fn an_address_in_use_is_reported_and_nothing_is_created() {
    let server = Serving::rehearsing(Script::Happy).await;
    let place = tempfile::tempdir().unwrap();
    let data = place.path().join("data");
    let second = Server::builder()
        .recipes(BUNDLED)
        .agent(rehearsal())
        .data(&data)
        .listen(server.address)
        .bind()
        .await;
    let words = second.expect_err("the address is in use").to_string();
    assert!(
        words.contains(&server.address.to_string()) && words.contains("another port"),
        "{words}"
    );
    assert!(!data.exists());
}
