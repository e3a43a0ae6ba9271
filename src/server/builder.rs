//! Configures a server and starts it.

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
use super::net::allowed_hosts::AllowedHosts;
use super::net::auth_throttle::AuthThrottle;
use super::net::connection_limit::ConnectionLimit;
use super::net::descriptors::{self, SocketBudget};
use super::net::key::ApiKey;
use super::net::listener::Listener;
use super::net::same_user::SameUser;
use super::shared::Shared;
use crate::Catalog;
use crate::agent::Agent;
use crate::engine::{Backend, Engine, Options, Shutdown};
use crate::store::{QuarantinedStore, Sqlite, Store, StoreError};
use crate::wire::ServerMessage;

/// The default port.
const DEFAULT_PORT: u16 = 8080;

/// How many connections the system queues until they are accepted, unless its own limit is lower.
/// In a crowd the owner's connection is among them, and one that does not fit would be retried only
/// after seconds.
const ACCEPT_BACKLOG: u32 = 4096;

/// The key file's name in the data directory.
const KEY_FILE: &str = "api-key";

/// Configures a server; created by [`Server::builder`].
///
/// It needs recipes, at least one agent and a data directory. Everything else has a default.
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

/// Changes the options of the engine.
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
            listen: (Ipv4Addr::LOCALHOST, DEFAULT_PORT).into(),
            lan: false,
            hosts: Vec::new(),
            key: None,
            key_file: None,
            limits: ServerLimits::default(),
            shutdown: Shutdown::DetachAgents,
            tune: None,
        }
    }
}

impl ServerBuilder {
    /// The recipes on offer.
    pub fn recipes(self, catalog: Catalog) -> Self {
        Self { catalog: Some(catalog), ..self }
    }

    /// An agent. The first one is the default.
    pub fn agent(mut self, agent: Arc<dyn Agent>) -> Self {
        self.agents.push(agent);
        self
    }

    /// Where everything is kept: the store, the key, and what agents write.
    pub fn data(self, directory: impl Into<PathBuf>) -> Self {
        Self { data: Some(directory.into()), ..self }
    }

    /// A store of your own, instead of the default one in the data directory.
    pub fn store(self, store: Arc<dyn Store>) -> Self {
        Self { store: Some(store), ..self }
    }

    /// A directory that agents may work in, with everything below it; the user's home directory if
    /// none is given.
    pub fn root(mut self, directory: impl Into<PathBuf>) -> Self {
        self.roots.push(directory.into());
        self
    }

    /// Whether a process of the same user on this machine may start a run in any directory, which
    /// then becomes a root. Clients that connect to the server's address cannot add roots.
    pub fn same_user_adds_roots(self, allowed: bool) -> Self {
        Self { same_user_adds_roots: allowed, ..self }
    }

    /// The address to listen at; 127.0.0.1:8080 by default. Port 0 picks a free port.
    pub fn listen(self, address: impl Into<SocketAddr>) -> Self {
        Self { listen: address.into(), ..self }
    }

    /// Whether other machines may connect. Without this, the server listens at loopback addresses
    /// only.
    ///
    /// There is no encryption: anyone who can read the network traffic can read the key, and use
    /// this machine's agent.
    pub fn lan(self, allowed: bool) -> Self {
        Self { lan: allowed, ..self }
    }

    /// Another host name that this server answers to, besides addresses, `localhost` and the
    /// machine's own name.
    pub fn allow_host(mut self, name: impl Into<String>) -> Self {
        self.hosts.push(name.into());
        self
    }

    /// The key itself, instead of one from a file.
    pub fn key(self, key: ApiKey) -> Self {
        Self { key: Some(key), ..self }
    }

    /// The key file; `api-key` in the data directory by default. It is created if it does not
    /// exist.
    pub fn key_file(self, path: impl Into<PathBuf>) -> Self {
        Self { key_file: Some(path.into()), ..self }
    }

    /// Limits on what clients may do.
    pub fn limits(self, limits: ServerLimits) -> Self {
        Self { limits, ..self }
    }

    /// What happens to the agents when the server stops. By default they keep running, and the next
    /// server adopts them.
    pub fn on_shutdown(self, shutdown: Shutdown) -> Self {
        Self { shutdown, ..self }
    }

    /// Changes any other option of the engine, such as how many agents may work at once.
    pub fn tune(self, tune: impl FnOnce(&mut Options) + Send + 'static) -> Self {
        Self { tune: Some(Box::new(tune)), ..self }
    }

    /// Binds the server: it listens, and has recovered what an earlier server left, but accepts no
    /// connections yet.
    ///
    /// # Errors
    /// A required setting is missing, or the address, the key or the store cannot be used.
    pub async fn bind(self) -> Result<Server, BindError> {
        let catalog = self.catalog.ok_or(BindError::Missing("recipes"))?;
        let data = self.data.ok_or(BindError::Missing("data"))?;
        let first = self.agents.first().cloned().ok_or(BindError::Missing("agent"))?;
        if !self.lan && !self.listen.ip().to_canonical().is_loopback() {
            return Err(BindError::NotLoopback(self.listen));
        }
        // The address first, since another process may hold it: nothing is started that cannot be
        // served.
        let (listener, address) = match listen(self.listen) {
            Ok(listener) => listener,
            Err(in_use) if self.store.is_some() => return Err(in_use),
            Err(in_use) => return Err(held_error(data).unwrap_or(in_use)),
        };
        let (store, quarantined, announce) = match self.store {
            Some(store) => (store, None, None),
            None => {
                let (store, quarantined) = open(&data)?;
                (Arc::clone(&store) as Arc<dyn Store>, quarantined, Some(store))
            }
        };
        let (key, key_file) = match self.key {
            Some(key) => (key, None),
            None => {
                let path = self.key_file.unwrap_or_else(|| data.join(KEY_FILE));
                (ApiKey::in_file(&path)?, std::path::absolute(path).ok())
            }
        };
        // From here on the store outlives the listeners: only the holder of the data directory may
        // remove files in it.
        let mut listeners = vec![Listener::Tcp(listener)];
        if let Some(store) = &announce {
            // Before it is announced: a client that reads the announcement may connect at once.
            match SameUser::bind(&data) {
                Ok(same_user) => listeners.push(Listener::SameUser(same_user)),
                // No path is short enough, or no file system supports sockets. The address still
                // works, and `surefire doctor` reports the problem.
                Err(error) => {
                    tracing::warn!(
                        %error,
                        data = %data.display(),
                        "failed to listen in the data directory"
                    );
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
        let feed = engine.subscribe();
        // Earlier events are not published again.
        let followed = engine.read(Store::last_global_seq).await?;
        let started_in = std::env::current_dir().ok();
        let proposed = engine.propose_directory(started_in.as_deref());
        let limits = self.limits.clamped();
        let socket_budget = SocketBudget::new(&limits, descriptors::raise());
        let stopping = CancellationToken::new();
        let shared = Shared {
            engine,
            catalog,
            agents,
            // A client could not send back a path that is not valid UTF-8.
            proposed_directory: proposed.and_then(|path| path.into_os_string().into_string().ok()),
            growing_roots,
            clock,
            key,
            throttle: AuthThrottle::new(&limits),
            socket_budget,
            connections: ConnectionLimit::new(&limits, socket_budget, stopping.clone()),
            limits,
            names: AllowedHosts::new(self.hosts),
            hub: Hub::default(),
            viewers: Viewers::default(),
            followed: watch::Sender::new(followed),
            pong: frame(&ServerMessage::Pong),
            tasks: TaskTracker::new(),
            stopping,
            clients: AtomicU64::new(0),
        };
        follow::remember(&shared).await?;
        Ok(Server {
            listeners,
            shared: Arc::new(shared),
            address,
            feed,
            shutdown: self.shutdown,
            quarantined,
        })
    }

    /// Binds the server and serves until `shutdown` completes.
    ///
    /// # Errors
    /// The same as for [`bind`](Self::bind).
    pub async fn serve(self, shutdown: impl Future<Output = ()>) -> Result<(), BindError> {
        self.bind().await?.serve(shutdown).await;
        Ok(())
    }
}

fn listen(address: SocketAddr) -> Result<(TcpListener, SocketAddr), BindError> {
    let bind_error = |error: std::io::Error| BindError::address(address, &error);
    let bind = || {
        let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
        socket.set_reuseaddr(true)?;
        socket.bind(address)?;
        let listener = socket.listen(ACCEPT_BACKLOG)?;
        let bound = listener.local_addr()?;
        Ok((listener, bound))
    };
    bind().map_err(bind_error)
}

/// The error that names the holder of the data directory, if there is one: the address is in use by
/// the same server then, and another port would not help.
fn held_error(path: PathBuf) -> Option<BindError> {
    let holder = Sqlite::holder(&path).ok()??;
    Some(StoreError::Held { path, holder }.into())
}

/// Opens the default store.
fn open(data: &Path) -> Result<(Arc<Sqlite>, Option<QuarantinedStore>), BindError> {
    let opened = Sqlite::open(data)?;
    if let Some(quarantined) = &opened.quarantined {
        tracing::error!(
            now = %quarantined.path.display(),
            why = %quarantined.why,
            "moved damaged store aside; created a new one"
        );
    }
    Ok((Arc::new(opened.store), opened.quarantined))
}
