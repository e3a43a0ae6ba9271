//! Which commits a run made.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use super::error::GitError;
use super::program::unexpected;
use super::repository::{Repository, checked};
use crate::gate::printable::printable_line;

/// How many commits are listed.
pub const MAX_LISTED_COMMITS: usize = 100;

/// How many commits are examined: a rebase may bring in thousands.
const MAX_WALKED_COMMITS: &str = "--max-count=10000";

const MAX_SUBJECT_CHARS: usize = 200;

/// Where HEAD was before and after a turn of the run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommitRange {
    /// The commit of HEAD when the turn began; `None` if there was none.
    pub before: Option<String>,
    /// The commit of HEAD when it ended; `None` if there was none.
    pub after: Option<String>,
}

/// A commit that was made.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct FoundCommit {
    /// Its id.
    pub id: String,
    /// The first line of its message, without terminal control characters.
    pub subject: String,
}

impl Repository {
    /// The commits that the run made, newest first: those reachable from `now` and not from `base`
    /// that appeared within one of the windows. At most [`MAX_LISTED_COMMITS`].
    ///
    /// A commit appeared within a window if it is reachable from HEAD after it and was not before.
    /// Amended and rebased commits are new ones. Commits that a user makes between two windows do
    /// not count.
    ///
    /// # Errors
    /// What is given is not an id, an object was deleted meanwhile, or git fails.
    pub async fn commits(
        &self,
        base: Option<&str>,
        now: Option<&str>,
        windows: &[CommitRange],
    ) -> Result<Vec<FoundCommit>, GitError> {
        let Some(now) = now.filter(|_| base != now) else { return Ok(Vec::new()) };
        let windows = merged(windows);
        // In the common case HEAD is where the run left it, and one call is enough.
        if let [CommitRange { before, after: Some(after) }] = windows.as_slice()
            && after == now
        {
            return self.list(now, &[base, before.as_deref()], |_| true).await;
        }
        let mut appeared = HashSet::new();
        for window in &windows {
            if let Some(after) = &window.after {
                appeared.extend(self.reachable(after, &[base, window.before.as_deref()]).await?);
            }
        }
        if appeared.is_empty() {
            return Ok(Vec::new());
        }
        self.list(now, &[base], |id| appeared.contains(id)).await
    }

    /// The commits that are reachable from one and from none of the others, filtered by id.
    async fn list(
        &self,
        from: &str,
        not: &[Option<&str>],
        wanted: impl Fn(&str) -> bool,
    ) -> Result<Vec<FoundCommit>, GitError> {
        let format = "--format=%H %s";
        let call = self.program().call(&[
            "log",
            "-z",
            "--topo-order",
            "--no-color",
            "--no-decorate",
            format,
        ]);
        let call =
            call.argument("--encoding=UTF-8").argument(MAX_WALKED_COMMITS).argument(checked(from)?);
        let output = call.arguments(except(not)?).argument("--").output().await?;
        let mut commits = Vec::new();
        for record in output.split(|byte| *byte == 0).filter(|record| !record.is_empty()) {
            let record = String::from_utf8_lossy(record);
            let (id, subject) = record.split_once(' ').unwrap_or((&record, ""));
            checked(id).map_err(|_| unexpected("git log", record.as_bytes()))?;
            if wanted(id) && commits.len() < MAX_LISTED_COMMITS {
                let subject = printable_line(subject, MAX_SUBJECT_CHARS);
                commits.push(FoundCommit { id: id.to_owned(), subject });
            }
        }
        Ok(commits)
    }

    /// Their ids alone.
    async fn reachable(&self, from: &str, not: &[Option<&str>]) -> Result<Vec<String>, GitError> {
        let call = self.program().call(&["rev-list", MAX_WALKED_COMMITS]).argument(checked(from)?);
        let output = call.arguments(except(not)?).argument("--").output().await?;
        Ok(String::from_utf8_lossy(&output).lines().map(str::to_owned).collect())
    }
}

/// Merges windows between which HEAD did not move: each window costs a call of git, and a long run
/// has hundreds. A commit that appeared in one of them and is still reachable at the end of the
/// last one also appeared in the merged window.
fn merged(windows: &[CommitRange]) -> Vec<CommitRange> {
    let mut merged: Vec<CommitRange> = Vec::new();
    for window in windows {
        match merged.last_mut() {
            Some(last) if last.after == window.before => last.after.clone_from(&window.after),
            _ => merged.push(window.clone()),
        }
    }
    merged.retain(|window| window.before != window.after);
    merged
}

/// Arguments that exclude these commits and their ancestors.
fn except(commits: &[Option<&str>]) -> Result<Vec<String>, GitError> {
    commits.iter().flatten().map(|id| Ok(format!("^{}", checked(id)?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_without_a_gap_are_merged() {
        let window = |before: &str, after: &str| {
            let id = |name: &str| (name != "-").then(|| name.to_owned());
            CommitRange { before: id(before), after: id(after) }
        };
        let windows =
            |text: &[(&str, &str)]| text.iter().map(|(a, b)| window(a, b)).collect::<Vec<_>>();
        let table: [(&[_], &[_]); 5] = [
            (&[], &[]),
            (&[("a", "a"), ("a", "a")], &[]),
            (&[("-", "a"), ("a", "a"), ("a", "b")], &[("-", "b")]),
            (&[("a", "b"), ("c", "c"), ("c", "d")], &[("a", "b"), ("c", "d")]),
            // The run discarded its own commits.
            (&[("a", "b"), ("b", "a")], &[]),
        ];
        for (given, expected) in table {
            assert_eq!(merged(&windows(given)), windows(expected), "{given:?}");
        }
    }
}
