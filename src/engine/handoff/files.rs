//! The files of a run that has ended: `stop.json` and `stop.md`.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde::Deserialize;

use crate::engine::crash;
use crate::run::RunId;
use crate::store::Store;
use crate::view::Handoff;

/// The file for programs. It is written last.
pub const STOP_JSON: &str = "stop.json";

/// The file for people.
pub const STOP_MD: &str = "stop.md";

/// The largest file that is read back. The engine's own are smaller: their lists are bounded.
const MAX_STOP_JSON_BYTES: u64 = 4 << 20;

/// The directory of an ended run's files, inside the data directory.
///
/// ```
/// use std::path::Path;
/// use surefire::engine::{STOP_JSON, handoff_directory};
///
/// let run = "3f2a8c1e-5b7d-4e90-a1c6-9d8e7f6a5b4c".parse().unwrap();
/// let file = handoff_directory(Path::new("/data"), run).join(STOP_JSON);
/// assert_eq!(file, Path::new("/data/runs/3f2a8c1e-5b7d-4e90-a1c6-9d8e7f6a5b4c/stop.json"));
/// ```
#[must_use]
pub fn handoff_directory(data: &Path, run: RunId) -> PathBuf {
    folder(data).join(run.to_string())
}

fn folder(data: &Path) -> PathBuf {
    data.join("runs")
}

/// Writes both files, readable by their owner alone. Each is replaced atomically.
pub(super) fn write(data: &Path, handoff: &Handoff) -> io::Result<()> {
    let directory = handoff_directory(data, handoff.run_id);
    DirBuilder::new().recursive(true).mode(0o700).create(&directory)?;
    replace(&directory, STOP_MD, handoff.to_markdown().as_bytes())?;
    crash::point("between-handoff-files");
    replace(&directory, STOP_JSON, &json(handoff)?)
}

/// The content of `stop.json`.
pub(super) fn json(handoff: &Handoff) -> io::Result<Vec<u8>> {
    let mut text = serde_json::to_vec_pretty(handoff)?;
    text.push(b'\n');
    Ok(text)
}

fn replace(directory: &Path, name: &str, content: &[u8]) -> io::Result<()> {
    let temporary = directory.join(format!(".{name}.new"));
    // A killed engine may have left a temporary file.
    remove_file(&temporary)?;
    let written = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&temporary);
    let written = written.and_then(|mut file| {
        file.write_all(content)?;
        file.sync_all()
    });
    let renamed = written.and_then(|()| std::fs::rename(&temporary, directory.join(name)));
    if renamed.is_err() {
        // Do not leave half a file on a full disk.
        let _ = remove_file(&temporary);
    }
    renamed
}

/// The sequence number that `stop.json` was written for; `None` if the file is missing or
/// unreadable.
pub(super) fn written_seq(data: &Path, run: RunId) -> Option<u64> {
    #[derive(Deserialize)]
    struct Written {
        seq: u64,
    }
    let mut text = Vec::new();
    let file = File::open(handoff_directory(data, run).join(STOP_JSON)).ok()?;
    file.take(MAX_STOP_JSON_BYTES).read_to_end(&mut text).ok()?;
    serde_json::from_slice::<Written>(&text).ok().map(|written| written.seq)
}

/// Removes both files of a run, `stop.json` first.
pub(super) fn remove_written(data: &Path, run: RunId) {
    let directory = handoff_directory(data, run);
    for name in [STOP_JSON, STOP_MD] {
        if let Err(error) = remove_file(&directory.join(name)) {
            tracing::warn!(%run, %error, name, "failed to remove a file of a resumed run");
        }
    }
}

fn remove_file(path: &Path) -> io::Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}

/// The runs that have a directory, listed before pruning: those that the store knows, and others.
pub(in crate::engine) struct RunDirectories {
    known: Vec<RunId>,
    unknown: Vec<RunId>,
}

impl RunDirectories {
    pub(in crate::engine) fn list(data: &Path, store: &dyn Store) -> Self {
        let entries = std::fs::read_dir(folder(data)).into_iter().flatten().flatten();
        // Only directories named by a run's id are removed, and links are never followed.
        let directories = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
        let runs =
            directories.filter_map(|entry| entry.file_name().to_str()?.parse::<RunId>().ok());
        let (known, unknown) = runs.partition(|run| is_known(store, *run));
        Self { known, unknown }
    }
}

/// A run that cannot be read counts as known, so that its files stay.
fn is_known(store: &dyn Store, run: RunId) -> bool {
    !matches!(store.run(run), Ok(None))
}

/// Removes the directories of runs deleted since the listing. A directory whose run the store never
/// knew (the store may be new) goes only if nothing was written in it since `before` (milliseconds
/// since 1970). Failures are logged.
pub(in crate::engine) fn remove_deleted(
    data: &Path,
    store: &dyn Store,
    directories: RunDirectories,
    before: u64,
) {
    let before = SystemTime::UNIX_EPOCH + Duration::from_millis(before);
    let is_old = |run: &RunId| {
        let changed =
            handoff_directory(data, *run).metadata().and_then(|metadata| metadata.modified());
        changed.is_ok_and(|changed| changed < before)
    };
    let deleted = directories.known.into_iter().filter(|run| !is_known(store, *run));
    for run in deleted.chain(directories.unknown.into_iter().filter(is_old)) {
        if let Err(error) = std::fs::remove_dir_all(handoff_directory(data, run)) {
            tracing::warn!(%run, %error, "failed to remove the directory of a deleted run");
        }
    }
}
