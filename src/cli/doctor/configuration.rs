//! Checks whether the configuration file and the environment variables are valid.

use std::path::Path;

use super::finding::Finding;
use crate::cli::usage::cli_error::CliError;

const CHECK: &str = "configuration";

pub(super) fn check(file: Option<&Path>, complaints: &[CliError]) -> Vec<Finding> {
    if !complaints.is_empty() {
        return complaints.iter().map(|problem| Finding::complained(CHECK, problem)).collect();
    }
    let words = match file {
        Some(file) if file.exists() => format!("`{}`", file.display()),
        Some(file) => format!("no file at `{}`; the defaults apply", file.display()),
        None => "no file, and no home directory to look for one in".to_owned(),
    };
    vec![Finding::good(CHECK, words)]
}
