//! Another program or page has obtained a part of a browser's pass.

use std::net::SocketAddr;
use std::sync::Arc;

use serde_json::json;
use surefire::agent::{Rehearsal, Script};
use surefire::server::{ApiKey, ServerLimits};
use surefire_testkit::app::{App, KEY, Serving};

use crate::raw::{Answer, UPGRADE, ask};

/// Both halves of a pass.
struct Pass {
    /// The half that the page stores.
    id: String,
    /// The half that the browser stores, as it sends it.
    cookie: String,
}

async fn serving() -> Serving {
    // Otherwise the wrong keys in these tests would be throttled.
    Serving::limited(ServerLimits::default().max_wrong_keys(1000)).await
}

fn own_origin(address: SocketAddr) -> String {
    format!("http://{address}")
}

async fn new_pass(address: SocketAddr) -> Pass {
    let bearer = format!("Bearer {KEY}");
    let origin = own_origin(address);
    let headers = [("Authorization", bearer.as_str()), ("Origin", &origin)];
    let answer = ask(address, "POST /api/browser", &headers).await;
    assert_eq!(answer.status(), 200, "{answer:?}");
    let id = answer.json()["browser"].as_str().expect("it has an id").to_owned();
    let set = answer.header("set-cookie").expect("it sets a cookie");
    let (cookie, attributes) = set.split_once("; ").expect("it has attributes");
    assert_eq!(attributes, "Path=/; HttpOnly; SameSite=Strict");
    Pass { id, cookie: cookie.to_owned() }
}

/// Reads the runs with this credential and cookie, as the server's own page does.
async fn runs(address: SocketAddr, credential: Option<&str>, cookie: Option<&str>) -> u16 {
    let bearer = credential.map(|credential| format!("Bearer {credential}"));
    let credential = bearer.as_deref().map(|bearer| ("Authorization", bearer));
    let headers: Vec<_> = credential.into_iter().chain(cookie.map(|it| ("Cookie", it))).collect();
    ask(address, "GET /api/runs", &headers).await.status()
}

/// The type of the first message on a WebSocket with these headers, after this credential was sent.
async fn connect(address: SocketAddr, headers: &[(&str, &str)], credential: &str) -> String {
    let mut app = App::dial_as(address, headers).await;
    let connect = json!({ "type": "connect", "api_key": credential, "protocol_version": "0.5.0" });
    app.send(connect).await;
    app.next().await["type"].as_str().expect("messages have a type").to_owned()
}

#[tokio::test]
async fn a_browser_with_both_halves_of_a_pass_is_authenticated() {
    let server = serving().await;
    let (address, origin) = (server.address, own_origin(server.address));
    let pass = new_pass(address).await;
    assert_eq!(runs(address, Some(&pass.id), Some(&pass.cookie)).await, 200);
    let page = [("Origin", origin.as_str()), ("Cookie", &pass.cookie)];
    assert_eq!(connect(address, &page, &pass.id).await, "connected");
    server.stop().await;
}

#[tokio::test]
async fn the_cookie_alone_does_not_authenticate() {
    let server = serving().await;
    let (address, origin) = (server.address, own_origin(server.address));
    let Pass { cookie, .. } = new_pass(address).await;
    assert_eq!(runs(address, None, Some(&cookie)).await, 401);
    let (_, value) = cookie.split_once('=').unwrap();
    for credential in ["", "browser-", value, &cookie, &format!("browser-{value}")] {
        assert_eq!(runs(address, Some(credential), Some(&cookie)).await, 401, "{credential}");
        let page = [("Origin", origin.as_str()), ("Cookie", &cookie)];
        assert_eq!(connect(address, &page, credential).await, "auth_error", "{credential}");
    }
    let asked = ask(address, "POST /api/browser", &[("Cookie", &cookie)]).await;
    assert_eq!(
        (asked.status(), asked.header("set-cookie")),
        (401, None),
        "and the cookie cannot create another pass"
    );
    server.stop().await;
}

#[tokio::test]
async fn the_id_alone_does_not_authenticate() {
    let server = serving().await;
    let (address, origin) = (server.address, own_origin(server.address));
    let Pass { id, .. } = new_pass(address).await;
    assert_eq!(runs(address, Some(&id), None).await, 401);
    assert_eq!(runs(address, Some(&id), Some("theme=dark")).await, 401);
    assert_eq!(connect(address, &[("Origin", &origin)], &id).await, "auth_error");
    server.stop().await;
}

#[tokio::test]
async fn halves_of_two_passes_do_not_authenticate() {
    let server = serving().await;
    let (address, origin) = (server.address, own_origin(server.address));
    let (first, second) = (new_pass(address).await, new_pass(address).await);
    let (name, _) = first.cookie.split_once('=').unwrap();
    let (_, value) = second.cookie.split_once('=').unwrap();
    let renamed = format!("{name}={value}");
    for cookie in [&second.cookie, &renamed] {
        assert_eq!(runs(address, Some(&first.id), Some(cookie)).await, 401);
        let page = [("Origin", origin.as_str()), ("Cookie", cookie)];
        assert_eq!(connect(address, &page, &first.id).await, "auth_error");
    }
    // A browser with two passes sends both cookies.
    let both = format!("{}; {}", second.cookie, first.cookie);
    assert_eq!(runs(address, Some(&first.id), Some(&both)).await, 200);
    server.stop().await;
}

/// A browser also sends the cookie to programs on other ports of the host, which may serve pages.
#[tokio::test]
async fn a_page_of_another_origin_or_port_is_refused_even_with_a_whole_pass() {
    let server = serving().await;
    let address = server.address;
    let Pass { id, cookie } = new_pass(address).await;
    let bearer = format!("Bearer {id}");
    let other_port = format!("http://127.0.0.1:{}", address.port() ^ 1);
    for origin in ["http://evil.example", "null", &other_port] {
        let headers = [("Origin", origin), ("Cookie", cookie.as_str()), ("Authorization", &bearer)];
        for line in ["GET /api/runs", "POST /api/browser", "DELETE /api/browser"] {
            let answer = ask(address, line, &headers).await;
            let set = answer.header("set-cookie");
            assert_eq!((answer.status(), set), (403, None), "{line} {origin}");
        }
        let upgrade = [&UPGRADE[..], &headers].concat();
        assert_eq!(ask(address, "GET /ws", &upgrade).await.status(), 403, "{origin}");
    }
    server.stop().await;
}

#[tokio::test]
async fn the_cookie_of_a_websocket_without_an_origin_is_ignored() {
    let server = serving().await;
    let Pass { id, cookie } = new_pass(server.address).await;
    assert_eq!(connect(server.address, &[("Cookie", &cookie)], &id).await, "auth_error");
    server.stop().await;
}

#[tokio::test]
async fn a_new_key_ends_all_passes_and_a_restart_ends_none() {
    let server = serving().await;
    let Pass { id, cookie } = new_pass(server.address).await;
    let rehearsal = || Arc::new(Rehearsal::new(Script::Happy));
    let same = Serving::again_in(server.stop().await, rehearsal(), |builder| builder).await;
    assert_eq!(runs(same.address, Some(&id), Some(&cookie)).await, 200);

    let key = ApiKey::generate().expect("there is randomness");
    let other = Serving::again_in(same.stop().await, rehearsal(), |it| it.key(key)).await;
    let (address, origin) = (other.address, own_origin(other.address));
    assert_eq!(runs(address, Some(&id), Some(&cookie)).await, 401);
    let page = [("Origin", origin.as_str()), ("Cookie", &cookie)];
    assert_eq!(connect(address, &page, &id).await, "auth_error");
    other.stop().await;
}

#[tokio::test]
async fn forgetting_a_pass_expires_its_cookie_and_no_other() {
    let server = serving().await;
    let address = server.address;
    let Pass { id, cookie } = new_pass(address).await;
    let (name, _) = cookie.split_once('=').unwrap();
    let forget = async |credential: Option<&str>| -> Answer {
        let bearer = credential.map(|credential| format!("Bearer {credential}"));
        let headers: Vec<_> = bearer.iter().map(|it| ("Authorization", it.as_str())).collect();
        ask(address, "DELETE /api/browser", &headers).await
    };
    let answer = forget(Some(&id)).await;
    let expired = format!("{name}=; Max-Age=0; Path=/; HttpOnly; SameSite=Strict");
    assert_eq!((answer.status(), answer.header("set-cookie")), (200, Some(expired.as_str())));
    for credential in [None, Some(KEY), Some("browser-x; Domain=example"), Some("")] {
        let answer = forget(credential).await;
        assert_eq!((answer.status(), answer.header("set-cookie")), (400, None), "{credential:?}");
    }
    server.stop().await;
}

#[tokio::test]
async fn a_link_or_an_image_cannot_create_a_pass() {
    let server = serving().await;
    let bearer = format!("Bearer {KEY}");
    for line in ["GET /api/browser", "PUT /api/browser"] {
        let answer = ask(server.address, line, &[("Authorization", &bearer)]).await;
        assert_eq!(answer.status(), 405, "{line}");
        assert_eq!(answer.header("allow"), Some("POST, DELETE"), "{line}");
        assert_eq!(answer.header("set-cookie"), None, "{line}");
    }
    server.stop().await;
}
