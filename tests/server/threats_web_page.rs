//! A web page in the developer's browser tries to talk to the server.

use std::sync::Arc;

use surefire::agent::{Rehearsal, Script};
use surefire::server::ServerLimits;
use surefire_testkit::app::Serving;

use crate::raw::{UPGRADE, ask, ask_as, read};

/// The server's paths, with the status without a key for a plain request and for a WebSocket
/// upgrade.
const PATHS: [(&str, u16, u16); 11] = [
    ("/", 200, 101),
    ("/ws", 426, 101),
    ("/console/main.js", 200, 200),
    ("/console/nothing.js", 404, 404),
    ("/health", 200, 200),
    ("/api/recipes", 401, 401),
    ("/api/recipes/implement-and-review", 401, 401),
    ("/api/recipes/implement-and-review/prompt?about=it", 401, 401),
    ("/api/exit-reasons", 401, 401),
    ("/api/runs", 401, 401),
    ("/nowhere", 404, 404),
];

async fn serving() -> Serving {
    // These tests are not about throttling.
    let limits = ServerLimits::default().max_wrong_keys(1000);
    Serving::limited(limits).await
}

#[tokio::test]
async fn a_page_of_another_site_is_refused_before_anything_else() {
    let server = serving().await;
    let port = server.address.port();
    let origins = [
        "http://evil.example".to_owned(),
        format!("http://evil.example:{port}"),
        "null".to_owned(),
        String::new(),
        "file://".to_owned(),
        format!("http://localhost:{port}"),
        format!("http://127.0.0.1:{}", port ^ 1),
        "http://127.0.0.1".to_owned(),
        format!("ftp://127.0.0.1:{port}"),
        format!("http://127.0.0.1:{port}/"),
        format!("http://127.0.0.1:{port}.evil.example"),
        format!("http://evil@127.0.0.1:{port}"),
    ];
    for (path, ..) in PATHS {
        for origin in &origins {
            let origin = ("Origin", origin.as_str());
            let line = format!("GET {path}");
            let plain = ask(server.address, &line, &[origin]).await;
            let socket = ask(server.address, &line, &[&UPGRADE[..], &[origin]].concat()).await;
            assert_eq!((plain.status(), socket.status()), (403, 403), "{path} {origin:?}");
        }
    }
    let twice = [("Origin", "http://evil.example"), ("Origin", "http://evil.example")];
    assert_eq!(ask(server.address, "GET /", &twice).await.status(), 403);
    server.stop().await;
}

#[tokio::test]
async fn the_servers_own_page_and_clients_without_an_origin_are_accepted() {
    let server = serving().await;
    let own = format!("http://{}", server.address);
    for (path, plain, socket) in PATHS {
        for origin in [&[][..], &[("Origin", own.as_str())]] {
            let line = format!("GET {path}");
            assert_eq!(
                ask(server.address, &line, origin).await.status(),
                plain,
                "{path} {origin:?}"
            );
            let upgrade = [&UPGRADE[..], origin].concat();
            assert_eq!(
                ask(server.address, &line, &upgrade).await.status(),
                socket,
                "{path} {origin:?}"
            );
        }
    }
    server.stop().await;
}

#[tokio::test]
async fn a_foreign_host_name_that_resolves_to_this_server_is_refused() {
    let server = serving().await;
    let port = server.address.port();
    let names = [
        "evil.example",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "0x7f000001",
        "2130706433",
    ];
    for name in names {
        for host in [name.to_owned(), format!("{name}:{port}")] {
            // After DNS rebinding, the page's origin equals the host that it requests.
            let origin = format!("http://{host}");
            let headers = [("Host", host.as_str()), ("Origin", origin.as_str())];
            for (path, ..) in PATHS {
                let line = format!("GET {path}");
                assert_eq!(ask_as(server.address, &line, &headers).await.status(), 403, "{host}");
                assert_eq!(
                    ask_as(server.address, &line, &headers[..1]).await.status(),
                    403,
                    "{host}"
                );
                let upgrade = [&UPGRADE[..], &headers].concat();
                assert_eq!(ask_as(server.address, &line, &upgrade).await.status(), 403, "{host}");
            }
        }
    }
    server.stop().await;
}

#[tokio::test]
async fn a_request_needs_exactly_one_valid_host() {
    let server = serving().await;
    let own = server.address.to_string();
    let own = ("Host", own.as_str());
    let table: &[(&[(&str, &str)], u16)] = &[
        (&[], 400),
        (&[own, own], 400),
        (&[own, ("Host", "evil.example")], 400),
        (&[("Host", "")], 400),
        (&[("Host", "user@localhost")], 400),
        (&[("Host", "local host")], 400),
        (&[("Host", "localhost")], 200),
        (&[("Host", "LocalHost:1")], 200),
        (&[("Host", "192.168.7.7")], 200),
        (&[("Host", "[::1]:8080")], 200),
        (&[own], 200),
    ];
    for (headers, status) in table {
        let answer = ask_as(server.address, "GET /health", headers).await;
        assert_eq!(answer.status(), *status, "{headers:?}: {answer:?}");
    }
    // The host in the request line is ignored.
    let answer =
        ask_as(server.address, "GET http://localhost/health", &[("Host", "evil.example")]).await;
    assert_eq!(answer.status(), 403);
    server.stop().await;
}

#[tokio::test]
async fn a_host_name_that_the_operator_allows_is_accepted() {
    let rehearsal = Arc::new(Rehearsal::new(Script::Happy));
    let server = Serving::with(rehearsal, |builder| builder.allow_host("Surefire.Example.")).await;
    for (host, status) in [
        ("surefire.example", 200),
        ("SUREFIRE.example:443", 200),
        ("surefire.example.", 200),
        ("other.surefire.example", 403),
        ("example", 403),
    ] {
        let answer = ask_as(server.address, "GET /health", &[("Host", host)]).await;
        assert_eq!(answer.status(), status, "{host}");
    }
    let proxied = [("Host", "surefire.example"), ("Origin", "https://surefire.example")];
    let upgrade = [&UPGRADE[..], &proxied].concat();
    assert_eq!(ask_as(server.address, "GET /", &upgrade).await.status(), 101);
    server.stop().await;
}

#[tokio::test]
async fn every_answer_has_the_security_headers() {
    let server = serving().await;
    let mut answers = vec![
        ask_as(server.address, "GET /", &[]).await,
        ask_as(server.address, "GET /", &[("Host", "evil.example")]).await,
        ask(server.address, "GET /", &[("Origin", "http://evil.example")]).await,
        ask(server.address, "POST /", &[]).await,
        read(server.address, "/api/recipes/implement-and-review?format=dot").await,
        read(server.address, "/api/recipes/implement-and-review?format=gif").await,
    ];
    for (path, ..) in PATHS {
        answers.push(ask(server.address, &format!("GET {path}"), &[]).await);
        answers.push(read(server.address, path).await);
    }
    for answer in answers {
        let policy =
            answer.header("content-security-policy").unwrap_or_else(|| panic!("{answer:?}"));
        assert!(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"));
        assert!(!policy.contains("unsafe"), "{policy}");
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"), "{answer:?}");
        assert_eq!(answer.header("cache-control"), Some("no-store"), "{answer:?}");
        assert_eq!(answer.header("access-control-allow-origin"), None, "{answer:?}");
        assert!(answer.header("content-type").is_some(), "{answer:?}");
    }
    server.stop().await;
}

type Header = (&'static str, &'static str);

#[tokio::test]
async fn only_a_valid_upgrade_request_gets_a_websocket() {
    let server = serving().await;
    let [connection, upgrade, version, key] = UPGRADE;
    let old = ("Sec-WebSocket-Version", "8");
    let table: &[(&str, &[Header], u16)] = &[
        ("GET /ws", &[], 426),
        ("GET /ws", &[connection, upgrade, old, key], 426),
        ("GET /ws", &[connection, upgrade, key], 426),
        ("GET /ws", &[connection, upgrade, version], 426),
        ("GET /ws", &[upgrade, version, key], 426),
        ("GET /ws", &[connection, ("Upgrade", "h2c"), version, key], 426),
        ("GET /", &[connection, upgrade, old, key], 426),
        ("GET /", &[connection, ("Upgrade", "h2c"), version, key], 200),
        ("GET /ws/", &UPGRADE, 101),
        ("GET /ws?key=1", &UPGRADE, 101),
        ("GET /socket", &UPGRADE, 404),
        ("POST /ws", &UPGRADE, 405),
        ("POST /", &[], 405),
        ("PUT /health", &[], 405),
        ("POST /console/main.js", &[], 405),
        ("DELETE /api/runs", &[], 405),
        ("OPTIONS /api/runs", &[], 405),
        ("GET /../../etc/passwd", &[], 404),
        ("GET /api", &[], 404),
        ("GET /api/sessions", &[], 404),
        ("POST /nowhere", &[], 404),
    ];
    for (line, headers, status) in table {
        let answer = ask(server.address, line, headers).await;
        assert_eq!(answer.status(), *status, "{line} {headers:?}: {answer:?}");
        if answer.status() == 405 {
            assert_eq!(answer.header("allow"), Some("GET, HEAD"));
        }
        if answer.status() == 426 {
            assert_eq!(answer.header("upgrade"), Some("websocket"));
            assert_eq!(answer.header("sec-websocket-version"), Some("13"));
        }
    }
    let answer = ask(server.address, "GET /ws", &UPGRADE).await;
    assert_eq!(
        answer.header("sec-websocket-accept"),
        Some("s3pPLMBiTxaQ9kYGzzhZRbK+xOo="),
        "{answer:?}"
    );
    server.stop().await;
}
