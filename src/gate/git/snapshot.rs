//! A snapshot of the whole work tree, as the id of a git tree.
//!
//! It contains tracked, changed and untracked files, but not ignored ones. Two snapshots are equal
//! if and only if the files are, whatever happened in between, and git can show the difference. It
//! is made in a copy of the index, and its objects go into a directory of ours, so the repository
//! is not touched.

use std::future::Future;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::pin::Pin;

use serde::{Deserialize, Serialize};

use super::error::GitError;
use super::index::IndexCopy;
use super::program::{Call, unexpected};
use super::refs::Head;
use super::repository::{Repository, checked};
use super::stand_in::{Plan, StandIn, plan};
use super::status;
use crate::process::run_blocking;

/// How deep submodules of submodules are included.
const MAX_SUBMODULE_DEPTH: usize = 4;

/// For how many repositories that are not submodules the commit is read.
const MAX_EMBEDDED: usize = 50;

/// The state of a work tree: where HEAD was, and the content of all files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TreeSnapshot {
    /// Where HEAD was.
    pub head: Head,
    /// The id of the tree that contains all files.
    pub tree: String,
}

/// Whether a snapshot has to survive a power failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Lasting {
    Yes,
    No,
}

impl Repository {
    /// A snapshot of the whole work tree, even if the repository was found from a subdirectory.
    ///
    /// Only files that differ from the index are read, so it takes about as long as `git status`.
    /// An uncommitted file larger than [`MAX_SNAPSHOT_FILE_BYTES`](super::MAX_SNAPSHOT_FILE_BYTES)
    /// is represented by its size and modification time; so is one that cannot be read.
    ///
    /// # Errors
    /// Git fails, even on a second try, which is made because a file may vanish while it
    /// is read.
    pub async fn snapshot(&self) -> Result<TreeSnapshot, GitError> {
        self.snapshot_below(0, Lasting::No).await
    }

    /// A snapshot that later ones are compared with until the run ends: it is durable when this
    /// returns.
    ///
    /// # Errors
    /// As [`snapshot`](Self::snapshot).
    pub async fn baseline(&self) -> Result<TreeSnapshot, GitError> {
        self.snapshot_below(0, Lasting::Yes).await
    }

    async fn snapshot_below(
        &self,
        depth: usize,
        lasting: Lasting,
    ) -> Result<TreeSnapshot, GitError> {
        match self.snapshot_once(depth, lasting).await {
            Err(GitError::Failed { command, words }) => {
                tracing::debug!(
                    command,
                    words,
                    "failed to take a snapshot of a work tree, trying again"
                );
                self.snapshot_once(depth, lasting).await
            }
            taken => taken,
        }
    }

    async fn snapshot_once(
        &self,
        depth: usize,
        lasting: Lasting,
    ) -> Result<TreeSnapshot, GitError> {
        let copy = IndexCopy::of(self.index(), self.objects()).await?;
        let call = |arguments: &[&str]| {
            let call = self.program().call(arguments).variable("GIT_INDEX_FILE", copy.path());
            call.setting(match lasting {
                Lasting::Yes => "core.fsync=all",
                Lasting::No => "core.fsync=none",
            })
        };
        let output = call(&status::ARGUMENTS).output().await?;
        let status = status::parse(&output).ok_or_else(|| unexpected("git status", &output))?;
        let top = self.top().to_owned();
        let mut plan = run_blocking(move || plan(&top, status.differences)).await;
        let links = self.look_into_repositories(&mut plan, depth, lasting).await;
        self.apply(&plan, &links, &copy, call).await?;
        let output = call(&["write-tree", "--missing-ok"]).output().await?;
        let tree = String::from_utf8_lossy(&output).trim_end().to_owned();
        checked(&tree).map_err(|_| unexpected("git write-tree", &output))?;
        Ok(TreeSnapshot { head: status.head, tree })
    }

    /// Determines what represents other repositories in the work tree: a stand-in for each
    /// submodule with uncommitted changes, and for each repository that is not a submodule a link
    /// to its commit, as for a submodule.
    async fn look_into_repositories(
        &self,
        plan: &mut Plan,
        depth: usize,
        lasting: Lasting,
    ) -> Vec<Link> {
        for path in std::mem::take(&mut plan.dirty_submodules) {
            let words = match self.submodule(&path, depth, lasting).await {
                Some(TreeSnapshot { head, tree }) => {
                    let commit = head.commit.unwrap_or_default();
                    format!("submodule at {commit} with uncommitted changes, tree {tree}")
                }
                None => "submodule with uncommitted changes".to_owned(),
            };
            plan.stand_ins.push(StandIn::new(path, words));
        }
        let mut links = Vec::new();
        for (number, path) in std::mem::take(&mut plan.embedded).into_iter().enumerate() {
            let commit = if number < MAX_EMBEDDED { self.commit_of(&path).await } else { None };
            match commit {
                Some(commit) => links.push(Link { path, commit }),
                None => plan.stand_ins.push(StandIn::new(path, "repository".to_owned())),
            }
        }
        links
    }

    /// Where HEAD is in a repository below this one; `None` if it has no commit, or cannot be read.
    async fn commit_of(&self, path: &Path) -> Option<String> {
        let embedded = self.git().find(&self.top().join(path), self.objects()).await.ok()??;
        embedded.head().await.ok()?.commit
    }

    /// A snapshot of a submodule; `None` if that fails, or it is nested too deep.
    fn submodule<'a>(
        &'a self,
        path: &'a Path,
        depth: usize,
        lasting: Lasting,
    ) -> Pin<Box<dyn Future<Output = Option<TreeSnapshot>> + Send + 'a>> {
        Box::pin(async move {
            if depth >= MAX_SUBMODULE_DEPTH {
                return None;
            }
            let submodule =
                self.git().find(&self.top().join(path), self.objects()).await.ok()??;
            submodule.snapshot_below(depth + 1, lasting).await.ok()
        })
    }

    /// Makes the copy of the index match the work tree.
    async fn apply<'a>(
        &'a self,
        plan: &Plan,
        links: &[Link],
        copy: &'a IndexCopy,
        call: impl Fn(&[&str]) -> Call<'a>,
    ) -> Result<(), GitError> {
        let ids = self.write(&plan.stand_ins, copy, &call).await?;
        let null_id = self.null_id();
        let removed = plan.removals.iter().map(|path| ("0", null_id.as_str(), path));
        let replaced =
            plan.stand_ins.iter().zip(&ids).map(|(it, id)| ("100644", id.as_str(), &it.path));
        let linked = links.iter().map(|link| ("160000", link.commit.as_str(), &link.path));
        let mut records = Vec::new();
        for (mode, id, path) in removed.chain(replaced).chain(linked) {
            records.extend_from_slice(format!("{mode} {id}\t").as_bytes());
            records.extend_from_slice(path.as_os_str().as_bytes());
            records.push(0);
        }
        // Before anything is added, because a file may have replaced a directory, or the other way
        // round.
        if !records.is_empty() {
            call(&["update-index", "-z", "--index-info"]).input(records).output().await?;
        }
        let adds: Vec<_> =
            plan.adds.iter().flat_map(|path| [path.as_os_str().as_bytes(), b"\0"]).collect();
        if !adds.is_empty() {
            let adding = call(&["update-index", "--add", "--remove", "--replace", "-z", "--stdin"]);
            // One pack instead of one file per object.
            adding.setting("core.bigFileThreshold=1").input(adds.concat()).output().await?;
        }
        Ok(())
    }

    /// Writes the contents of stand-ins as objects, and returns their ids in the same order.
    async fn write<'a>(
        &self,
        stand_ins: &[StandIn],
        copy: &'a IndexCopy,
        call: impl Fn(&[&str]) -> Call<'a>,
    ) -> Result<Vec<String>, GitError> {
        if stand_ins.is_empty() {
            return Ok(Vec::new());
        }
        let ours = |source| GitError::Objects { directory: self.objects().to_owned(), source };
        let mut names = String::new();
        for (number, stand_in) in stand_ins.iter().enumerate() {
            let name = format!("stand-in-{number}");
            tokio::fs::write(copy.directory().join(&name), stand_in.content())
                .await
                .map_err(ours)?;
            names += &name;
            names.push('\n');
        }
        let writing = call(&["hash-object", "-w", "--no-filters", "--stdin-paths"]);
        let output = writing.directory(copy.directory()).input(names.into_bytes()).output().await?;
        let ids: Vec<_> = String::from_utf8_lossy(&output).lines().map(str::to_owned).collect();
        let complete = ids.len() == stand_ins.len() && ids.iter().all(|id| checked(id).is_ok());
        if complete { Ok(ids) } else { Err(unexpected("git hash-object", &output)) }
    }
}

/// Represents another repository by its commit, as for a submodule.
struct Link {
    path: std::path::PathBuf,
    commit: String,
}
