//! One process per session: two servers with different data directories must not drive the same
//! conversation.

use std::path::{Path, PathBuf};

use uuid::Uuid;

use crate::engine::file_lock::{FileLock, NotLocked};
use crate::local::runtime_directories;

/// The lock directory that all servers of one user share, regardless of their data directory. Only
/// the user can write to it.
pub(in crate::engine) fn default_directory() -> PathBuf {
    runtime_directories("surefire-sessions").swap_remove(0)
}

/// Locks a session while its agent works.
pub(in crate::engine) fn lock(directory: &Path, session: Uuid) -> Result<FileLock, NotLocked> {
    FileLock::take(directory, &name(session))
}

/// Removes the lock file of a deleted session, unless another process holds it.
pub(in crate::engine) fn remove(directory: &Path, session: Uuid) {
    FileLock::remove(directory, &name(session));
}

fn name(session: Uuid) -> String {
    format!("{session}.lock")
}
