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
use tokio::sync::Semaphore;
use tokio::time::timeout;
use warp::filters::BoxedFilter;
use warp::http::Request;
use warp::reply::Response;

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

/// How long a client may take to read that there is no slot for it, and how many are told so at once. Without a bound they would use up
/// the sockets of the process.
const REJECT_TIMEOUT: Duration = Duration::from_secs(1);
const MAX_REJECTIONS: usize = 64;

/// How many connections that were displaced before they said anything may still say it.
const MAX_DISPLACED: usize = 64;

const FULL: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\ncontent-type: text/plain\r\ncontent-length: 49\r\n\
    retry-after: 1\r\nconnection: close\r\ncontent-security-policy: default-src 'none'; frame-ancestors 'none'\r\n\
    x-content-type-options: nosniff\r\ncache-control: no-store\r\n\r\n\
    the server has all the connections it allows now\n";

/// Takes connections in until the server stops.
pub(in crate::server) async fn accept(shared: Arc<Shared>, listener: Listener) {
    let routes = routes::all(&shared);
    let semaphores = Semaphores {
        rejections: Arc::new(Semaphore::new(MAX_REJECTIONS)),
        displaced: Arc::new(Semaphore::new(MAX_DISPLACED)),
    };
    loop {
        let accepted = tokio::select! {
            () = shared.stopping.cancelled() => return,
            accepted = listener.accept() => accepted,
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
        let coming = admit(Arc::clone(&shared), routes.clone(), semaphores.clone(), socket, peer);
        shared.tasks.spawn(coming);
    }
}

/// Finds a slot for a connection and serves it there, or says that there is none.
async fn admit(
    shared: Arc<Shared>,
    routes: BoxedFilter<(Response,)>,
    semaphores: Semaphores,
    socket: Socket,
    peer: Peer,
) {
    loop {
        let slot = tokio::select! {
            slot = shared.connections.admit(peer) => slot,
            () = shared.stopping.cancelled() => return,
            // A client that has left takes no place in the queue.
            () = socket.gone() => return,
        };
        let Some(slot) = slot else {
            if let Ok(_telling) = semaphores.rejections.try_acquire() {
                reject(socket).await;
            }
            return;
        };
        let patience = shared.limits.request_time;
        let silent = tokio::select! {
            // First of all, so that what has been said already is heard even where the connection is to go.
            biased;
            came = timeout(patience, socket.first_byte()) => if came.is_err() { return } else { false },
            () = slot.over().cancelled() => true,
        };
        if !silent {
            return serve(shared, routes, socket, peer, slot).await;
        }
        // It was displaced before it said anything. A busy browser may do that late, and would show a broken page if it were
        // turned away for good: it can have another slot once it does.
        drop(slot);
        let Ok(_displaced) = semaphores.displaced.try_acquire() else { return };
        tokio::select! {
            () = shared.stopping.cancelled() => return,
            came = timeout(patience, socket.first_byte()) => if came.is_err() { return },
        }
    }
}

/// How many connections without a slot are kept for a moment.
#[derive(Clone)]
struct Semaphores {
    rejections: Arc<Semaphore>,
    displaced: Arc<Semaphore>,
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
        // Its time is over, it has to make room for another one, or the server stops.
        _ = timeout(longest, over.cancelled()) => {
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
