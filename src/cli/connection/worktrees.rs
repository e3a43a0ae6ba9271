//! Merging and discarding the worktrees of runs: with an engine in this process, or through the
//! server that has the store.

use std::path::Path;
use std::sync::Arc;

use super::connection_error::{ConnectionError, client_error};
use super::remote::Remote;
use super::run_history::RunHistory;
use crate::Advise;
use crate::agent::{Rehearsal, Script};
use crate::cli::settings::data::unusual;
use crate::cli::usage::cli_error::CliError;
use crate::cli::usage::program::program_name;
use crate::client::ClientError;
use crate::engine::{Engine, EngineError, Options, Recovery, Shutdown, WorktreeChoice};
use crate::run::{RunId, WorktreeEnd};

/// Why a worktree was neither merged nor discarded.
pub(in crate::cli) enum NotEnded {
    /// Both sides changed the same files.
    Conflicts(CliError),
    /// Anything else.
    Connection(ConnectionError),
}

impl<T: Into<ConnectionError>> From<T> for NotEnded {
    fn from(failure: T) -> Self {
        Self::Connection(failure.into())
    }
}

impl RunHistory {
    /// Merges or discards the worktree of a run. `what` is the first part of every error.
    pub(in crate::cli) async fn end_worktree(
        &self,
        data: &Path,
        run: RunId,
        choice: WorktreeChoice,
        what: &str,
    ) -> Result<WorktreeEnd, NotEnded> {
        match self {
            Self::None => Err(CliError::about(what, &EngineError::NoRun(run)).into()),
            Self::Embedded(catalog, store) => {
                // No agent runs here, so any will do.
                let agent = Arc::new(Rehearsal::new(Script::Happy));
                let options = Options {
                    recovery: Recovery::Only(Vec::new()),
                    program: program_name(),
                    named_data: unusual(data),
                    ..Options::new(*catalog, agent, Arc::clone(store), data)
                };
                let engine = Engine::open(options).await;
                let engine = engine.map_err(|error| CliError::about(what, &error))?;
                let ended = engine.end_worktree(run, choice).await;
                engine.shut_down(Shutdown::DetachAgents).await;
                ended.map_err(|error| {
                    let remedy = error.remedy().map(|remedy| remedy.to_string());
                    record(!error.conflicts().is_empty(), what, error.problem(), remedy)
                })
            }
            Self::Remote(server) => {
                let ended = Remote::enter(server.clone()).await?.end_worktree(run, choice).await;
                ended.map_err(|error| match error {
                    ClientError::Refused(error) => record(
                        !error.conflicts.is_empty(),
                        what,
                        error.problem().to_owned(),
                        error.remedy.clone(),
                    ),
                    error => client_error(server, what, error).into(),
                })
            }
        }
    }
}

fn record(conflicts: bool, what: &str, why: String, remedy: Option<String>) -> NotEnded {
    // If git refuses, its own message says what to do.
    let fix = remedy.unwrap_or_else(|| "nothing has changed".to_owned());
    let problem = CliError::new(what, why, fix);
    if conflicts { NotEnded::Conflicts(problem) } else { NotEnded::Connection(problem.into()) }
}
