//! Merging and throwing away the worktrees of runs: with an engine of our own, or at the server that has the store.

use std::path::Path;
use std::sync::Arc;

use super::books::Books;
use super::guest::Guest;
use super::trouble::{Trouble, asked};
use crate::Advise;
use crate::agent::{Rehearsal, Script};
use crate::cli::settings::data::unusual;
use crate::cli::usage::complaint::Complaint;
use crate::cli::usage::program::program_name;
use crate::client::ClientError;
use crate::engine::{Engine, EngineError, Options, Shutdown, TakeUp, WorktreeChoice};
use crate::run::{RunId, WorktreeEnd};

/// Why a worktree is still there.
pub(in crate::cli) enum NotEnded {
    /// Both sides changed the same files.
    Conflicts(Complaint),
    /// Anything else.
    Trouble(Trouble),
}

impl<T: Into<Trouble>> From<T> for NotEnded {
    fn from(trouble: T) -> Self {
        Self::Trouble(trouble.into())
    }
}

impl Books {
    /// Merges the worktree of a run, or throws it away. `what` stands before every reason for not doing so.
    pub(in crate::cli) async fn end_worktree(
        &self,
        data: &Path,
        run: RunId,
        choice: WorktreeChoice,
        what: &str,
    ) -> Result<WorktreeEnd, NotEnded> {
        match self {
            Self::None => Err(Complaint::about(what, &EngineError::NoRun(run)).into()),
            Self::Own(catalog, store) => {
                // No agent is asked anything, so any will do.
                let agent = Arc::new(Rehearsal::new(Script::Happy));
                let options = Options {
                    take_up: TakeUp::Only(Vec::new()),
                    program: program_name(),
                    named_data: unusual(data),
                    ..Options::new(*catalog, agent, Arc::clone(store), data)
                };
                let engine = Engine::open(options).await;
                let engine = engine.map_err(|error| Complaint::about(what, &error))?;
                let ended = engine.end_worktree(run, choice).await;
                engine.shut_down(Shutdown::LeaveAgents).await;
                ended.map_err(|error| {
                    let remedy = error.remedy().map(|remedy| remedy.to_string());
                    told(!error.conflicts().is_empty(), what, error.problem(), remedy)
                })
            }
            Self::Theirs(server) => {
                let ended = Guest::enter(server.clone()).await?.end_worktree(run, choice).await;
                ended.map_err(|error| match error {
                    ClientError::Refused(error) => told(
                        !error.conflicts.is_empty(),
                        what,
                        error.problem().to_owned(),
                        error.remedy.clone(),
                    ),
                    error => asked(server, what, error).into(),
                })
            }
        }
    }
}

fn told(conflicts: bool, what: &str, why: String, remedy: Option<String>) -> NotEnded {
    // Where git refuses, its words say what to do.
    let fix = remedy.unwrap_or_else(|| "nothing has changed".to_owned());
    let complaint = Complaint::new(what, why, fix);
    if conflicts { NotEnded::Conflicts(complaint) } else { NotEnded::Trouble(complaint.into()) }
}
