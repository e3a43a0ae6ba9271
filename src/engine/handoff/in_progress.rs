//! The handoffs in progress, and the problems they had.

use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::Semaphore;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::on_end::OnEnd;
use crate::view::{Handoff, short_id};

/// How many of the operator's commands run at once, since many runs may end at the same moment.
const MAX_COMMANDS: usize = 4;

/// How many problems are kept for [`Handoffs::finished`]. The log has all of them.
const MAX_PROBLEMS: usize = 10;

/// The handoffs in progress.
pub(in crate::engine) struct Handoffs {
    /// Serializes writing: a run that ended twice must not keep the files of its first end.
    writer: tokio::sync::Mutex<()>,
    commands: Semaphore,
    /// One token per handoff in progress, cancelled when it is done.
    unfinished: Mutex<Vec<CancellationToken>>,
    problems: Mutex<Vec<String>>,
}

impl Default for Handoffs {
    fn default() -> Self {
        Self {
            writer: tokio::sync::Mutex::default(),
            commands: Semaphore::new(MAX_COMMANDS),
            unfinished: Mutex::default(),
            problems: Mutex::default(),
        }
    }
}

impl Handoffs {
    /// Registers a handoff that is in progress until the guard is dropped.
    pub(super) fn begin(&self) -> DropGuard {
        let done = CancellationToken::new();
        let mut unfinished = locked(&self.unfinished);
        unfinished.retain(|other| !other.is_cancelled());
        unfinished.push(done.clone());
        done.drop_guard()
    }

    /// Waits until no other handoff is writing files.
    pub(super) async fn lock_files(&self) -> tokio::sync::MutexGuard<'_, ()> {
        self.writer.lock().await
    }

    /// Runs the operator's command. `closing` is set when the engine shuts down.
    pub(super) async fn run_command(
        &self,
        command: &OnEnd,
        handoff: &Handoff,
        data: &Path,
        closing: &CancellationToken,
    ) {
        // The semaphore is never closed.
        let Ok(_permit) = self.commands.acquire().await else { return };
        if let Err(problem) = command.run(handoff, data, closing).await {
            tracing::warn!(problem, "the command of --on-end failed");
            let mut problems = locked(&self.problems);
            if problems.len() < MAX_PROBLEMS {
                let run = short_id(&handoff.run_id);
                problems.push(format!("the command of --on-end failed for run {run}: {problem}"));
            }
        }
    }

    /// Waits until the handoffs in progress now are done, and returns the problems since the last
    /// call.
    pub(in crate::engine) async fn finished(&self) -> Vec<String> {
        let unfinished = locked(&self.unfinished).clone();
        for done in unfinished {
            done.cancelled().await;
        }
        std::mem::take(&mut locked(&self.problems))
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
