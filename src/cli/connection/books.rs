//! What is written down about runs: in a store that we have open, or at the server that has it.

use std::sync::Arc;

use super::trouble::{Trouble, asked, unreadable};
use crate::Catalog;
use crate::client::{ClientError, Endpoint, RunsQuery};
use crate::run::RunId;
use crate::server::ledger;
use crate::store::{RunFilter, Store, StoreError};
use crate::wire::{Journal, RunLine};

/// A number that no event has: what comes after it is nothing.
const AFTER_ALL: u64 = u64::MAX >> 1;

/// What is written down.
#[derive(Clone)]
pub(in crate::cli) enum Books {
    /// Nothing yet: there is no store.
    None,
    /// In our own store.
    Own(Catalog, Arc<dyn Store>),
    /// At a server.
    Theirs(Endpoint),
}

impl Books {
    /// Whether a server holds the store, and drives the runs in it.
    pub(in crate::cli) const fn are_at_a_server(&self) -> bool {
        matches!(self, Self::Theirs(_))
    }

    /// Past and present runs, newest first.
    pub(in crate::cli) async fn runs(&self, filter: RunFilter) -> Result<Vec<RunLine>, Trouble> {
        match self {
            Self::None => Ok(Vec::new()),
            Self::Own(catalog, store) => {
                let catalog = *catalog;
                look(store, move |store| ledger::runs(store, catalog, &filter)).await
            }
            Self::Theirs(server) => heard(server, server.runs(&query(filter)).await),
        }
    }

    /// A run, and what happened in it after this event; `None` where there is no such run.
    pub(in crate::cli) async fn journal(&self, run: RunId, since: u64) -> Result<Option<Journal>, Trouble> {
        match self {
            Self::None => Ok(None),
            Self::Own(catalog, store) => {
                let catalog = *catalog;
                look(store, move |store| ledger::journal(store, catalog, run, since, usize::MAX)).await
            }
            Self::Theirs(server) => heard(server, server.journal(run, since).await),
        }
    }

    /// A run, without what happened in it; `None` where there is no such run.
    pub(in crate::cli) async fn run(&self, run: RunId) -> Result<Option<RunLine>, Trouble> {
        Ok(self.journal(run, AFTER_ALL).await?.map(|journal| journal.run))
    }

    /// What the agent said last in a run.
    pub(in crate::cli) async fn reply(&self, run: RunId) -> Result<Option<String>, Trouble> {
        match self {
            Self::None => Ok(None),
            Self::Own(_, store) => {
                let reply = look(store, move |store| ledger::last_reply(store, run)).await?;
                Ok(reply.and_then(|reply| reply.reply))
            }
            Self::Theirs(server) => heard(server, server.last_reply(run).await),
        }
    }
}

/// Reads without holding up the runtime.
pub(in crate::cli) async fn look<T: Send + 'static>(
    store: &Arc<dyn Store>,
    read: impl FnOnce(&dyn Store) -> Result<T, StoreError> + Send + 'static,
) -> Result<T, Trouble> {
    let store = Arc::clone(store);
    let read = tokio::task::spawn_blocking(move || read(&*store)).await;
    match read {
        Ok(read) => read.map_err(|error| unreadable(&error).into()),
        Err(_) => {
            let why = "the thread that reads from the store is gone".to_owned();
            Err(unreadable(&StoreError::Failed { why }).into())
        }
    }
}

/// What a server answered.
fn heard<T>(server: &Endpoint, answer: Result<T, ClientError>) -> Result<T, Trouble> {
    answer.map_err(|error| asked(server, "what is written down cannot be read", error))
}

fn query(filter: RunFilter) -> RunsQuery {
    let RunFilter { recipe, reason, session, id_prefix, open, before, limit, .. } = filter;
    RunsQuery { recipe, reason, session, id_prefix, open, before, limit }
}
