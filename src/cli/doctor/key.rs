//! Checks whether the API key is valid and readable only by this user.

use std::path::PathBuf;

use super::finding::Finding;
use crate::cli::usage::cli_error::CliError;
use crate::server::ApiKey;

const CHECK: &str = "key";

pub(super) fn check(path: Result<PathBuf, CliError>) -> Finding {
    let path = match path {
        Ok(path) => path,
        Err(problem) => return Finding::complained(CHECK, &problem),
    };
    let shown = path.display();
    if std::fs::symlink_metadata(&path)
        .is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound)
    {
        return Finding::good(CHECK, format!("`{shown}`, created on first use"));
    }
    match ApiKey::read(&path) {
        Ok(_) => Finding::good(CHECK, format!("`{shown}`, readable only by you")),
        Err(error) => Finding::failed(CHECK, &error),
    }
}
