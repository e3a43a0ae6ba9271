//! Whether there is a key, and nobody else can read it.

use std::path::PathBuf;

use super::finding::Finding;
use crate::cli::usage::complaint::Complaint;
use crate::server::ApiKey;

const NAME: &str = "key";

pub(super) fn check(path: Result<PathBuf, Complaint>) -> Finding {
    let path = match path {
        Ok(path) => path,
        Err(complaint) => return Finding::complained(NAME, &complaint),
    };
    let shown = path.display();
    if std::fs::symlink_metadata(&path).is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound) {
        return Finding::good(NAME, format!("`{shown}`, which is made when it is needed"));
    }
    match ApiKey::read(&path) {
        Ok(_) => Finding::good(NAME, format!("`{shown}`, for you alone")),
        Err(error) => Finding::failed(NAME, &error),
    }
}
