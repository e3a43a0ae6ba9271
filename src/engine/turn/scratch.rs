//! Where an attempt keeps what has to outlive a crash.

use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use crate::engine::blocking::unblocked;
use crate::run::AttemptId;

fn folder(data: &Path) -> PathBuf {
    data.join("attempts")
}

/// Where this attempt's things are.
pub(in crate::engine) fn path(data: &Path, attempt: AttemptId) -> PathBuf {
    folder(data).join(attempt.to_string())
}

/// Makes the folder that all attempts' directories are in. Each of those is made by its agent, if it keeps anything; an
/// agent that cannot says so itself.
pub(in crate::engine) fn make_room(data: &Path) {
    if let Err(error) = DirBuilder::new().recursive(true).mode(0o700).create(folder(data)) {
        tracing::warn!(%error, "could not make the folder for attempts");
    }
}

/// Removes an attempt's directory. What cannot be removed is found again by [`left_behind`].
pub(in crate::engine) async fn remove(data: &Path, attempt: AttemptId) {
    // An agent that wrote nothing has none, and no thread is needed to see that.
    if matches!(path(data, attempt).symlink_metadata(), Err(error) if error.kind() == io::ErrorKind::NotFound)
    {
        return;
    }
    let data = data.to_owned();
    unblocked(move || remove_now(&data, attempt)).await;
}

/// The same, on a thread that may block.
pub(in crate::engine) fn remove_now(data: &Path, attempt: AttemptId) {
    if let Err(error) = std::fs::remove_dir_all(path(data, attempt))
        && error.kind() != io::ErrorKind::NotFound
    {
        tracing::warn!(%attempt, %error, "failed to remove an attempt's directory");
    }
}

/// Moves the directory of an unknown attempt to where only pruning removes it.
pub(in crate::engine) fn set_aside(data: &Path, attempt: AttemptId) {
    let unknown = data.join("unknown-attempts");
    let moved = DirBuilder::new().recursive(true).mode(0o700).create(&unknown);
    let moved = moved.and_then(|()| std::fs::rename(path(data, attempt), unknown.join(attempt.to_string())));
    match moved {
        Ok(()) => {
            tracing::warn!(%attempt, to = %unknown.display(), "found what an unknown attempt left, and kept it");
        }
        Err(error) => tracing::warn!(%attempt, %error, "could not set an attempt's directory aside"),
    }
}

/// The attempts that still have things here.
pub(in crate::engine) fn left_behind(data: &Path) -> Vec<AttemptId> {
    let Ok(entries) = std::fs::read_dir(folder(data)) else { return Vec::new() };
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    names.filter_map(|name| name.parse().ok()).collect()
}
