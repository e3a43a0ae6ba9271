//! Checks the records of trusted repositories, and the repository of the current directory.

use std::path::Path;

use super::finding::Finding;
use crate::cli::commands::trust::{Standing, standing};
use crate::cli::usage::program::program_name;
use crate::engine::{TrustError, TrustRecords, TrustState};
use crate::recipe::Advise;

const RECORDS: &str = "trust";
const HERE: &str = "surefire.toml";

/// At most this many outdated records are named; the rest are counted.
const MAX_NAMED: usize = 5;

/// Reports nothing if there are no records and no repository.
pub(super) async fn check(data: Option<&Path>) -> Vec<Finding> {
    let Some(data) = data else { return Vec::new() };
    let records = TrustRecords::new(data);
    let here = match std::env::current_dir() {
        Ok(current) => here(&records, &current).await,
        Err(_) => None,
    };
    all(&records).await.into_iter().chain(here).collect()
}

/// The number of records, and which of them are outdated.
async fn all(records: &TrustRecords) -> Option<Finding> {
    let directories = match records.directories() {
        Ok(directories) if directories.is_empty() => return None,
        Ok(directories) => directories,
        Err(error) => {
            let fix = "correct the file, or delete it to trust nothing";
            return Some(Finding::bad(RECORDS, error.to_string(), fix));
        }
    };
    let mut ended = Vec::new();
    for directory in &directories {
        match standing(records, directory).await {
            Standing::Holds => {}
            standing @ (Standing::Changed(_) | Standing::Gone(_)) => {
                ended.push(format!("`{}`: {}", directory.display(), standing.in_words()));
            }
        }
    }
    Some(records_finding(directories.len(), &ended))
}

fn records_finding(all: usize, ended: &[String]) -> Finding {
    let trusted = match all {
        1 => "1 repository is trusted".to_owned(),
        _ => format!("{all} repositories are trusted"),
    };
    if ended.is_empty() {
        return Finding::good(RECORDS, trusted);
    }
    let mut named: Vec<_> = ended.iter().take(MAX_NAMED).cloned().collect();
    if ended.len() > MAX_NAMED {
        named.push(format!("and {} more", ended.len() - MAX_NAMED));
    }
    let program = program_name();
    let recorded = match all {
        1 => "1 repository".to_owned(),
        _ => format!("{all} repositories"),
    };
    let words = format!(
        "{recorded} recorded as trusted, {} no longer valid: {}",
        ended.len(),
        named.join(", ")
    );
    let fix = format!(
        "`{program} trust` shows the changes and trusts again, `{program} untrust` deletes the record"
    );
    Finding::doubtful(RECORDS, words, fix)
}

/// Whether this repository's file is valid and trusted.
async fn here(records: &TrustRecords, current: &Path) -> Option<Finding> {
    let subject = match records.subject(current).await {
        Ok(subject) => subject,
        Err(error @ TrustError::ProjectFile { .. }) => {
            let fix = "correct and commit it; until then no run can start here";
            return Some(Finding::bad(HERE, error.problem(), fix));
        }
        // The check of git reports these.
        Err(
            TrustError::NoRepository(_)
            | TrustError::Obstacle { .. }
            | TrustError::Git(_)
            | TrustError::Records { .. },
        ) => return None,
    };
    if let Some(why) = subject.obstacle {
        let fix = "replace the link with the file itself and commit that, or work without it";
        return Some(Finding::doubtful(
            HERE,
            format!("this repository cannot be trusted: {why}"),
            fix,
        ));
    }
    if subject.files.is_empty() {
        return None;
    }
    let files: Vec<_> = subject.files.keys().map(String::as_str).collect();
    let files = files.join(", ");
    let has_commands =
        subject.project.as_ref().is_some_and(|it| !it.verify.is_empty() || !it.setup.is_empty());
    let program = program_name();
    Some(match records.state(&subject).ok()? {
        TrustState::Trusted => Finding::good(HERE, format!("this repository is trusted ({files})")),
        state @ (TrustState::Unknown | TrustState::Changed { .. }) => {
            let why = match state {
                TrustState::Changed { files } => {
                    format!("{} changed since this repository was trusted", files.join(", "))
                }
                TrustState::Unknown | TrustState::Trusted => {
                    format!("this repository is not trusted ({files})")
                }
            };
            let effect = if has_commands {
                "its commands do not run, and runs here are refused"
            } else {
                "its hooks and MCP servers do not run"
            };
            Finding::doubtful(
                HERE,
                format!("{why}: {effect}"),
                format!("`{program} trust` shows what it may do"),
            )
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::doctor::finding::Status;

    #[test]
    fn records_are_counted_and_outdated_ones_are_named() {
        assert_eq!(records_finding(1, &[]), Finding::good(RECORDS, "1 repository is trusted"));
        assert_eq!(records_finding(3, &[]).words, "3 repositories are trusted");
        let one =
            records_finding(3, &["`/shop`: no longer trusted: surefire.toml changed".to_owned()]);
        assert_eq!(one.status, Status::Doubtful);
        let words = "3 repositories recorded as trusted, 1 no longer valid: `/shop`: no longer trusted: surefire.toml changed";
        assert_eq!(one.words, words);
        let many: Vec<_> = (0..7).map(|n| format!("`/{n}`")).collect();
        assert!(records_finding(9, &many).words.contains(", 7 no longer valid"));
        assert!(records_finding(9, &many).words.ends_with("`/4`, and 2 more"));
    }
}
