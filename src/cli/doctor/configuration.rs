//! Whether the configuration file, and what is settled in the environment, can be understood.

use std::path::Path;

use super::finding::Finding;
use crate::cli::usage::complaint::Complaint;

const NAME: &str = "configuration";

pub(super) fn check(file: Option<&Path>, complaints: &[Complaint]) -> Vec<Finding> {
    if !complaints.is_empty() {
        return complaints.iter().map(|complaint| Finding::complained(NAME, complaint)).collect();
    }
    let words = match file {
        Some(file) if file.exists() => format!("`{}`", file.display()),
        Some(file) => format!("none; it would be `{}`", file.display()),
        None => "none, and no home to look for one in".to_owned(),
    };
    vec![Finding::good(NAME, words)]
}
