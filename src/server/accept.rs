//! Taking connections in: who gets a place, and how long they may take to say what they want.
//!
//! The loop is ours and not warp's, because warp's has no limits: no timer for half a request, no places to count, and no end
//! for WebSockets when the server stops.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::future::{Either, ready};
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use warp::filters::BoxedFilter;
use warp::http::Request;
use warp::reply::Response;

use super::places::{Place, Places};
use super::routes;
use super::shared::Shared;

/// How long to wait when the system has no more sockets to give.
const OUT_OF_SOCKETS: Duration = Duration::from_millis(100);

/// How much longer than its request a connection may take for everything, unless it becomes a WebSocket. Somebody who asks and
/// never reads the answers would stay for ever otherwise.
const LONGEST_VISIT: u32 = 10;

/// How long a request that is answered already may take to go when its time is over.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// How long somebody may take to read that there is no place for them.
const TURNED_AWAY: Duration = Duration::from_secs(1);

const FULL: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\ncontent-type: text/plain\r\ncontent-length: 49\r\n\
    retry-after: 1\r\nconnection: close\r\ncontent-security-policy: default-src 'none'; frame-ancestors 'none'\r\n\
    x-content-type-options: nosniff\r\ncache-control: no-store\r\n\r\n\
    the server has all the connections it allows now\n";

/// Who makes a request, and where their place is: a WebSocket takes it along.
#[derive(Clone)]
pub(super) struct Visitor {
    pub(super) address: IpAddr,
    pub(super) place: Arc<Mutex<Option<Place>>>,
}

impl Visitor {
    pub(super) fn take_place(&self) -> Option<Place> {
        self.place.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// Takes connections in until the server stops.
pub(super) async fn accept(shared: Arc<Shared>, listener: TcpListener) {
    let places = Arc::new(Places::new(&shared.limits));
    let routes = routes::all(&shared);
    loop {
        let accepted = tokio::select! {
            () = shared.stopping.cancelled() => return,
            accepted = listener.accept() => accepted,
        };
        let (stream, address) = match accepted {
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
        // Those who get no place are not counted: there are as many of them as there are sockets for a second.
        let coming = welcome(Arc::clone(&shared), Arc::clone(&places), routes.clone(), stream, address);
        shared.tasks.spawn(coming);
    }
}

/// Finds a place for somebody and serves them there, or says that there is none.
async fn welcome(
    shared: Arc<Shared>,
    places: Arc<Places>,
    routes: BoxedFilter<(Response,)>,
    stream: TcpStream,
    address: SocketAddr,
) {
    let place = tokio::select! {
        place = places.take(shared.limits.request_time) => place,
        () = shared.stopping.cancelled() => return,
    };
    match place {
        Some(place) => serve(shared, &places, routes, stream, address, place).await,
        None => turn_away(stream).await,
    }
}

fn is_about_one(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset)
}

async fn turn_away(mut stream: TcpStream) {
    let telling = async {
        stream.write_all(FULL).await?;
        stream.shutdown().await?;
        // Until the other side has read it.
        let mut buffer = [0; 512];
        while stream.read(&mut buffer).await? > 0 {}
        io::Result::Ok(())
    };
    let _ = timeout(TURNED_AWAY, telling).await;
}

/// Serves one connection: some requests, or one that becomes a WebSocket.
async fn serve(
    shared: Arc<Shared>,
    places: &Places,
    routes: BoxedFilter<(Response,)>,
    stream: TcpStream,
    address: SocketAddr,
    place: Place,
) {
    let patience = shared.limits.request_time;
    let longest = patience.saturating_mul(LONGEST_VISIT);
    // Two small messages would otherwise wait for each other's receipt.
    if stream.set_nodelay(true).is_err() {
        return;
    }
    let mut first = [0];
    tokio::select! {
        came = timeout(patience, stream.peek(&mut first)) => if came.is_err() { return },
        () = shared.stopping.cancelled() => return,
    }
    let visitor = Visitor { address: address.ip(), place: Arc::new(Mutex::new(Some(place))) };
    let routes = TowerToHyperService::new(warp::service(routes));
    let at_the_door = Arc::clone(&shared);
    let answered = CancellationToken::new();
    let one_more = answered.clone();
    let service = service_fn(move |mut request: Request<hyper::body::Incoming>| {
        request.extensions_mut().insert(visitor.clone());
        let answer = match at_the_door.names.check(request.headers()) {
            Ok(()) => Either::Left(routes.call(request)),
            Err(stranger) => Either::Right(ready(Ok(routes::turned_away(stranger)))),
        };
        let one_more = one_more.clone();
        async move {
            let answer = timeout(longest, answer).await.unwrap_or_else(|_| Ok(routes::took_too_long()));
            one_more.cancel();
            answer
        }
    });
    let mut http = hyper::server::conn::http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(patience);
    let connection = http.serve_connection(TokioIo::new(stream), service).with_upgrades();
    let mut connection = std::pin::pin!(connection);
    let its_time = async {
        let _ = timeout(longest, shared.stopping.cancelled()).await;
    };
    let mut its_time = std::pin::pin!(its_time);
    // Whoever is still about to ask is heard first: they have little time for it anyway, and a WebSocket that begins with the
    // announcement of its end is none for many.
    let wanted = async {
        answered.cancelled().await;
        places.are_wanted().await;
    };
    let mut wanted = std::pin::pin!(wanted);
    let mut crowded = false;
    let served = loop {
        tokio::select! {
            // First of all, so that what has been asked already is known to it: it is answered in any case.
            biased;
            served = connection.as_mut() => break served,
            () = its_time.as_mut() => {
                connection.as_mut().graceful_shutdown();
                match timeout(LAST_WORDS, connection).await {
                    Ok(served) => break served,
                    Err(_) => return,
                }
            }
            () = wanted.as_mut(), if !crowded => {
                crowded = true;
                connection.as_mut().graceful_shutdown();
            }
        }
    };
    if let Err(error) = served {
        tracing::debug!(%address, %error, "a request came to nothing");
    }
}
