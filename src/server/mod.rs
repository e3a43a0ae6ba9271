//! Listening: the iOS app's protocol over WebSocket, a few HTTP endpoints, and the web console at
//! `/`.
//!
//! It decides nothing about runs (the [engine](crate::engine) does) and defines no messages (the
//! [wire](crate::wire) module does): it connects the two, and rejects clients without the key.
//! Start with [`Server`]; then `socket/client_session.rs` for what a client can send, `handlers/`
//! for how each message is handled, `broadcast/follow.rs` for what all clients are sent,
//! `net/accept.rs` for which connections are admitted, and `console/` for the page.

mod bind_error;
pub(crate) mod broadcast;
mod builder;
mod console;
mod handlers;
mod http;
pub(crate) mod ledger;
mod limits;
pub(crate) mod net;
mod shared;
mod socket;

pub use bind_error::BindError;
pub use builder::ServerBuilder;
pub use limits::ServerLimits;
pub use net::key::{ApiKey, KeyError};
#[cfg(feature = "__test-client")]
#[doc(hidden)]
pub use socket::test_client::TestClient;

use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinSet;

use crate::engine::{Backend, EventStream, Shutdown};
use crate::store::QuarantinedStore;
use net::listener::Listener;
use shared::Shared;

/// How long clients may take to disconnect when the server stops.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(3);

/// A server that listens and is ready to serve the iOS app, and browsers, for which it has a web
/// console at `/`.
///
/// The console takes the key from the fragment of its URL (behind the `#`), which browsers do not
/// send to servers, or asks for it.
///
/// ```
/// use std::sync::Arc;
///
/// use surefire::agent::Rehearsal;
/// use surefire::recipes::BUNDLED;
/// use surefire::server::Server;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// # let (data, projects) = (folder.path().join("data"), folder.path().to_owned());
/// let server = Server::builder()
///     .recipes(BUNDLED)
///     .agent(Arc::new(Rehearsal::default())) // simulates an agent; `Claude` runs a real one
///     .data(data)
///     .root(projects)
///     .listen(([127, 0, 0, 1], 0))
///     .bind()
///     .await?;
/// println!("open http://{}/#key={}", server.address(), server.key().reveal());
/// # let tomorrow = async {};
/// server.serve(tomorrow).await;
/// # Ok(())
/// # }
/// ```
pub struct Server {
    // Declared before `shared`, which holds the data directory: the socket there has to be removed
    // while it is still held.
    listeners: Vec<Listener>,
    shared: Arc<Shared>,
    address: SocketAddr,
    feed: EventStream,
    shutdown: Shutdown,
    quarantined: Option<QuarantinedStore>,
}

impl Server {
    /// Configures a server.
    pub fn builder() -> ServerBuilder {
        ServerBuilder::default()
    }

    /// The address it listens at.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// The key that clients have to know.
    #[must_use]
    pub fn key(&self) -> &ApiKey {
        &self.shared.key
    }

    /// The engine that runs recipes for it.
    #[must_use]
    pub fn engine(&self) -> &Arc<dyn Backend> {
        &self.shared.engine
    }

    /// The damaged store that was moved aside at the start, if any; a new one was created.
    #[must_use]
    pub const fn set_aside(&self) -> Option<&QuarantinedStore> {
        self.quarantined.as_ref()
    }

    /// Serves until `shutdown` completes. Then no more connections are accepted, all clients are
    /// notified, and the next server recovers what is running.
    ///
    /// If this future is dropped before that, clients are disconnected as well; but runs continue
    /// in the [engine](Self::engine), and nothing is awaited.
    pub async fn serve(self, shutdown: impl Future<Output = ()>) {
        let Self { listeners, shared, feed, shutdown: how, .. } = self;
        let _dropped = shared.stopping.clone().drop_guard();
        let mut accepting = JoinSet::new();
        for listener in listeners {
            accepting.spawn(net::accept::accept(Arc::clone(&shared), listener));
        }
        let delayed = Arc::clone(&shared);
        let mut broadcast = JoinSet::new();
        broadcast.spawn(broadcast::follow::follow(Arc::clone(&shared), feed));
        broadcast.spawn(async move { delayed.hub.send_delayed(&delayed.clock).await });
        shutdown.await;
        tracing::info!("stopping the server");
        shared.stopping.cancel();
        // The listeners are closed before anything else, so that the next server can bind the
        // address.
        while accepting.join_next().await.is_some() {}
        shared.tasks.close();
        let disconnecting = tokio::time::timeout(SHUTDOWN_TIMEOUT, shared.tasks.wait());
        let (disconnected, ()) = tokio::join!(disconnecting, shared.engine.shut_down(how));
        if disconnected.is_err() {
            tracing::warn!("timed out waiting for clients to disconnect");
        }
        broadcast.shutdown().await;
    }
}

impl std::fmt::Debug for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Server").field("address", &self.address).finish_non_exhaustive()
    }
}
