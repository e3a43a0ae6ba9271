//! One process per session: two servers with different data directories must not drive one conversation.

use std::path::{Path, PathBuf};

use uuid::Uuid;

use crate::engine::file_lock::{FileLock, NotLocked};
use crate::local::runtime_directories;

/// Where all servers of one user look, whatever their data directory: a directory that only the user can write to.
pub(in crate::engine) fn usual_directory() -> PathBuf {
    runtime_directories("surefire-sessions").swap_remove(0)
}

/// Locks a session while the agent works in it.
pub(in crate::engine) fn lock(directory: &Path, session: Uuid) -> Result<FileLock, NotLocked> {
    FileLock::take(directory, &name(session))
}

/// Removes the lock file of a session that does not exist any more, unless another process holds it.
pub(in crate::engine) fn remove(directory: &Path, session: Uuid) {
    FileLock::remove(directory, &name(session));
}

fn name(session: Uuid) -> String {
    format!("{session}.lock")
}
