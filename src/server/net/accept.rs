//! Accepts connections: which of them get a slot, and how long each may take to send its request.
//!
//! We run our own accept loop because warp's has no limits: no timeout for an incomplete request,
//! no bound on connections, and no way to close WebSockets when the server stops.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{Either, ready};
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::timeout;
use warp::filters::BoxedFilter;
use warp::http::Request;
use warp::reply::Response;

use super::arrival::{Arrival, SlotlessLimits, arrive};
use super::connection_limit::Slot;
use super::listener::Listener;
use super::peer::Peer;
use super::peer_slot::PeerSlot;
use super::pool::Standing;
use super::stream::Socket;
use crate::server::http::routes;
use crate::server::shared::Shared;

/// How long to wait before accepting again when the process has run out of sockets.
const OUT_OF_SOCKETS_DELAY: Duration = Duration::from_millis(100);

/// A connection that does not become a WebSocket may take this many times the request timeout in
/// total. Otherwise a client that sends requests and never reads the responses would stay forever.
const MAX_GRACE_FACTOR: u32 = 10;

/// How long a connection whose time is up may take to finish its current response.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(1);

/// How long a client may take to read the rejection when no slot is free.
const REJECT_TIMEOUT: Duration = Duration::from_secs(1);

const SERVICE_UNAVAILABLE: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\ncontent-type: text/plain\r\ncontent-length: 49\r\n\
    retry-after: 1\r\nconnection: close\r\ncontent-security-policy: default-src 'none'; frame-ancestors 'none'\r\n\
    x-content-type-options: nosniff\r\ncache-control: no-store\r\n\r\n\
    the server is at its connection limit; try again\n";

/// Accepts connections until the server stops.
pub(in crate::server) async fn accept(shared: Arc<Shared>, listener: Listener) {
    let routes = routes::all(&shared);
    let slotless = SlotlessLimits::new(shared.socket_budget);
    loop {
        // With too many unauthenticated connections, the next ones stay in the listener's backlog
        // until one of these is closed.
        let next = async {
            let socket_permit = match listener {
                Listener::Tcp(_) => shared.connections.socket().await,
                Listener::SameUser(_) => None,
            };
            (listener.accept().await, socket_permit)
        };
        let (accepted, socket_permit) = tokio::select! {
            () = shared.stopping.cancelled() => return,
            next = next => next,
        };
        let (socket, peer) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                // A peer that disconnected before it was accepted is harmless; running out of
                // sockets needs a backoff.
                if !concerns_one_connection(&error) {
                    tracing::warn!(%error, "failed to accept connection; retrying");
                    tokio::time::sleep(OUT_OF_SOCKETS_DELAY).await;
                }
                continue;
            }
        };
        let connection = admit(
            Arc::clone(&shared),
            routes.clone(),
            slotless.clone(),
            socket,
            peer,
            socket_permit,
        );
        shared.tasks.spawn(connection);
    }
}

/// Waits for a slot and serves the connection, or rejects it.
async fn admit(
    shared: Arc<Shared>,
    routes: BoxedFilter<(Response,)>,
    slotless: SlotlessLimits,
    socket: Socket,
    peer: Peer,
    mut socket_permit: Option<OwnedSemaphorePermit>,
) {
    match arrive(&shared, &slotless, socket, peer, &mut socket_permit).await {
        Arrival::Admitted(socket, slot) => serve(shared, routes, socket, peer, slot).await,
        Arrival::Refused(socket) => {
            if let Ok(_permit) = slotless.rejections.try_acquire() {
                reject(socket).await;
            }
        }
        Arrival::Gone => {}
    }
}

fn concerns_one_connection(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset, InvalidInput};
    // Some systems report a socket's options as invalid once its peer has disconnected.
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset | InvalidInput)
}

async fn reject(mut socket: Socket) {
    let rejecting = async {
        socket.write_all(SERVICE_UNAVAILABLE).await?;
        socket.shutdown().await?;
        // Wait for the peer to close, so that it can read the rejection.
        let mut buffer = [0; 512];
        while socket.read(&mut buffer).await? > 0 {}
        io::Result::Ok(())
    };
    let _ = timeout(REJECT_TIMEOUT, rejecting).await;
}

/// Serves one connection: plain requests, or one that becomes a WebSocket.
async fn serve(
    shared: Arc<Shared>,
    routes: BoxedFilter<(Response,)>,
    socket: Socket,
    peer: Peer,
    slot: Slot,
) {
    let request_timeout = shared.limits.request_timeout;
    let max_time = request_timeout.saturating_mul(MAX_GRACE_FACTOR);
    let over = slot.over().clone();
    let (stopping, connections) = (shared.stopping.clone(), Arc::clone(&shared.connections));
    let slot = PeerSlot::new(slot);
    let routes = TowerToHyperService::new(warp::service(routes));
    let service = service_fn(move |mut request: Request<hyper::body::Incoming>| {
        request.extensions_mut().insert(peer);
        request.extensions_mut().insert(slot.clone());
        let answer = match shared.names.check(request.headers()) {
            Ok(()) => Either::Left(routes.call(request)),
            Err(rejection) => Either::Right(ready(Ok(routes::reject_host(rejection)))),
        };
        let slot = slot.clone();
        async move {
            let answer =
                timeout(max_time, answer).await.unwrap_or_else(|_| Ok(routes::took_too_long()));
            slot.note(Standing::Answered);
            answer
        }
    });
    let mut http = hyper::server::conn::http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(request_timeout);
    let connection = http.serve_connection(TokioIo::new(socket), service).with_upgrades();
    let mut connection = std::pin::pin!(connection);
    let served = tokio::select! {
        // Polled first, so that hyper reads a request that has already arrived: it is answered even
        // if the connection has to close.
        biased;
        served = connection.as_mut() => served,
        // Its time is up, it was displaced, or the server is stopping. While other connections wait
        // to be accepted, it is closed at once.
        _ = timeout(max_time, over.cancelled()) => {
            if over.is_cancelled() && !stopping.is_cancelled() && connections.is_crowded() {
                return;
            }
            connection.as_mut().graceful_shutdown();
            match timeout(SHUTDOWN_TIMEOUT, connection).await {
                Ok(served) => served,
                Err(_) => return,
            }
        }
    };
    if let Err(error) = served {
        tracing::debug!(address = %peer.address, %error, "failed to serve connection");
    }
}
