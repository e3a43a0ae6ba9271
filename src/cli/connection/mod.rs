//! The connection to the process that holds the data directory: this one, or a server. Commands use
//! both in the same way.

mod connection_config;
mod connection_error;
mod connection_event;
mod embedded;
mod pruning;
pub(super) mod rehearsals;
mod remote;
mod requests;
pub(super) mod run_canceller;
mod run_history;
mod worktrees;

pub(in crate::cli) use connection_config::ConnectionConfig;
pub(in crate::cli) use connection_error::ConnectionError;
pub(in crate::cli) use connection_event::ConnectionEvent;
pub(in crate::cli) use pruning::PrunedSessions;
pub(in crate::cli) use requests::{ResumeRequest, StartRequest};
pub(in crate::cli) use run_history::RunHistory;
pub(in crate::cli) use worktrees::NotEnded;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use super::render::links;
use super::usage::cli_error::CliError;
use crate::Catalog;
use crate::client::Endpoint;
use crate::run::{RunId, SessionId};
use crate::server::{ApiKey, BindError};
use crate::store::{Holder, Sqlite, StoreError};
use connection_error::{RESTART, unreadable};
use embedded::Embedded;
use remote::Remote;
use run_canceller::RunCanceller;

/// How long a process may hold the data directory without an address: it is starting or exiting.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(15);

/// How often the holder is checked again.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// A connection to the process that holds the data directory.
pub(super) enum Connection {
    Embedded(Box<Embedded>),
    Remote(Box<Remote>),
}

impl Connection {
    /// Opens the data directory, or connects to the server that has it. This process recovers only
    /// the runs in `recovery`.
    pub(super) async fn enter(
        config: &ConnectionConfig,
        recovery: &[RunId],
    ) -> Result<Self, CliError> {
        let begun = tokio::time::Instant::now();
        loop {
            let holder = match &config.agent {
                Ok(agent) => match Embedded::open(config, agent, recovery.to_vec()).await {
                    Ok(own) => return Ok(Self::Embedded(Box::new(own))),
                    Err(BindError::Store(StoreError::Held { holder, .. })) => holder,
                    Err(error) => {
                        return Err(CliError::about("the recipe cannot be run here", &error));
                    }
                },
                // The holder may have an agent.
                Err(problem) => match Sqlite::holder(&config.data) {
                    Ok(Some(holder)) => holder,
                    Ok(None) | Err(_) => return Err(problem.clone()),
                },
            };
            if let Some(server) = reach(&holder, &config.data)? {
                match Remote::enter(server).await {
                    Ok(remote) => return Ok(Self::Remote(Box::new(remote))),
                    Err(ConnectionError::Reported(problem)) => return Err(problem),
                    Err(ConnectionError::Lost) => {}
                }
            }
            if begun.elapsed() > CONNECT_TIMEOUT {
                return Err(held(&config.data, &holder));
            }
            tokio::time::sleep(POLL_INTERVAL).await;
        }
    }

    pub(super) fn history(&self) -> RunHistory {
        match self {
            Self::Embedded(own) => own.history(),
            Self::Remote(remote) => remote.history(),
        }
    }

    /// Whether another process runs the recipes.
    pub(super) const fn is_remote(&self) -> bool {
        match self {
            Self::Embedded(_) => false,
            Self::Remote(_) => true,
        }
    }

    pub(super) async fn start(&mut self, request: &StartRequest) -> Result<RunId, ConnectionError> {
        match self {
            Self::Embedded(own) => own.start(request).await,
            Self::Remote(remote) => remote.start(request).await,
        }
    }

    /// Resumes a run. Does nothing if it is already running.
    pub(super) async fn resume(
        &mut self,
        run: RunId,
        request: ResumeRequest,
    ) -> Result<(), ConnectionError> {
        match self {
            Self::Embedded(own) => own.resume(run, request).await,
            Self::Remote(remote) => remote.resume(run, request).await,
        }
    }

    /// Subscribes to the messages of a run's session.
    pub(super) async fn listen_to(&mut self, run: RunId) -> Result<(), ConnectionError> {
        match self {
            Self::Embedded(_) => Ok(()),
            Self::Remote(remote) => remote.subscribe_to(run).await,
        }
    }

    /// The canceller for a session's run, if this process runs it.
    pub(super) fn canceller(&self, session: SessionId) -> Option<RunCanceller> {
        match self {
            Self::Embedded(own) => Some(own.canceller(session)),
            Self::Remote(_) => None,
        }
    }

    /// Asks the server to end the run of a session. A run in this process is ended by its
    /// [`RunCanceller`].
    pub(super) async fn ask_to_stop(&mut self, session: SessionId) -> Result<(), ConnectionError> {
        match self {
            Self::Embedded(_) => Ok(()),
            Self::Remote(remote) => remote.stop(session).await,
        }
    }

    /// Waits for the next change.
    pub(super) async fn next_event(&mut self) -> Result<ConnectionEvent, ConnectionError> {
        match self {
            Self::Embedded(own) => own.next_event().await,
            Self::Remote(remote) => remote.next_event().await,
        }
    }

    /// Waits for the work that follows the end of a session's runs, if it is done in this process,
    /// and returns its problems.
    pub(super) async fn wait_for_handoffs(&self, session: SessionId) -> Vec<String> {
        match self {
            Self::Embedded(own) => own.wait_for_handoffs(session).await,
            Self::Remote(_) => Vec::new(),
        }
    }

    pub(super) async fn leave(self) {
        match self {
            Self::Embedded(own) => own.leave().await,
            Self::Remote(_) => {}
        }
    }
}

/// Opens the run history of a data directory, directly or through its server. Creates nothing and
/// resumes nothing.
pub(super) async fn history(catalog: Catalog, data: &Path) -> Result<RunHistory, CliError> {
    let begun = tokio::time::Instant::now();
    loop {
        if !Sqlite::is_in(data) {
            return Ok(RunHistory::None);
        }
        let holder = match Sqlite::open(data) {
            Ok(opened) => return Ok(RunHistory::Embedded(catalog, Arc::new(opened.store))),
            Err(StoreError::Held { holder, .. }) => holder,
            Err(error) => return Err(unreadable(&error)),
        };
        if let Some(server) = reach(&holder, data)?
            && server.is_reachable().await
        {
            return Ok(RunHistory::Remote(server));
        }
        if begun.elapsed() > CONNECT_TIMEOUT {
            return Err(held(data, &holder));
        }
        tokio::time::sleep(POLL_INTERVAL).await;
    }
}

/// A server's address as seen from this machine, and its key.
fn reach(holder: &Holder, data: &Path) -> Result<Option<Endpoint>, CliError> {
    let Some(address) = holder.address.as_ref().and_then(|address| address.parse().ok()) else {
        return Ok(None);
    };
    let key_file = holder.key_file.clone().unwrap_or_else(|| data.join("api-key"));
    // The key is only read: a key created here would not be the running server's, but the next
    // server would use it.
    let key = ApiKey::read(&key_file).map_err(|error| {
        CliError::about(format!("cannot connect to the server at {address}"), &error).fix(RESTART)
    })?;
    Ok(Some(Endpoint::at(links::from_here(address), key.reveal()).or_in(data)))
}

fn held(data: &Path, holder: &Holder) -> CliError {
    CliError::new(
        format!("the data directory `{}` is in use", data.display()),
        format!("{holder} has it and does not respond"),
        "wait until it exits, or choose another directory with --data",
    )
}
