//! Deleting what is old: in a store that we have open, or at the server that has it.

use std::path::Path;
use std::time::Duration;

use super::books::{Books, look};
use super::guest::Guest;
use super::trouble::Trouble;
use crate::engine::{Clock, prune_runs, prune_sessions};
use crate::store::Store;

/// What was deleted with old sessions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::cli) struct PrunedSessions {
    pub(in crate::cli) sessions: u64,
    pub(in crate::cli) runs: u64,
    /// By how much the database got smaller.
    pub(in crate::cli) freed_bytes: u64,
    /// Why it did not get smaller.
    pub(in crate::cli) problem: Option<String>,
}

impl Books {
    /// Deletes the runs that ended longer ago than this, with their files, and says how many they were.
    pub(in crate::cli) async fn prune(&self, data: &Path, age: Duration) -> Result<u64, Trouble> {
        match self {
            Self::None => Ok(0),
            Self::Own(_, store) => {
                let (data, before) = (data.to_owned(), before(age));
                let prune = move |store: &dyn Store| {
                    let pruned = prune_runs(store, &data, before)?;
                    if let Err(error) = store.reclaim() {
                        tracing::warn!(%error, "could not make the database smaller");
                    }
                    Ok(pruned)
                };
                look(store, prune).await
            }
            // Deleting needs the socket: HTTP is for reading.
            Self::Theirs(server) => Guest::enter(server.clone()).await?.prune(age).await,
        }
    }

    /// Deletes the sessions in which nothing happened for this long, with what their agents left in the data directory.
    pub(in crate::cli) async fn prune_sessions(
        &self,
        data: &Path,
        age: Duration,
    ) -> Result<PrunedSessions, Trouble> {
        match self {
            Self::None => Ok(PrunedSessions::default()),
            Self::Own(_, store) => {
                let (data, before) = (data.to_owned(), before(age));
                let prune = move |store: &dyn Store| {
                    let pruned = prune_sessions(store, &data, before)?;
                    let (freed_bytes, problem) = match store.reclaim() {
                        Ok(bytes) => (bytes, None),
                        Err(error) => (0, Some(error.to_string())),
                    };
                    let sessions = pruned.sessions.len() as u64;
                    Ok(PrunedSessions { sessions, runs: pruned.runs, freed_bytes, problem })
                };
                look(store, prune).await
            }
            Self::Theirs(server) => {
                let pruned = Guest::enter(server.clone()).await?.prune_sessions(age).await?;
                Ok(PrunedSessions {
                    sessions: pruned.session_count,
                    runs: pruned.run_count,
                    freed_bytes: pruned.freed_bytes,
                    problem: pruned.problem,
                })
            }
        }
    }
}

/// The time that was this long ago, in milliseconds since 1970.
fn before(age: Duration) -> u64 {
    Clock::system().now().saturating_sub(u64::try_from(age.as_millis()).unwrap_or(u64::MAX))
}
