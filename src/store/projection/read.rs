//! The rows that a commit is about, as a store has them.

use super::rows::{AttemptRow, PromptRow, RunRow, SessionRow};
use crate::run::{AttemptId, PromptId, RunId, SessionId};
use crate::store::error::StoreError;

/// Reads rows by their ids, as they were before the commit.
///
/// Each row is asked for at most once in a commit, or comes along with another.
pub trait ReadRows {
    /// The last place that was given to an event; 0 where there was none.
    ///
    /// # Errors
    /// The storage failed, or holds what cannot be read.
    fn last_place(&self) -> Result<u64, StoreError>;

    /// A session, and the run that holds it: what happens in a session is mostly that run's.
    ///
    /// # Errors
    /// As [`last_place`](Self::last_place).
    fn session(&self, id: SessionId) -> Result<Option<(SessionRow, Option<RunRow>)>, StoreError>;

    /// A run and its session, which changes with every event of the run.
    ///
    /// # Errors
    /// As [`last_place`](Self::last_place).
    fn run(&self, id: RunId) -> Result<Option<(RunRow, SessionRow)>, StoreError>;

    /// An attempt.
    ///
    /// # Errors
    /// As [`last_place`](Self::last_place).
    fn attempt(&self, id: AttemptId) -> Result<Option<AttemptRow>, StoreError>;

    /// A prompt.
    ///
    /// # Errors
    /// As [`last_place`](Self::last_place).
    fn prompt(&self, id: PromptId) -> Result<Option<PromptRow>, StoreError>;
}
