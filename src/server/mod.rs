//! Listening: the iOS app's protocol over WebSocket, a few things to read over HTTP, and the web console at `/`.
//!
//! It decides nothing about runs (that is the [engine](crate::engine)'s) and writes no JSON by hand (that is the
//! [wire](crate::wire)'s): it joins the two, and keeps out clients without the key. Start with [`Server`]; then `socket/dialogue.rs` for what a client
//! can say, `handlers/` for what is done about it, `broadcast/follow.rs` for what everybody is told, `net/accept.rs` for who gets in, and `console/` for the page.

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
#[cfg(feature = "by-hand")]
#[doc(hidden)]
pub use socket::test_client::ByHand;

use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinSet;

use crate::engine::{Backend, Feed, Shutdown};
use crate::store::SetAside;
use net::listener::Listener;
use shared::Shared;

/// How long clients may take to go when the server stops.
const LAST_WORDS: Duration = Duration::from_secs(3);

/// A server that listens, and is about to serve: the iOS app, and browsers, for which it has a web console at `/`.
///
/// The console takes the key from behind the `#` of its address, which browsers keep to themselves, or asks for it.
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
///     .agent(Arc::new(Rehearsal::default())) // pretends; `Claude` is the real one
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
    // Before what holds the data directory: its socket is removed by the one that may have put it there.
    listeners: Vec<Listener>,
    shared: Arc<Shared>,
    address: SocketAddr,
    feed: Feed,
    shutdown: Shutdown,
    set_aside: Option<SetAside>,
}

impl Server {
    /// Describes a server.
    pub fn builder() -> ServerBuilder {
        ServerBuilder::default()
    }

    /// Where it listens.
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

    /// What became of a store that was damaged; a new one was begun.
    #[must_use]
    pub const fn set_aside(&self) -> Option<&SetAside> {
        self.set_aside.as_ref()
    }

    /// Serves until `shutdown` is done. Then nobody is let in any more, everybody is told so, and what goes on is taken up by the
    /// next server.
    ///
    /// If this is dropped before that, clients have to go as well; but runs go on in the [engine](Self::engine), and nobody
    /// waits for anything.
    pub async fn serve(self, shutdown: impl Future<Output = ()>) {
        let Self { listeners, shared, feed, shutdown: how, .. } = self;
        let _dropped = shared.stopping.clone().drop_guard();
        let mut accepting = JoinSet::new();
        for listener in listeners {
            accepting.spawn(net::accept::accept(Arc::clone(&shared), listener));
        }
        let timekeeper = Arc::clone(&shared);
        let mut telling = JoinSet::new();
        telling.spawn(broadcast::follow::follow(Arc::clone(&shared), feed));
        telling.spawn(async move { timekeeper.hub.keep_time(&timekeeper.clock).await });
        shutdown.await;
        tracing::info!("the server stops");
        shared.stopping.cancel();
        // The listeners are closed before anything else, so that the next server can have its address.
        while accepting.join_next().await.is_some() {}
        shared.tasks.close();
        let going = tokio::time::timeout(LAST_WORDS, shared.tasks.wait());
        let (gone, ()) = tokio::join!(going, shared.engine.shut_down(how));
        if gone.is_err() {
            tracing::warn!("some clients have not gone in time");
        }
        telling.shutdown().await;
    }
}

impl std::fmt::Debug for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Server").field("address", &self.address).finish_non_exhaustive()
    }
}
