//! Lists the worktrees of ended runs. Nothing removes them automatically.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::finding::Finding;
use crate::Catalog;
use crate::cli::connection;
use crate::cli::connection::RunHistory;
use crate::cli::usage::cli_error::CliError;
use crate::cli::usage::program::program_name;
use crate::engine::{Clock, worktrees_directory};
use crate::run::{Event, RunId, Worktree};
use crate::store::Sqlite;
use crate::view::{count, took};

const CHECK: &str = "worktrees";

/// At most this many are named; the rest are counted.
const MAX_NAMED: usize = 5;

/// The longest chain that is followed to its last run.
const MAX_LINKS: usize = 1000;

/// Reports nothing if the data directory has no worktrees.
pub(super) async fn check(catalog: Catalog, data: Option<&Path>) -> Option<Finding> {
    let data = data?;
    let found = entries(&worktrees_directory(data));
    // Opening a store of an earlier version would migrate it.
    if found.is_empty() || matches!(Sqlite::inspect(data), Ok(None)) {
        return None;
    }
    let looked = async {
        let history = connection::history(catalog, data).await?;
        let (mut left, mut stray) = (Vec::new(), Vec::new());
        for path in found {
            match owner(&history, &path).await? {
                Owner::Running => {}
                Owner::Ended(leftover) => left.push(*leftover),
                Owner::Unknown => stray.push(path),
            }
        }
        Ok::<_, CliError>((left, stray))
    };
    Some(match looked.await {
        Ok((left, stray)) => finding(&left, &stray, Clock::system().now()),
        Err(problem) => Finding::complained(CHECK, &problem),
    })
}

fn entries(directory: &Path) -> Vec<PathBuf> {
    let Ok(entries) = directory.read_dir() else { return Vec::new() };
    let mut found: Vec<_> =
        entries.flatten().map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    found.sort();
    found
}

/// A worktree that was neither merged nor discarded.
#[derive(Debug)]
struct Leftover {
    run: RunId,
    worktree: Worktree,
    /// When its run ended, in milliseconds since 1970.
    ended_at: u64,
}

/// The run that a worktree belongs to.
enum Owner {
    /// A running or paused run.
    Running,
    /// A run that has ended.
    Ended(Box<Leftover>),
    /// No known run.
    Unknown,
}

/// A worktree is named after the run that it was made for, and all runs of a chain work in it.
async fn owner(history: &RunHistory, path: &Path) -> Result<Owner, CliError> {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let Ok(mut run) = name.parse::<RunId>() else { return Ok(Owner::Unknown) };
    for _ in 0..MAX_LINKS {
        let Some(journal) = history.journal(run, 0).await? else { return Ok(Owner::Unknown) };
        let line = journal.run;
        match &line.ending {
            None => return Ok(Owner::Running),
            Some(ending) if ending.resume_at.is_some() => return Ok(Owner::Running),
            Some(ending) => match ending.continued_by {
                Some(next) => run = next,
                None => {
                    let mut events = journal.events.into_iter().map(|record| record.event);
                    return Ok(match events.next() {
                        Some(Event::Started { spec, .. }) => match spec.worktree {
                            Some(worktree) => {
                                let ended_at = line.changed_at.0;
                                Owner::Ended(Box::new(Leftover { run, worktree, ended_at }))
                            }
                            None => Owner::Unknown,
                        },
                        _ => Owner::Unknown,
                    });
                }
            },
        }
    }
    Ok(Owner::Running)
}

fn finding(left: &[Leftover], stray: &[PathBuf], now: u64) -> Finding {
    let program = program_name();
    let leftover = |it: &Leftover| {
        let age = took(Duration::from_millis(now.saturating_sub(it.ended_at)));
        let (path, branch) = (it.worktree.path.display(), &it.worktree.branch);
        format!("run {}, ended {age} ago, in `{path}` on the branch `{branch}`", short(it.run))
    };
    let mut words = Vec::new();
    if !left.is_empty() {
        let all = count(left.len(), "worktree");
        words.push(format!("{all} of runs that have ended: {}", named(left.iter().map(leftover))));
    }
    if !stray.is_empty() {
        let paths = stray.iter().map(|path| format!("`{}`", path.display()));
        words.push(format!("{} of unknown runs: {}", count(stray.len(), "worktree"), named(paths)));
    }
    if words.is_empty() {
        return Finding::good(CHECK, "all are in use by runs");
    }
    let ending = format!("run `{program} merge` or `{program} discard` with the run's id");
    let removing = "run `git worktree remove` with the path in the repository it belongs to";
    let fix = match (left, stray) {
        ([], _) => format!("inspect them, then {removing}"),
        (_, []) => ending,
        (_, _) => format!("{ending}; for unknown runs, {removing}"),
    };
    Finding::doubtful(CHECK, words.join("; "), fix)
}

fn named(all: impl ExactSizeIterator<Item = String>) -> String {
    let more = all.len().saturating_sub(MAX_NAMED);
    let mut shown: Vec<_> = all.take(MAX_NAMED).collect();
    if more > 0 {
        shown.push(format!("and {more} more"));
    }
    shown.join(", ")
}

fn short(run: RunId) -> String {
    run.to_string().chars().take(8).collect()
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::cli::doctor::finding::Status;

    fn leftover(n: u128) -> Leftover {
        let worktree = Worktree {
            repository: "/shop".into(),
            path: format!("/data/worktrees/{n}").into(),
            branch: format!("surefire/{n}"),
            base: "0123".to_owned(),
        };
        Leftover { run: Uuid::from_u128(n << 96).into(), worktree, ended_at: 1_000 }
    }

    #[test]
    fn leftovers_are_named_with_branch_age_and_remedy() {
        let found = finding(&[leftover(7)], &[], 121_000);
        assert_eq!(found.status, Status::Doubtful);
        let words = "1 worktree of runs that have ended: run 00000007, ended 2 min ago, in `/data/worktrees/7` on the \
                     branch `surefire/7`";
        assert_eq!(found.words, words);
        assert!(
            found.fix.contains(" merge` or `") && found.fix.contains(" discard`"),
            "{}",
            found.fix
        );

        let stray = finding(&[], &["/data/worktrees/x".into()], 0);
        assert_eq!(stray.words, "1 worktree of unknown runs: `/data/worktrees/x`");
        assert!(stray.fix.contains("git worktree remove"), "{}", stray.fix);

        let many: Vec<_> = (1..=7).map(leftover).collect();
        assert!(finding(&many, &[], 0).words.ends_with(", and 2 more"));
        assert_eq!(finding(&[], &[], 0).status, Status::Good);
    }
}
