//! Deleting old runs and sessions: in a store that this process has open, or through the server
//! that has it.

use std::path::Path;
use std::time::Duration;

use super::connection_error::ConnectionError;
use super::remote::Remote;
use super::run_history::{RunHistory, look};
use crate::engine::{Clock, prune_runs, prune_sessions};
use crate::store::Store;

/// The result of deleting old sessions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::cli) struct PrunedSessions {
    pub(in crate::cli) sessions: u64,
    pub(in crate::cli) runs: u64,
    /// By how much the database shrank.
    pub(in crate::cli) freed_bytes: u64,
    /// Why the database could not be shrunk.
    pub(in crate::cli) problem: Option<String>,
}

impl RunHistory {
    /// Deletes the runs that ended longer ago than this, with their files, and returns their
    /// number.
    pub(in crate::cli) async fn prune(
        &self,
        data: &Path,
        age: Duration,
    ) -> Result<u64, ConnectionError> {
        match self {
            Self::None => Ok(0),
            Self::Embedded(_, store) => {
                let (data, before) = (data.to_owned(), before(age));
                let prune = move |store: &dyn Store| {
                    let pruned = prune_runs(store, &data, before)?;
                    if let Err(error) = store.reclaim() {
                        tracing::warn!(%error, "failed to shrink the database");
                    }
                    Ok(pruned)
                };
                look(store, prune).await
            }
            // Deleting needs the WebSocket: HTTP is read-only.
            Self::Remote(server) => Remote::enter(server.clone()).await?.prune(age).await,
        }
    }

    /// Deletes the sessions without activity for this long, with their agents' files in the data
    /// directory.
    pub(in crate::cli) async fn prune_sessions(
        &self,
        data: &Path,
        age: Duration,
    ) -> Result<PrunedSessions, ConnectionError> {
        match self {
            Self::None => Ok(PrunedSessions::default()),
            Self::Embedded(_, store) => {
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
            Self::Remote(server) => {
                let pruned = Remote::enter(server.clone()).await?.prune_sessions(age).await?;
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
