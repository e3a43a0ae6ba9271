//! Checks whether the data directory can be written to, and only by this user.

use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use rustix::fs::{Access, access, statvfs};
use rustix::process::geteuid;

use super::finding::Finding;
use crate::cli::usage::cli_error::CliError;
use crate::store::Holder;

const CHECK: &str = "data directory";

/// Less free space than this is a warning: a store and the agents' output soon need as much.
const MIN_FREE_BYTES: u64 = 100_000_000;

pub(super) fn check(data: Result<&Path, &CliError>, holder: Option<&Holder>) -> Finding {
    let data = match data {
        Ok(data) => data,
        Err(problem) => return Finding::complained(CHECK, problem),
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
        let words = format!("`{shown}` belongs to another user, who can read everything in it");
        return Finding::doubtful(CHECK, words, "choose a directory of your own with `--data`");
    }
    let mode = metadata.mode() & 0o777;
    if mode & 0o077 != 0 {
        let words = format!("other users have access to `{shown}` (mode {mode:o})");
        return Finding::doubtful(CHECK, words, "run `chmod 700` on it");
    }
    let used = holder.map_or_else(String::new, |holder| format!(", in use by {holder}"));
    with_room(data, data, &used)
}

/// A directory that does not exist. It can be created if its nearest existing ancestor is writable.
fn to_be_made(data: &Path) -> Finding {
    let Some(above) = data.ancestors().skip(1).find(|folder| folder.exists()) else {
        return unusable(data, "none of its parent directories exists");
    };
    if !above.is_dir() || access(above, Access::WRITE_OK | Access::EXEC_OK).is_err() {
        return unusable(
            data,
            &format!("it does not exist and cannot be created in `{}`", above.display()),
        );
    }
    with_room(data, above, ", created on first use")
}

fn with_room(data: &Path, measured: &Path, words: &str) -> Finding {
    let shown = data.display();
    match statvfs(measured).map(|found| found.f_bavail.saturating_mul(found.f_frsize)) {
        Ok(free) if free < MIN_FREE_BYTES => {
            let words = format!("`{shown}`{words}; only {} MB are free", free / 1_000_000);
            Finding::doubtful(
                CHECK,
                words,
                "free space on that disk, or choose another directory with `--data`",
            )
        }
        Ok(_) | Err(_) => Finding::good(CHECK, format!("`{shown}`{words}")),
    }
}

fn unusable(data: &Path, why: &str) -> Finding {
    let fix = "fix that, or choose another directory with `--data`";
    Finding::bad(CHECK, format!("`{}` cannot be used: {why}", data.display()), fix)
}
