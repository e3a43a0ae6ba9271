//! Which repositories are trusted, and whether this one is.

use std::path::Path;

use super::finding::Finding;
use crate::cli::commands::trust::{Standing, standing};
use crate::cli::usage::program::program_name;
use crate::engine::{TrustError, TrustRecords, TrustState};
use crate::recipe::Advise;

const RECORDS: &str = "trust";
const HERE: &str = "surefire.toml";

/// How many records that do not hold are named; the others are counted.
const MAX_NAMED: usize = 5;

/// Looks at the records, and at the repository of the current directory. There is nothing to say where there are neither.
pub(super) async fn check(data: Option<&Path>) -> Vec<Finding> {
    let Some(data) = data else { return Vec::new() };
    let records = TrustRecords::new(data);
    let here = match std::env::current_dir() {
        Ok(current) => here(&records, &current).await,
        Err(_) => None,
    };
    all(&records).await.into_iter().chain(here).collect()
}

/// How many records there are, and which do not hold any more.
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
    Some(told(directories.len(), &ended))
}

fn told(all: usize, ended: &[String]) -> Finding {
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
    let do_not_hold = match ended.len() {
        1 => "1 does not hold".to_owned(),
        ended => format!("{ended} do not hold"),
    };
    let words = format!("{recorded} recorded, and {do_not_hold} any more: {}", named.join(", "));
    let fix =
        format!("`{program} trust` looks at one and trusts it anew, `{program} untrust` deletes its record");
    Finding::doubtful(RECORDS, words, fix)
}

/// Whether the file of this repository can be read, and is trusted.
async fn here(records: &TrustRecords, current: &Path) -> Option<Finding> {
    let subject = match records.subject(current).await {
        Ok(subject) => subject,
        Err(error @ TrustError::ProjectFile { .. }) => {
            let fix = "correct it and commit it; until then no run begins here";
            return Some(Finding::bad(HERE, error.problem(), fix));
        }
        // Whether there is git and a repository is another check's.
        Err(
            TrustError::NoRepository(_)
            | TrustError::Obstacle { .. }
            | TrustError::Git(_)
            | TrustError::Records { .. },
        ) => return None,
    };
    if let Some(why) = subject.obstacle {
        let fix = "put the file itself in the place of the link and commit it, or work without it";
        return Some(Finding::doubtful(HERE, format!("this repository cannot be trusted: {why}"), fix));
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
                "hooks and MCP servers of its own do not run"
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
    fn records_are_counted_and_those_that_do_not_hold_are_named() {
        assert_eq!(told(1, &[]), Finding::good(RECORDS, "1 repository is trusted"));
        assert_eq!(told(3, &[]).words, "3 repositories are trusted");
        let one = told(3, &["`/shop`: not any more: surefire.toml changed".to_owned()]);
        assert_eq!(one.status, Status::Doubtful);
        let words = "3 repositories recorded, and 1 does not hold any more: `/shop`: not any more: surefire.toml changed";
        assert_eq!(one.words, words);
        let many: Vec<_> = (0..7).map(|n| format!("`/{n}`")).collect();
        assert!(told(9, &many).words.contains("and 7 do not hold any more"));
        assert!(told(9, &many).words.ends_with("`/4`, and 2 more"));
    }
}
