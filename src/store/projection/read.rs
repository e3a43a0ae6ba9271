//! Reading the rows that a commit affects.

use super::rows::{AttemptRow, PromptRow, RunRow, SessionRow};
use crate::run::{AttemptId, PromptId, RunId, SessionId};
use crate::store::error::StoreError;

/// Reads rows by their ids, as they were before the commit.
///
/// Each row is read at most once per commit.
pub trait ReadRows {
    /// The last global sequence number; 0 before the first event.
    ///
    /// # Errors
    /// The storage failed, or a row cannot be read.
    fn last_global_seq(&self) -> Result<u64, StoreError>;

    /// A session, and the run that holds it, which most commits to the session need too.
    ///
    /// # Errors
    /// As [`last_global_seq`](Self::last_global_seq).
    fn session(&self, id: SessionId) -> Result<Option<(SessionRow, Option<RunRow>)>, StoreError>;

    /// A run and its session, which every event of the run changes.
    ///
    /// # Errors
    /// As [`last_global_seq`](Self::last_global_seq).
    fn run(&self, id: RunId) -> Result<Option<(RunRow, SessionRow)>, StoreError>;

    /// An attempt.
    ///
    /// # Errors
    /// As [`last_global_seq`](Self::last_global_seq).
    fn attempt(&self, id: AttemptId) -> Result<Option<AttemptRow>, StoreError>;

    /// A prompt.
    ///
    /// # Errors
    /// As [`last_global_seq`](Self::last_global_seq).
    fn prompt(&self, id: PromptId) -> Result<Option<PromptRow>, StoreError>;
}
