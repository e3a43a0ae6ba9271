//! What is written down about runs: in a store that we have open, or at the server that has it.

use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;

use super::Trouble;
use super::guest::Guest;
use super::http::Api;
use crate::Catalog;
use crate::engine::Clock;
use crate::run::RunId;
use crate::server::ledger;
use crate::store::{RunFilter, Store, StoreError};
use crate::wire::{Journal, LastReply, RunLine};

/// How many events a server gives at once.
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
            Self::Theirs(api) => {
                let answer: Option<Runs> = api.get(&format!("/api/runs?{}", query(&filter))).await?;
                Ok(answer.map(|answer| answer.runs).unwrap_or_default())
            }
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

    /// Forgets the runs that ended longer ago than this, and says how many they were.
    pub(in crate::cli) async fn prune(&self, age: Duration) -> Result<u64, Trouble> {
        match self {
            Self::None => Ok(0),
            Self::Own(_, store) => {
                let age = u64::try_from(age.as_millis()).unwrap_or(u64::MAX);
                let before = Clock::system().now().saturating_sub(age);
                look(store, move |store| store.prune(before)).await
            }
            // To forget something is a wish, and not a question.
            Self::Theirs(api) => Guest::enter(api.clone()).await?.prune(age).await,
        }
    }
}

/// Reads without holding up the runtime.
async fn look<T: Send + 'static>(
    store: &Arc<dyn Store>,
    read: impl FnOnce(&dyn Store) -> Result<T, StoreError> + Send + 'static,
) -> Result<T, Trouble> {
    let store = Arc::clone(store);
    let read = tokio::task::spawn_blocking(move || read(&*store)).await;
    match read {
        Ok(read) => read.map_err(|error| super::unreadable(&error).into()),
        Err(_) => {
            let why = "the thread that reads from the store is gone".to_owned();
            Err(super::unreadable(&StoreError::Failed { why }).into())
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
    add("limit", Some(filter.limit.unwrap_or(PAGE).to_string()));
    parts.join("&")
}
