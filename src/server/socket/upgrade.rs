//! From a request to a WebSocket.
//!
//! warp could do this by itself, but not with a small read buffer, and one connection would take
//! twenty times the memory.

use std::sync::Arc;

use hyper::upgrade::{OnUpgrade, Parts};
use hyper_util::rt::TokioIo;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::handshake::server::create_response_with_body;
use tokio_tungstenite::tungstenite::protocol::Role;
use warp::Reply;
use warp::http::header::{ORIGIN, SEC_WEBSOCKET_VERSION, UPGRADE};
use warp::http::{HeaderMap, HeaderValue, Request, StatusCode};
use warp::reply::Response;

use super::connection;
use crate::server::http::problem::problem;
use crate::server::net::browser_pass;
use crate::server::net::caller::Caller;
use crate::server::net::peer::Peer;
use crate::server::net::peer_slot::PeerSlot;
use crate::server::net::pool::Standing;
use crate::server::net::stream::Socket;
use crate::server::net::widening::MayWiden;
use crate::server::shared::Shared;

/// Answers a request for a WebSocket, and serves the client over it once the response is sent.
pub(in crate::server) fn upgrade(
    headers: HeaderMap,
    shared: Arc<Shared>,
    peer: Peer,
    slot: &PeerSlot,
    upgrade: OnUpgrade,
) -> Response {
    let may_widen = MayWiden::decide(peer, &headers);
    let cookies = cookies_of_page(&headers);
    let mut request = Request::new(());
    *request.headers_mut() = headers;
    let Ok(answer) = create_response_with_body(&request, || ()) else { return required() };
    let Some(slot) = slot.take() else { return required() };
    // Earlier requests on it may have been answered; from here on the client has to show the key.
    slot.note(Standing::Fresh);
    let tasks = shared.tasks.clone();
    tasks.spawn(async move {
        let Ok(upgraded) = upgrade.await else { return };
        let Ok(Parts { io, read_buf, .. }) = upgraded.downcast::<TokioIo<Socket>>() else { return };
        let config = Some(connection::config(&shared.limits));
        let (stream, already) = (io.into_inner(), read_buf.to_vec());
        let socket =
            WebSocketStream::from_partially_read(stream, already, Role::Server, config).await;
        connection::serve(socket, shared, Caller { peer, may_widen, cookies }, slot).await;
    });
    let (parts, ()) = answer.into_parts();
    let mut answer = StatusCode::SWITCHING_PROTOCOLS.into_response();
    *answer.headers_mut() = parts.headers;
    answer
}

/// The cookies of a request from a page. `Origin` has already been checked if it is present, and
/// every browser sends it with a WebSocket: without it the cookie does not come from one of our
/// pages.
fn cookies_of_page(headers: &HeaderMap) -> Option<String> {
    headers.get(ORIGIN).and_then(|_| browser_pass::cookies(headers)).map(str::to_owned)
}

/// The response to a request that is not for a WebSocket.
pub(in crate::server) fn required() -> Response {
    let mut answer =
        problem(StatusCode::UPGRADE_REQUIRED, "this endpoint needs a WebSocket of version 13");
    answer.headers_mut().insert(SEC_WEBSOCKET_VERSION, HeaderValue::from_static("13"));
    answer.headers_mut().insert(UPGRADE, HeaderValue::from_static("websocket"));
    answer
}
