//! The scratch directory of an attempt: files that have to survive a crash.

use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use crate::process::run_blocking;
use crate::run::AttemptId;

fn folder(data: &Path) -> PathBuf {
    data.join("attempts")
}

/// The scratch directory of this attempt.
pub(in crate::engine) fn path(data: &Path, attempt: AttemptId) -> PathBuf {
    folder(data).join(attempt.to_string())
}

/// Creates the folder of all scratch directories. Each of those is created by its agent, if it
/// needs one; the agent reports its own errors.
pub(in crate::engine) fn create_folder(data: &Path) {
    if let Err(error) = DirBuilder::new().recursive(true).mode(0o700).create(folder(data)) {
        tracing::warn!(%error, "failed to create the folder for attempts");
    }
}

/// Removes an attempt's directory. If that fails, [`remaining`] finds it again.
pub(in crate::engine) async fn remove(data: &Path, attempt: AttemptId) {
    // Usually an attempt that wrote nothing has no directory. Checking that needs no blocking
    // thread.
    if matches!(path(data, attempt).symlink_metadata(), Err(error) if error.kind() == io::ErrorKind::NotFound)
    {
        return;
    }
    let data = data.to_owned();
    run_blocking(move || remove_now(&data, attempt)).await;
}

/// The same, for a thread that may block.
pub(in crate::engine) fn remove_now(data: &Path, attempt: AttemptId) {
    if let Err(error) = std::fs::remove_dir_all(path(data, attempt))
        && error.kind() != io::ErrorKind::NotFound
    {
        tracing::warn!(%attempt, %error, "failed to remove an attempt's directory");
    }
}

/// Quarantines the directory of an unknown attempt. Only pruning removes it from there.
pub(in crate::engine) fn quarantine(data: &Path, attempt: AttemptId) {
    let unknown = data.join("unknown-attempts");
    let moved = DirBuilder::new().recursive(true).mode(0o700).create(&unknown);
    let moved = moved
        .and_then(|()| std::fs::rename(path(data, attempt), unknown.join(attempt.to_string())));
    match moved {
        Ok(()) => {
            tracing::warn!(%attempt, to = %unknown.display(), "quarantined the files of an unknown attempt");
        }
        Err(error) => {
            tracing::warn!(%attempt, %error, "failed to quarantine an attempt's directory");
        }
    }
}

/// The attempts that have a scratch directory.
pub(in crate::engine) fn remaining(data: &Path) -> Vec<AttemptId> {
    let Ok(entries) = std::fs::read_dir(folder(data)) else { return Vec::new() };
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    names.filter_map(|name| name.parse().ok()).collect()
}
