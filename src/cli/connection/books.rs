//! What is written down about runs: in a store that we have open, or at the server that has it.

use std::sync::Arc;

use serde::Deserialize;

use super::http::Api;
use super::trouble::{Trouble, unreadable};
use crate::Catalog;
use crate::cli::usage::complaint::Complaint;
use crate::run::RunId;
use crate::server::ledger;
use crate::store::{RunFilter, Store, StoreError};
use crate::wire::{Journal, LastReply, RunLine};

/// How many events, and how many runs, a server gives at once.
const PAGE: usize = 1000;

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
    Theirs(Api),
}

#[derive(Deserialize)]
struct Runs {
    runs: Vec<RunLine>,
}

impl Books {
    /// Whether somebody holds the store, and goes on with what goes on.
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
            Self::Theirs(api) => runs_of(api, filter).await,
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
            Self::Theirs(api) => {
                let page = async |since| api.get::<Journal>(&format!("/api/runs/{run}?since={since}")).await;
                let Some(mut journal) = page(since).await? else { return Ok(None) };
                let mut last = journal.events.len();
                while last >= PAGE {
                    let seen = journal.events.last().map_or(since, |event| event.seq);
                    let Some(more) = page(seen).await? else { break };
                    last = more.events.len();
                    journal.run = more.run;
                    journal.events.extend(more.events);
                }
                Ok(Some(journal))
            }
        }
    }

    /// A run, without what happened in it; `None` where there is no such run.
    pub(in crate::cli) async fn run(&self, run: RunId) -> Result<Option<RunLine>, Trouble> {
        Ok(self.journal(run, AFTER_ALL).await?.map(|journal| journal.run))
    }

    /// What the agent said last in a run.
    pub(in crate::cli) async fn reply(&self, run: RunId) -> Result<Option<String>, Trouble> {
        let reply = match self {
            Self::None => None,
            Self::Own(_, store) => look(store, move |store| ledger::last_reply(store, run)).await?,
            Self::Theirs(api) => api.get::<LastReply>(&format!("/api/runs/{run}/reply")).await?,
        };
        Ok(reply.and_then(|reply| reply.reply))
    }
}

/// Asks a server for runs, page after page.
async fn runs_of(api: &Api, filter: RunFilter) -> Result<Vec<RunLine>, Trouble> {
    let wanted = filter.limit.unwrap_or(usize::MAX);
    let mut runs: Vec<RunLine> = Vec::new();
    loop {
        let limit = PAGE.min(wanted - runs.len());
        let before = runs.last().map(|run| run.run_id).or(filter.before);
        let page = RunFilter { limit: Some(limit), before, ..filter.clone() };
        let answer: Option<Runs> = api.get(&format!("/api/runs?{}", query(&page))).await?;
        let Some(Runs { runs: more }) = answer else {
            let why = "a run was deleted while the list was read";
            return Err(Complaint::new("the runs cannot be listed", why, "try again").into());
        };
        // A server that knows no pages gives the first one again.
        let repeats = more.first().zip(runs.first()).is_some_and(|(new, old)| new.run_id == old.run_id);
        let is_last = more.len() < limit || repeats;
        runs.extend(more.into_iter().filter(|_| !repeats));
        if is_last || runs.len() >= wanted {
            return Ok(runs);
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

fn query(filter: &RunFilter) -> String {
    let mut parts = Vec::new();
    let mut add = |name: &str, value: Option<String>| {
        if let Some(value) = value {
            let value = percent_encoding::utf8_percent_encode(&value, percent_encoding::NON_ALPHANUMERIC);
            parts.push(format!("{name}={value}"));
        }
    };
    add("recipe", filter.recipe.clone());
    add("reason", filter.reason.clone());
    add("session", filter.session.map(|session| session.to_string()));
    add("id", filter.id_prefix.clone());
    add("open", filter.open.map(|open| open.to_string()));
    add("before", filter.before.map(|run| run.to_string()));
    add("limit", Some(filter.limit.unwrap_or(PAGE).to_string()));
    parts.join("&")
}
