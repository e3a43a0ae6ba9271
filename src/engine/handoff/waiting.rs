//! What is under way for runs that have ended, and what went wrong with it.

use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::Semaphore;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::on_end::OnEnd;
use crate::view::{Handoff, short_id};

/// How many of the operator's commands run at once: all runs may end in the same moment.
const MAX_COMMANDS: usize = 4;

/// How many problems are kept for a command that asks for them. The log has all.
const MAX_PROBLEMS: usize = 10;

/// What is under way for runs that have ended.
pub(in crate::engine) struct Handoffs {
    /// Files are written one after the other: a run that ended twice must not have those of its first end.
    writer: tokio::sync::Mutex<()>,
    commands: Semaphore,
    /// One for each that is under way, set when it is done.
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
    /// Something is under way until the guard is dropped.
    pub(super) fn begin(&self) -> DropGuard {
        let done = CancellationToken::new();
        let mut unfinished = locked(&self.unfinished);
        unfinished.retain(|other| !other.is_cancelled());
        unfinished.push(done.clone());
        done.drop_guard()
    }

    /// Waits until no other run's files are written.
    pub(super) async fn alone(&self) -> tokio::sync::MutexGuard<'_, ()> {
        self.writer.lock().await
    }

    /// Runs the operator's command. `closing` is set when the engine shuts down.
    pub(super) async fn tell(
        &self,
        command: &OnEnd,
        handoff: &Handoff,
        data: &Path,
        closing: &CancellationToken,
    ) {
        // It is never closed.
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

    /// Waits until all that is under way now is done, and says what went wrong since the last time.
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
