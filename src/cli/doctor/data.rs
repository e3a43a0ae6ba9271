//! Whether everything can be kept where it should be, and by us alone.

use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use rustix::fs::{Access, access, statvfs};
use rustix::process::geteuid;

use super::finding::Finding;
use crate::cli::usage::complaint::Complaint;
use crate::store::Holder;

const NAME: &str = "data directory";

/// Less free space than this is worth a word, in bytes: a store and the agents' output soon take as much.
const LITTLE: u64 = 100_000_000;

pub(super) fn check(data: Result<&Path, &Complaint>, holder: Option<&Holder>) -> Finding {
    let data = match data {
        Ok(data) => data,
        Err(complaint) => return Finding::complained(NAME, complaint),
    };
    let shown = data.display();
    let metadata = match std::fs::metadata(data) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == ErrorKind::NotFound => return to_be_made(data),
        Err(error) => return unusable(data, &error.to_string()),
    };
    if !metadata.is_dir() {
        return unusable(data, "it is a file");
    }
    if access(data, Access::WRITE_OK | Access::EXEC_OK).is_err() {
        return unusable(data, "it cannot be written to");
    }
    if metadata.uid() != geteuid().as_raw() {
        let words = format!("`{shown}` belongs to somebody else, who can read all of it");
        return Finding::doubtful(NAME, words, "name a folder of your own with `--data`");
    }
    let mode = metadata.mode() & 0o777;
    if mode & 0o077 != 0 {
        let words = format!("others have access to `{shown}` (mode {mode:o})");
        return Finding::doubtful(NAME, words, "run `chmod 700` on it");
    }
    let used = holder.map_or_else(String::new, |holder| format!(", in use by {holder}"));
    with_room(data, data, &used)
}

/// A directory that is not there, and can be made if the nearest one that is there can be written to.
fn to_be_made(data: &Path) -> Finding {
    let Some(above) = data.ancestors().skip(1).find(|folder| folder.exists()) else {
        return unusable(data, "there is nothing above it");
    };
    if !above.is_dir() || access(above, Access::WRITE_OK | Access::EXEC_OK).is_err() {
        return unusable(data, &format!("it is not there, and cannot be made in `{}`", above.display()));
    }
    with_room(data, above, ", which is made when it is needed")
}

fn with_room(data: &Path, measured: &Path, words: &str) -> Finding {
    let shown = data.display();
    match statvfs(measured).map(|found| found.f_bavail.saturating_mul(found.f_frsize)) {
        Ok(free) if free < LITTLE => {
            let words = format!("`{shown}`{words}; there are only {} MB left", free / 1_000_000);
            Finding::doubtful(NAME, words, "make room on that disk, or name another folder with `--data`")
        }
        Ok(_) | Err(_) => Finding::good(NAME, format!("`{shown}`{words}")),
    }
}

fn unusable(data: &Path, why: &str) -> Finding {
    let fix = "put that right, or name another folder with `--data`";
    Finding::bad(NAME, format!("`{}` cannot be used: {why}", data.display()), fix)
}
