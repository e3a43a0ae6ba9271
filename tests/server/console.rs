//! The console's page and files, as a browser receives them.

use surefire::agent::Script;
use surefire_testkit::app::Serving;

use crate::raw::{Answer, Raw, UPGRADE, ask, ask_as, read, request};

/// The whole content security policy of the page.
const POLICY: [&str; 10] = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
];

fn has_security_headers(answer: &Answer) {
    let policy = answer.header("content-security-policy").unwrap_or_else(|| panic!("{answer:?}"));
    assert_eq!(policy.split(';').map(str::trim).collect::<Vec<_>>(), POLICY);
    for (name, value) in [
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "no-referrer"),
        ("cross-origin-resource-policy", "same-origin"),
        ("cache-control", "no-store"),
    ] {
        assert_eq!(answer.header(name), Some(value), "{answer:?}");
    }
}

#[tokio::test]
async fn the_page_and_its_files_need_no_key() {
    let server = Serving::rehearsing(Script::Happy).await;
    let table = [
        ("/", "text/html; charset=utf-8", "<title>Surefire</title>"),
        ("/?from=here", "text/html; charset=utf-8", "<title>Surefire</title>"),
        ("/console/main.js", "text/javascript; charset=utf-8", "import "),
        ("/console/main.js?again", "text/javascript; charset=utf-8", "import "),
        ("/console/styles/page.css", "text/css; charset=utf-8", "{"),
        ("/console/icon.svg", "image/svg+xml", "<svg"),
        ("/console/vendor/marked.js", "text/javascript; charset=utf-8", "export"),
    ];
    for (path, kind, words) in table {
        let answer = ask(server.address, &format!("GET {path}"), &[]).await;
        assert_eq!((answer.status(), answer.header("content-type")), (200, Some(kind)), "{path}");
        assert!(answer.text().contains(words), "{path}");
        has_security_headers(&answer);
        // The files are the same with the right key, a wrong key and no key.
        assert_eq!(read(server.address, path).await.body, answer.body, "{path}");
        let wrong =
            ask(server.address, &format!("GET {path}"), &[("Authorization", "Bearer wrong")]).await;
        assert_eq!(wrong.body, answer.body, "{path}");
    }
    server.stop().await;
}

#[tokio::test]
async fn a_head_request_gets_the_headers_of_a_get_request_and_no_body() {
    let server = Serving::rehearsing(Script::Happy).await;
    for (path, status) in
        [("/", 200), ("/console/main.js", 200), ("/health", 200), ("/api/runs", 401)]
    {
        let whole = ask(server.address, &format!("GET {path}"), &[]).await;
        let mut raw = Raw::dial(server.address).await;
        let headers = [("Host", "localhost"), ("Connection", "close")];
        raw.send(request(&format!("HEAD {path}"), &headers)).await;
        let head = Answer { head: String::from_utf8(raw.rest().await).unwrap(), body: Vec::new() };
        assert_eq!((head.status(), whole.status()), (status, status), "{path}");
        assert!(head.head.ends_with("\r\n\r\n"), "{path}: no body");
        for name in ["content-type", "content-length"] {
            assert_eq!(head.header(name), whole.header(name), "{path}");
        }
        has_security_headers(&head);
    }
    server.stop().await;
}

#[tokio::test]
async fn the_page_finds_all_its_files() {
    let server = Serving::rehearsing(Script::Happy).await;
    let page = ask(server.address, "GET /", &[]).await;
    let asked: Vec<_> = page.text().split("\"/console/").skip(1).collect();
    assert!(asked.len() >= 2, "{}", page.text());
    for name in asked {
        let name = name.split('"').next().unwrap();
        let answer = ask(server.address, &format!("GET /console/{name}"), &[]).await;
        assert_eq!(answer.status(), 200, "{name}");
    }
    server.stop().await;
}

#[tokio::test]
async fn paths_beside_the_files_are_not_found() {
    let server = Serving::rehearsing(Script::Happy).await;
    let paths = [
        "/console",
        "/console/",
        "/console/nothing.js",
        "/console/index.html",
        "/console/Main.js",
        "/console/main.js/",
        "/console//main.js",
        "/console/./main.js",
        "/console/vendor",
        "/console/vendor/",
        "/console/vendor/marked.LICENSE",
        "/console/../",
        "/console/../health",
        "/console/../mod.rs",
        "/console/vendor/../main.js",
        "/console/%2e%2e",
        "/console/%2e%2e/mod.rs",
        "/console/%2e%2e%2fmod.rs",
        "/console/..%5cmod.rs",
        "/console/main%2ejs",
        "/console/main.js%00",
        "/console//etc/passwd",
        "/main.js",
        "/index.html",
    ];
    for path in paths {
        let answer = ask(server.address, &format!("GET {path}"), &[]).await;
        assert_eq!(answer.status(), 404, "{path}: {answer:?}");
        assert!(answer.json()["error"].is_string(), "{path}");
        has_security_headers(&answer);
    }
    server.stop().await;
}

#[tokio::test]
async fn foreign_hosts_and_origins_get_no_file() {
    let server = Serving::rehearsing(Script::Happy).await;
    for path in ["/", "/console/main.js", "/console/styles/page.css", "/console/nothing.js"] {
        let line = format!("GET {path}");
        let own = server.address.to_string();
        for headers in [
            &[("Host", "evil.example")][..],
            &[("Host", "evil.example"), ("Origin", "http://evil.example")],
            &[("Host", own.as_str()), ("Origin", "http://evil.example")],
        ] {
            let answer = ask_as(server.address, &line, headers).await;
            assert_eq!(answer.status(), 403, "{path} {headers:?}");
            has_security_headers(&answer);
        }
    }
    // The path of a file does not upgrade to a WebSocket.
    assert_eq!(ask(server.address, "GET /console/main.js", &UPGRADE).await.status(), 200);
    server.stop().await;
}
