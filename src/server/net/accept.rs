//! Taking connections in: which of them get a slot, and how long they may take to say what they want.
//!
//! The loop is ours and not warp's, because warp's has no limits: no timer for half a request, no slots to count, and no end
//! for WebSockets when the server stops.

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

use super::arrival::{Arrival, KeptForAMoment, arrive};
use super::connection_limit::Slot;
use super::listener::Listener;
use super::peer::Peer;
use super::peer_slot::PeerSlot;
use super::pool::Standing;
use super::stream::Socket;
use crate::server::http::routes;
use crate::server::shared::Shared;

/// How long to wait when the system has no more sockets to give.
const OUT_OF_SOCKETS: Duration = Duration::from_millis(100);

/// How much longer than its request a connection may take for everything, unless it becomes a WebSocket. A client that asks and
/// never reads the answers would stay for ever otherwise.
const LONGEST_VISIT: u32 = 10;

/// How long a request that is answered already may take to go when its time is over.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// How long a client may take to read that there is no slot for it.
const REJECT_TIMEOUT: Duration = Duration::from_secs(1);

const FULL: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\ncontent-type: text/plain\r\ncontent-length: 49\r\n\
    retry-after: 1\r\nconnection: close\r\ncontent-security-policy: default-src 'none'; frame-ancestors 'none'\r\n\
    x-content-type-options: nosniff\r\ncache-control: no-store\r\n\r\n\
    the server has all the connections it allows now\n";

/// Takes connections in until the server stops.
pub(in crate::server) async fn accept(shared: Arc<Shared>, listener: Listener) {
    let routes = routes::all(&shared);
    let kept = KeptForAMoment::new(shared.socket_budget);
    loop {
        // Where there are too many connections without the key, the next ones are left to the system until one of these is gone.
        let next = async {
            let counted = match listener {
                Listener::Tcp(_) => shared.connections.socket().await,
                Listener::SameUser(_) => None,
            };
            (listener.accept().await, counted)
        };
        let (accepted, counted) = tokio::select! {
            () = shared.stopping.cancelled() => return,
            next = next => next,
        };
        let (socket, peer) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                // One that left before it was taken in does not matter; having no more sockets does, for a while.
                if !is_about_one(&error) {
                    tracing::warn!(%error, "no connection can be taken in");
                    tokio::time::sleep(OUT_OF_SOCKETS).await;
                }
                continue;
            }
        };
        let coming = admit(Arc::clone(&shared), routes.clone(), kept.clone(), socket, peer, counted);
        shared.tasks.spawn(coming);
    }
}

/// Finds a slot for a connection and serves it there, or says that there is none.
async fn admit(
    shared: Arc<Shared>,
    routes: BoxedFilter<(Response,)>,
    kept: KeptForAMoment,
    socket: Socket,
    peer: Peer,
    mut counted: Option<OwnedSemaphorePermit>,
) {
    match arrive(&shared, &kept, socket, peer, &mut counted).await {
        Arrival::Admitted(socket, slot) => serve(shared, routes, socket, peer, slot).await,
        Arrival::Refused(socket) => {
            if let Ok(_telling) = kept.rejections.try_acquire() {
                reject(socket).await;
            }
        }
        Arrival::Gone => {}
    }
}

fn is_about_one(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset, InvalidInput};
    // Some systems call the options of a socket invalid once its other side has left.
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset | InvalidInput)
}

async fn reject(mut socket: Socket) {
    let telling = async {
        socket.write_all(FULL).await?;
        socket.shutdown().await?;
        // Until the other side has read it.
        let mut buffer = [0; 512];
        while socket.read(&mut buffer).await? > 0 {}
        io::Result::Ok(())
    };
    let _ = timeout(REJECT_TIMEOUT, telling).await;
}

/// Serves one connection: some requests, or one that becomes a WebSocket.
async fn serve(
    shared: Arc<Shared>,
    routes: BoxedFilter<(Response,)>,
    socket: Socket,
    peer: Peer,
    slot: Slot,
) {
    let patience = shared.limits.request_time;
    let longest = patience.saturating_mul(LONGEST_VISIT);
    let over = slot.over().clone();
    let (stopping, connections) = (shared.stopping.clone(), Arc::clone(&shared.connections));
    let slot = PeerSlot::new(slot);
    let routes = TowerToHyperService::new(warp::service(routes));
    let service = service_fn(move |mut request: Request<hyper::body::Incoming>| {
        request.extensions_mut().insert(peer);
        request.extensions_mut().insert(slot.clone());
        let answer = match shared.names.check(request.headers()) {
            Ok(()) => Either::Left(routes.call(request)),
            Err(stranger) => Either::Right(ready(Ok(routes::turned_away(stranger)))),
        };
        let slot = slot.clone();
        async move {
            let answer = timeout(longest, answer).await.unwrap_or_else(|_| Ok(routes::took_too_long()));
            slot.note(Standing::Answered);
            answer
        }
    });
    let mut http = hyper::server::conn::http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(patience);
    let connection = http.serve_connection(TokioIo::new(socket), service).with_upgrades();
    let mut connection = std::pin::pin!(connection);
    let served = tokio::select! {
        // First of all, so that what has been asked already is known to it: it is answered in any case.
        biased;
        served = connection.as_mut() => served,
        // Its time is over, it has to make room for another one, or the server stops. Where others wait to be accepted, room is made at once.
        _ = timeout(longest, over.cancelled()) => {
            if over.is_cancelled() && !stopping.is_cancelled() && connections.is_crowded() {
                return;
            }
            connection.as_mut().graceful_shutdown();
            match timeout(LAST_WORDS, connection).await {
                Ok(served) => served,
                Err(_) => return,
            }
        }
    };
    if let Err(error) = served {
        tracing::debug!(address = %peer.address, %error, "a request came to nothing");
    }
}
