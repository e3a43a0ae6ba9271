//! Describing a server, and bringing it up.

use std::future::Future;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use tokio::net::{TcpListener, TcpSocket};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::Server;
use super::bind_error::BindError;
use super::broadcast::follow;
use super::broadcast::hub::Hub;
use super::broadcast::update::frame;
use super::broadcast::viewers::Viewers;
use super::limits::ServerLimits;
use super::net::auth_throttle::AuthThrottle;
use super::net::connection_limit::ConnectionLimit;
use super::net::descriptors::{self, SocketBudget};
use super::net::key::ApiKey;
use super::net::listener::Listener;
use super::net::names::Names;
use super::net::same_user::SameUser;
use super::shared::Shared;
use crate::Catalog;
use crate::agent::Agent;
use crate::engine::{Backend, Engine, Options, Shutdown};
use crate::store::{SetAside, Sqlite, Store, StoreError};
use crate::wire::ServerMessage;

/// The usual port.
const PORT: u16 = 8080;

/// How many connections the system keeps until they are accepted, unless its own limit is lower. In a crowd the owner's connection is
/// one of them, and one that finds no room there would try again only after seconds.
const BACKLOG: u32 = 4096;

/// The key file's name in the data directory.
const KEY_FILE: &str = "api-key";

/// A server to be; made by [`Server::builder`].
///
/// It needs recipes, at least one agent and a data directory. Everything else has a usual value.
#[must_use]
pub struct ServerBuilder {
    catalog: Option<Catalog>,
    agents: Vec<Arc<dyn Agent>>,
    data: Option<PathBuf>,
    store: Option<Arc<dyn Store>>,
    roots: Vec<PathBuf>,
    same_user_adds_roots: bool,
    listen: SocketAddr,
    lan: bool,
    hosts: Vec<String>,
    key: Option<ApiKey>,
    key_file: Option<PathBuf>,
    limits: ServerLimits,
    shutdown: Shutdown,
    tune: Option<Tune>,
}

/// Changes what the engine is opened with.
type Tune = Box<dyn FnOnce(&mut Options) + Send>;

impl Default for ServerBuilder {
    fn default() -> Self {
        Self {
            catalog: None,
            agents: Vec::new(),
            data: None,
            store: None,
            roots: Vec::new(),
            same_user_adds_roots: false,
            listen: (Ipv4Addr::LOCALHOST, PORT).into(),
            lan: false,
            hosts: Vec::new(),
            key: None,
            key_file: None,
            limits: ServerLimits::default(),
            shutdown: Shutdown::LeaveAgents,
            tune: None,
        }
    }
}

impl ServerBuilder {
    /// The recipes on offer.
    pub fn recipes(self, catalog: Catalog) -> Self {
        Self { catalog: Some(catalog), ..self }
    }

    /// An agent. The first one is used where nobody asks for another.
    pub fn agent(mut self, agent: Arc<dyn Agent>) -> Self {
        self.agents.push(agent);
        self
    }

    /// Where everything is kept: the store, the key, and what agents write.
    pub fn data(self, directory: impl Into<PathBuf>) -> Self {
        Self { data: Some(directory.into()), ..self }
    }

    /// A store of your own, instead of the usual one in the data directory.
    pub fn store(self, store: Arc<dyn Store>) -> Self {
        Self { store: Some(store), ..self }
    }

    /// A directory that agents may work in, and below; the user's home if there is none of these.
    pub fn root(mut self, directory: impl Into<PathBuf>) -> Self {
        self.roots.push(directory.into());
        self
    }

    /// Whether a process of the same user on this machine may have a run started anywhere: the directory becomes a root then. Clients
    /// that come to the server's address cannot add any.
    pub fn same_user_adds_roots(self, allowed: bool) -> Self {
        Self { same_user_adds_roots: allowed, ..self }
    }

    /// Where to listen: 127.0.0.1:8080, unless told otherwise. Port 0 takes one that is free.
    pub fn listen(self, address: impl Into<SocketAddr>) -> Self {
        Self { listen: address.into(), ..self }
    }

    /// Whether other machines may connect. Without this, only addresses of this machine itself can be listened at.
    ///
    /// There is no encryption: whoever can read the network can read the key, and use this machine's agent.
    pub fn lan(self, allowed: bool) -> Self {
        Self { lan: allowed, ..self }
    }

    /// Another name that this server may be called by, beside addresses, `localhost` and the machine's own name.
    pub fn allow_host(mut self, name: impl Into<String>) -> Self {
        self.hosts.push(name.into());
        self
    }

    /// The key itself, instead of one from a file.
    pub fn key(self, key: ApiKey) -> Self {
        Self { key: Some(key), ..self }
    }

    /// The file that the key is in; `api-key` in the data directory, unless told otherwise. It is made if it is not there.
    pub fn key_file(self, path: impl Into<PathBuf>) -> Self {
        Self { key_file: Some(path.into()), ..self }
    }

    /// What clients may ask of the server.
    pub fn limits(self, limits: ServerLimits) -> Self {
        Self { limits, ..self }
    }

    /// What becomes of the agents when the server stops. Unless told otherwise they work on, and the next server takes up what
    /// they did.
    pub fn on_shutdown(self, shutdown: Shutdown) -> Self {
        Self { shutdown, ..self }
    }

    /// Changes anything else about the engine: how many agents may work at once, say.
    pub fn tune(self, tune: impl FnOnce(&mut Options) + Send + 'static) -> Self {
        Self { tune: Some(Box::new(tune)), ..self }
    }

    /// Brings the server up: it listens, and has taken up what an earlier one left, but lets nobody in yet.
    ///
    /// # Errors
    /// Something is missing, or cannot be had: the address, the key, the store.
    pub async fn bind(self) -> Result<Server, BindError> {
        let catalog = self.catalog.ok_or(BindError::Missing("recipes"))?;
        let data = self.data.ok_or(BindError::Missing("data"))?;
        let first = self.agents.first().cloned().ok_or(BindError::Missing("agent"))?;
        if !self.lan && !self.listen.ip().to_canonical().is_loopback() {
            return Err(BindError::NotLoopback(self.listen));
        }
        // First what can be taken by others, so that nothing is begun that cannot be served.
        let (listener, address) = match listen(self.listen) {
            Ok(listener) => listener,
            Err(in_use) if self.store.is_some() => return Err(in_use),
            Err(in_use) => return Err(held(data).unwrap_or(in_use)),
        };
        let (store, set_aside, announce) = match self.store {
            Some(store) => (store, None, None),
            None => {
                let (store, set_aside) = open(&data)?;
                (Arc::clone(&store) as Arc<dyn Store>, set_aside, Some(store))
            }
        };
        let (key, key_file) = match self.key {
            Some(key) => (key, None),
            None => {
                let path = self.key_file.unwrap_or_else(|| data.join(KEY_FILE));
                (ApiKey::in_file(&path)?, std::path::absolute(path).ok())
            }
        };
        // From here on the store is held for longer than these: what is in the data directory is removed by its holder.
        let mut listeners = vec![Listener::Tcp(listener)];
        if let Some(store) = &announce {
            // Before it is announced: whoever reads that may come at once.
            match SameUser::bind(&data) {
                Ok(same_user) => listeners.push(Listener::SameUser(same_user)),
                // No path is short enough, or no file system has sockets. Its address remains, and the doctor says so.
                Err(error) => {
                    tracing::warn!(%error, data = %data.display(), "cannot listen in the data directory");
                }
            }
            store.announce(&address.to_string(), key_file.as_deref())?;
        }
        let mut options = Options::new(catalog, first, store, data);
        options.agents = self.agents;
        if !self.roots.is_empty() {
            options.roots = self.roots;
        }
        if let Some(tune) = self.tune {
            tune(&mut options);
        }
        let (agents, clock) = (options.agents.clone(), options.clock.clone());
        let growing_roots = self.same_user_adds_roots.then(|| options.more_roots.clone());
        let engine: Arc<dyn Backend> = Arc::new(Engine::open(options).await?);
        let feed = engine.listen();
        // What happened before is not told as news.
        let followed = engine.read(Store::last_place).await?;
        let started_in = std::env::current_dir().ok();
        let proposed = engine.propose_directory(started_in.as_deref());
        let limits = self.limits.that_can_be_kept();
        let socket_budget = SocketBudget::new(&limits, descriptors::raise());
        let stopping = CancellationToken::new();
        let shared = Shared {
            engine,
            catalog,
            agents,
            // One that cannot be written as text could not be sent back either.
            proposed_directory: proposed.and_then(|path| path.into_os_string().into_string().ok()),
            growing_roots,
            clock,
            key,
            throttle: AuthThrottle::new(&limits),
            socket_budget,
            connections: ConnectionLimit::new(&limits, socket_budget, stopping.clone()),
            limits,
            names: Names::new(self.hosts),
            hub: Hub::default(),
            viewers: Viewers::default(),
            followed: watch::Sender::new(followed),
            pong: frame(&ServerMessage::Pong),
            tasks: TaskTracker::new(),
            stopping,
            clients: AtomicU64::new(0),
        };
        follow::remember(&shared).await?;
        Ok(Server { listeners, shared: Arc::new(shared), address, feed, shutdown: self.shutdown, set_aside })
    }

    /// Brings the server up and serves until `shutdown` is done.
    ///
    /// # Errors
    /// As [`bind`](Self::bind).
    pub async fn serve(self, shutdown: impl Future<Output = ()>) -> Result<(), BindError> {
        self.bind().await?.serve(shutdown).await;
        Ok(())
    }
}

fn listen(address: SocketAddr) -> Result<(TcpListener, SocketAddr), BindError> {
    let unusable = |error: std::io::Error| BindError::address(address, &error);
    let bind = || {
        let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
        socket.set_reuseaddr(true)?;
        socket.bind(address)?;
        let listener = socket.listen(BACKLOG)?;
        let bound = listener.local_addr()?;
        Ok((listener, bound))
    };
    bind().map_err(unusable)
}

/// Says who holds the data directory, if somebody does: where the address is taken as well, it is by the same server, and
/// another port would not help.
fn held(path: PathBuf) -> Option<BindError> {
    let holder = Sqlite::holder(&path).ok()??;
    Some(StoreError::Held { path, holder }.into())
}

/// Opens the usual store.
fn open(data: &Path) -> Result<(Arc<Sqlite>, Option<SetAside>), BindError> {
    let opened = Sqlite::open(data)?;
    if let Some(aside) = &opened.set_aside {
        tracing::error!(now = %aside.path.display(), why = %aside.why, "the store was damaged; a new one was begun");
    }
    Ok((Arc::new(opened.store), opened.set_aside))
}
