//! Locks that a panic does not spoil.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// A panic elsewhere leaves what is behind our locks as good as before: an unfinished transaction is rolled back while
/// it unwinds, and the queue is never left half changed.
pub(super) fn hold<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
