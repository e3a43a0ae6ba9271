//! Persisted runs: in a store that this process has open, or at the server that has it.

use std::sync::Arc;

use super::connection_error::{ConnectionError, client_error, unreadable};
use crate::Catalog;
use crate::client::{ClientError, Endpoint, RunsQuery};
use crate::process::try_blocking;
use crate::run::RunId;
use crate::server::ledger;
use crate::store::{RunFilter, Store, StoreError};
use crate::wire::{Journal, RunLine};

/// A sequence number after that of every event, to request a run without events.
const AFTER_ALL_EVENTS: u64 = u64::MAX >> 1;

/// The run history.
#[derive(Clone)]
pub(in crate::cli) enum RunHistory {
    /// There is no store yet.
    None,
    /// In a store that this process has open.
    Embedded(Catalog, Arc<dyn Store>),
    /// At a server.
    Remote(Endpoint),
}

impl RunHistory {
    /// Whether a server holds the store, and drives the runs in it.
    pub(in crate::cli) const fn is_remote(&self) -> bool {
        matches!(self, Self::Remote(_))
    }

    /// Past and current runs, newest first.
    pub(in crate::cli) async fn runs(
        &self,
        filter: RunFilter,
    ) -> Result<Vec<RunLine>, ConnectionError> {
        match self {
            Self::None => Ok(Vec::new()),
            Self::Embedded(catalog, store) => {
                let catalog = *catalog;
                look(store, move |store| ledger::runs(store, catalog, &filter)).await
            }
            Self::Remote(server) => answered(server, server.runs(&query(filter)).await),
        }
    }

    /// A run and its events after `since`; `None` if there is no such run.
    pub(in crate::cli) async fn journal(
        &self,
        run: RunId,
        since: u64,
    ) -> Result<Option<Journal>, ConnectionError> {
        match self {
            Self::None => Ok(None),
            Self::Embedded(catalog, store) => {
                let catalog = *catalog;
                look(store, move |store| ledger::journal(store, catalog, run, since, usize::MAX))
                    .await
            }
            Self::Remote(server) => answered(server, server.journal(run, since).await),
        }
    }

    /// A run without its events; `None` if there is no such run.
    pub(in crate::cli) async fn run(&self, run: RunId) -> Result<Option<RunLine>, ConnectionError> {
        Ok(self.journal(run, AFTER_ALL_EVENTS).await?.map(|journal| journal.run))
    }

    /// The agent's last reply in a run.
    pub(in crate::cli) async fn reply(
        &self,
        run: RunId,
    ) -> Result<Option<String>, ConnectionError> {
        match self {
            Self::None => Ok(None),
            Self::Embedded(_, store) => {
                let reply = look(store, move |store| ledger::last_reply(store, run)).await?;
                Ok(reply.and_then(|reply| reply.reply))
            }
            Self::Remote(server) => answered(server, server.last_reply(run).await),
        }
    }
}

/// Reads from the store without blocking the runtime.
pub(in crate::cli) async fn look<T: Send + 'static>(
    store: &Arc<dyn Store>,
    read: impl FnOnce(&dyn Store) -> Result<T, StoreError> + Send + 'static,
) -> Result<T, ConnectionError> {
    let store = Arc::clone(store);
    let read = try_blocking(move || read(&*store)).await;
    match read {
        Ok(read) => read.map_err(|error| unreadable(&error).into()),
        Err(_) => {
            let why = "the thread that reads from the store panicked".to_owned();
            Err(unreadable(&StoreError::Failed { why }).into())
        }
    }
}

/// Converts the error of a server's answer.
fn answered<T>(server: &Endpoint, answer: Result<T, ClientError>) -> Result<T, ConnectionError> {
    answer.map_err(|error| client_error(server, "the run history cannot be read", error))
}

fn query(filter: RunFilter) -> RunsQuery {
    let RunFilter { recipe, reason, session, id_prefix, open, before, limit, .. } = filter;
    RunsQuery { recipe, reason, session, id_prefix, open, before, limit }
}
