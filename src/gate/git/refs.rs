//! Where HEAD and the main branch are.

use serde::{Deserialize, Serialize};

use super::error::GitError;
use super::program::unexpected;
use super::repository::{Repository, checked};

/// Where HEAD is.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Head {
    /// The commit; `None` on a branch without commits.
    pub commit: Option<String>,
    /// The branch that is checked out, without `refs/heads/`; `None` if HEAD is detached.
    pub branch: Option<String>,
}

/// The branch that others are rebased on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MainBranch {
    /// Its name: `main`, or `origin/…`.
    pub name: String,
    /// Its commit.
    pub commit: String,
}

impl Repository {
    /// Where HEAD is now.
    ///
    /// # Errors
    /// Git fails.
    pub async fn head(&self) -> Result<Head, GitError> {
        let call =
            self.program().call(&["rev-parse", "--quiet", "HEAD", "--symbolic-full-name", "HEAD"]);
        let answer = call.answer().await?;
        if answer.code == Some(0) {
            let text = String::from_utf8_lossy(&answer.stdout);
            let mut lines = text.lines();
            let (Some(commit), Some(name)) =
                (lines.next().and_then(|id| checked(id).ok()), lines.next())
            else {
                return Err(unexpected("git rev-parse", &answer.stdout));
            };
            return Ok(Head { commit: Some(commit.to_owned()), branch: branch(name) });
        }
        // No commit yet, or HEAD is damaged; then this fails as well.
        let name = self.program().call(&["symbolic-ref", "--quiet", "HEAD"]).answer().await?;
        if name.code != Some(0) {
            return Err(answer.into_error());
        }
        Ok(Head { commit: None, branch: branch(String::from_utf8_lossy(&name.stdout).trim_end()) })
    }

    /// The branch `main`, or else the one that `origin` has as its HEAD; `None` if there is
    /// neither.
    ///
    /// # Errors
    /// Git fails.
    pub async fn main_branch(&self) -> Result<Option<MainBranch>, GitError> {
        const FORMAT: &str = "--format=%(objectname) %(refname) %(symref)";
        let call = self.program().call(&[
            "for-each-ref",
            FORMAT,
            "refs/heads/main",
            "refs/remotes/origin/HEAD",
        ]);
        let output = call.output().await?;
        let text = String::from_utf8_lossy(&output);
        // Git sorts them by name, which is the order of preference here.
        let found = text.lines().find_map(|line| {
            let (commit, names) = line.split_once(' ')?;
            let (name, target) = names.split_once(' ')?;
            match name {
                "refs/heads/main" => Some(("main", commit)),
                "refs/remotes/origin/HEAD" => {
                    target.strip_prefix("refs/remotes/").map(|name| (name, commit))
                }
                // `refs/heads/main/…`, if `main` is a folder of branches.
                _ => None,
            }
        });
        Ok(found
            .map(|(name, commit)| MainBranch { name: name.to_owned(), commit: commit.to_owned() }))
    }

    /// Whether the first commit is the second one, or reachable from it.
    ///
    /// # Errors
    /// One of them is not the id of a commit, or git fails.
    pub async fn is_ancestor(&self, ancestor: &str, commit: &str) -> Result<bool, GitError> {
        let call = self.program().call(&[
            "merge-base",
            "--is-ancestor",
            checked(ancestor)?,
            checked(commit)?,
        ]);
        let answer = call.answer().await?;
        match answer.code {
            Some(0) => Ok(true),
            Some(1) => Ok(false),
            Some(_) | None => Err(answer.into_error()),
        }
    }
}

/// The branch of this name; `None` for `HEAD`, which git prints if HEAD is detached.
fn branch(name: &str) -> Option<String> {
    (name != "HEAD").then(|| name.strip_prefix("refs/heads/").unwrap_or(name).to_owned())
}
