//! Which commits a run made.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use super::error::GitError;
use super::program::unexpected;
use super::repository::{Repository, checked};
use crate::gate::printable::printable_line;

/// How many commits are listed.
pub const MAX_LISTED_COMMITS: usize = 100;

/// How many commits are looked at: a rebase may bring thousands of others along.
const MAX_WALKED_COMMITS: &str = "--max-count=10000";

const MAX_SUBJECT_CHARS: usize = 200;

/// The time in which a turn of the run worked: where HEAD was before, and where it was afterwards.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Window {
    /// The commit of HEAD when the turn began; `None` if there was none.
    pub before: Option<String>,
    /// The commit of HEAD when it ended; `None` if there was none.
    pub after: Option<String>,
}

/// A commit that was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitSeen {
    /// Its id.
    pub id: String,
    /// The first line of its message, without anything that would direct a terminal.
    pub subject: String,
}

impl Repository {
    /// The commits that the run made: those that can be reached from `now` and not from `base`, and that appeared within one
    /// of the windows, the last ones first. At most [`MAX_LISTED_COMMITS`].
    ///
    /// A commit appeared within a window if it can be reached from HEAD afterwards and could not be before. Amended and
    /// rebased commits are new ones. What a person commits between two windows is not counted.
    ///
    /// # Errors
    /// What is given is not an id, an object was deleted meanwhile, or git fails.
    pub async fn commits(
        &self,
        base: Option<&str>,
        now: Option<&str>,
        windows: &[Window],
    ) -> Result<Vec<CommitSeen>, GitError> {
        let Some(now) = now.filter(|_| base != now) else { return Ok(Vec::new()) };
        let windows = merged(windows);
        // HEAD is where the run left it, as nearly always: one call says it all.
        if let [Window { before, after: Some(after) }] = windows.as_slice()
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

    /// The commits that can be reached from one and from none of the others, as far as they are wanted.
    async fn list(
        &self,
        from: &str,
        not: &[Option<&str>],
        wanted: impl Fn(&str) -> bool,
    ) -> Result<Vec<CommitSeen>, GitError> {
        let format = "--format=%H %s";
        let call = self.program().call(&["log", "-z", "--topo-order", "--no-color", "--no-decorate", format]);
        let call = call.argument("--encoding=UTF-8").argument(MAX_WALKED_COMMITS).argument(checked(from)?);
        let output = call.arguments(except(not)?).argument("--").output().await?;
        let mut commits = Vec::new();
        for record in output.split(|byte| *byte == 0).filter(|record| !record.is_empty()) {
            let record = String::from_utf8_lossy(record);
            let (id, subject) = record.split_once(' ').unwrap_or((&record, ""));
            checked(id).map_err(|_| unexpected("git log", record.as_bytes()))?;
            if wanted(id) && commits.len() < MAX_LISTED_COMMITS {
                let subject = printable_line(subject, MAX_SUBJECT_CHARS);
                commits.push(CommitSeen { id: id.to_owned(), subject });
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

/// Windows between which HEAD stood still, as one: each of them is a call of git, and a long run has hundreds. What
/// appeared in one of them and can still be reached at the end of the last one appeared in all of them together.
fn merged(windows: &[Window]) -> Vec<Window> {
    let mut merged: Vec<Window> = Vec::new();
    for window in windows {
        match merged.last_mut() {
            Some(last) if last.after == window.before => last.after.clone_from(&window.after),
            _ => merged.push(window.clone()),
        }
    }
    merged.retain(|window| window.before != window.after);
    merged
}

/// Arguments that leave out these commits and all before them.
fn except(commits: &[Option<&str>]) -> Result<Vec<String>, GitError> {
    commits.iter().flatten().map(|id| Ok(format!("^{}", checked(id)?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_without_a_gap_are_one() {
        let window = |before: &str, after: &str| {
            let id = |name: &str| (name != "-").then(|| name.to_owned());
            Window { before: id(before), after: id(after) }
        };
        let windows = |text: &[(&str, &str)]| text.iter().map(|(a, b)| window(a, b)).collect::<Vec<_>>();
        let table: [(&[_], &[_]); 5] = [
            (&[], &[]),
            (&[("a", "a"), ("a", "a")], &[]),
            (&[("-", "a"), ("a", "a"), ("a", "b")], &[("-", "b")]),
            (&[("a", "b"), ("c", "c"), ("c", "d")], &[("a", "b"), ("c", "d")]),
            // The run threw away what it did.
            (&[("a", "b"), ("b", "a")], &[]),
        ];
        for (given, expected) in table {
            assert_eq!(merged(&windows(given)), windows(expected), "{given:?}");
        }
    }
}
