//! Merging the branch of a worktree.
//!
//! The merge is computed beside the work tree, and the work tree is then moved forward to it. So it
//! is never half merged, and a conflict is known before anything was touched.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::error::GitWorktreeError;
use super::run_worktree::RunWorktree;
use crate::gate::git::changes::MAX_LISTED_FILES;
use crate::gate::git::error::GitError;
use crate::gate::git::program::{path as git_path, unexpected};
use crate::gate::git::repository::{Git, checked};

/// Among how many of the last movements of HEAD a merge is looked for that was done before.
const MAX_REFLOG_ENTRIES: &str = "--max-count=1000";

/// A merge that is done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Merged {
    /// The branch that it was merged into; `None` where HEAD is detached.
    pub into: Option<String>,
    /// The commit of HEAD now.
    pub commit: String,
}

impl Git {
    /// Merges the branch of a worktree into what is checked out in the repository, and removes the
    /// worktree and the branch.
    ///
    /// HEAD is moved forward where that is possible, and otherwise to a merge commit in the user's
    /// name. If the branch is contained in HEAD already, only the worktree and the branch are
    /// removed. It may be called again after a crash.
    ///
    /// # Errors
    /// Something is in the way of the merge; nothing was changed then. Or git fails.
    pub async fn merge_worktree(
        &self,
        repository_top: &Path,
        path: &Path,
        branch: &str,
    ) -> Result<Merged, GitWorktreeError> {
        let worktree = RunWorktree::new(self.environment(), repository_top, path, branch)?;
        worktree.check_idle_at_top().await?;
        let Some(tip) = worktree.tip().await? else { return worktree.merged_before().await };
        worktree.check_worktree(&tip).await?;
        worktree.check_submodules(&tip).await?;
        let commit = worktree.merge(&tip).await?;
        worktree.remove_merged(&tip).await?;
        Ok(Merged { into: worktree.current_branch().await?, commit })
    }
}

impl RunWorktree {
    /// The branch is gone: after a crash, because it was merged. HEAD's reflog tells.
    async fn merged_before(&self) -> Result<Merged, GitWorktreeError> {
        let missing = || GitWorktreeError::NoBranch { branch: self.branch.clone() };
        let head = self.head().await?.ok_or_else(missing)?;
        let call = self.program.call(&[
            "log",
            "--walk-reflogs",
            "--format=%H %gs",
            MAX_REFLOG_ENTRIES,
            "HEAD",
            "--",
        ]);
        let output = call.output().await?;
        let text = String::from_utf8_lossy(&output);
        let action = format!("{}:", self.action());
        let merged = text
            .lines()
            .filter_map(|line| line.split_once(' '))
            .find(|(_, what)| what.starts_with(&action));
        let (commit, _) = merged.ok_or_else(missing)?;
        if self.count(Some(&head), checked(commit)?).await? > 0 {
            return Err(missing());
        }
        self.remove_merged(commit).await?;
        Ok(Merged { into: self.current_branch().await?, commit: head })
    }

    /// What HEAD's reflog says of the merge, before a colon.
    fn action(&self) -> String {
        format!("merge {}", self.branch)
    }

    /// Fails if something in the worktree would be lost with it.
    async fn check_worktree(&self, tip: &str) -> Result<(), GitWorktreeError> {
        if !self.is_present().await? {
            return Ok(());
        }
        self.check_idle().await?;
        let mut files = self.uncommitted().await?;
        if !files.is_empty() {
            files.truncate(MAX_LISTED_FILES);
            return Err(GitWorktreeError::Uncommitted { path: self.path.clone(), files });
        }
        let head = self.registered().await?.and_then(|registered| registered.head);
        match head {
            Some(commit) if self.count(Some(tip), &commit).await? > 0 => {
                Err(GitWorktreeError::OffBranch {
                    path: self.path.clone(),
                    branch: self.branch.clone(),
                    commit,
                })
            }
            Some(_) | None => Ok(()),
        }
    }

    /// Fails if commits of submodules would be lost with the worktree, which has copies of their
    /// repositories of its own.
    async fn check_submodules(&self, tip: &str) -> Result<(), GitWorktreeError> {
        let Some(head) = self.head().await?.filter(|head| head != tip) else { return Ok(()) };
        if !self.is_present().await? {
            return Ok(());
        }
        let call = self.program.call(&[
            "diff-tree",
            "-r",
            "-z",
            "--raw",
            "--no-renames",
            "--no-abbrev",
            &head,
            tip,
        ]);
        let output = call.output().await?;
        let mut fields = output.split(|byte| *byte == 0);
        let mut submodules = Vec::new();
        // `:<mode> <mode> <id> <id> <kind>`, then a path.
        while let (Some(record), Some(name)) = (fields.next(), fields.next()) {
            let record = String::from_utf8_lossy(record);
            let parts: Vec<_> = record.split(' ').collect();
            if let [_, "160000", _, commit, _] = parts.as_slice()
                && self.is_only_in_worktree(&git_path(name), commit).await?
            {
                submodules.push(git_path(name));
            }
        }
        if submodules.is_empty() {
            return Ok(());
        }
        Err(GitWorktreeError::Submodules { path: self.path.clone(), submodules })
    }

    /// Moves HEAD of the repository to a commit that contains this one, and gives that back.
    async fn merge(&self, tip: &str) -> Result<String, GitWorktreeError> {
        const ARGUMENTS: [&str; 7] = [
            "merge",
            "--ff-only",
            "--no-stat",
            "--no-squash",
            "--no-autostash",
            "--no-overwrite-ignore",
            "--quiet",
        ];
        let target = match self.head().await? {
            None => tip.to_owned(),
            Some(head) if self.count(Some(&head), tip).await? == 0 => return Ok(head),
            Some(head) => {
                let target = if self.count(Some(tip), &head).await? == 0 {
                    tip.to_owned()
                } else {
                    self.merge_commit(&head, tip).await?
                };
                self.check_overwrites(&head, &target).await?;
                target
            }
        };
        let call = self.program.call(&ARGUMENTS).argument(&target);
        call.variable("GIT_REFLOG_ACTION", self.action()).output().await?;
        Ok(target)
    }

    /// Makes the merge commit, without touching the work tree.
    async fn merge_commit(&self, head: &str, tip: &str) -> Result<String, GitWorktreeError> {
        for identity in ["GIT_AUTHOR_IDENT", "GIT_COMMITTER_IDENT"] {
            // The name of the machine's user at the name of the machine is a guess, and not wanted
            // in a commit.
            let mut call = self.program.call(&["var", identity]).setting("user.useConfigOnly=true");
            for (name, value) in self.identity() {
                call = call.variable(name, value);
            }
            if call.answer().await?.code != Some(0) {
                return Err(GitWorktreeError::NoIdentity);
            }
        }
        let tree = self.merge_tree(head, tip).await?;
        let mut call = self.program.call(&["commit-tree", "-p", head, "-p", tip]);
        if self.signs_commits().await? {
            call = call.argument("-S");
        }
        for (name, value) in self.identity() {
            call = call.variable(name, value);
        }
        let message = format!("Merge branch '{}'", self.branch);
        let output = call.arguments(["-m", &message, &tree]).output().await?;
        Ok(id(&output, "git commit-tree")?)
    }

    /// The tree of the merge. Needs git 2.38, which says so itself.
    async fn merge_tree(&self, head: &str, tip: &str) -> Result<String, GitWorktreeError> {
        const ARGUMENTS: [&str; 5] =
            ["merge-tree", "--write-tree", "-z", "--name-only", "--no-messages"];
        let answer = self.program.call(&ARGUMENTS).argument(head).argument(tip).answer().await?;
        // The tree, and then the files in conflict.
        let mut fields = answer.stdout.split(|byte| *byte == 0).filter(|field| !field.is_empty());
        let tree = fields.next().unwrap_or_default();
        match answer.code {
            Some(0) => Ok(id(tree, "git merge-tree")?),
            Some(1) => {
                let files = fields.map(git_path).take(MAX_LISTED_FILES).collect();
                Err(GitWorktreeError::Conflicts { files })
            }
            Some(_) | None => Err(answer.into_error().into()),
        }
    }

    /// `git commit-tree` does not look at this setting by itself.
    async fn signs_commits(&self) -> Result<bool, GitError> {
        let answer = self
            .program
            .call(&["config", "--type=bool", "--get", "commit.gpgSign"])
            .answer()
            .await?;
        Ok(answer.stdout.starts_with(b"true"))
    }

    /// Fails if what is not committed at the top is in the way.
    async fn check_overwrites(&self, head: &str, target: &str) -> Result<(), GitWorktreeError> {
        let call = self.program.call(&[
            "diff-tree",
            "-r",
            "-z",
            "--name-only",
            "--no-renames",
            head,
            target,
        ]);
        let output = call.output().await?;
        let touched = output.split(|byte| *byte == 0).filter(|name| !name.is_empty()).map(git_path);
        let touched: HashSet<PathBuf> = touched.collect();
        let dirty = self.uncommitted_at_top().await?.into_iter();
        let files: Vec<_> =
            dirty.filter(|file| touched.contains(file)).take(MAX_LISTED_FILES).collect();
        if files.is_empty() {
            return Ok(());
        }
        Err(GitWorktreeError::WouldOverwrite { directory: self.top.clone(), files })
    }

    /// Removes what was merged: the worktree, unless something was written into it meanwhile, and
    /// the branch, unless it moved.
    async fn remove_merged(&self, tip: &str) -> Result<(), GitWorktreeError> {
        if self.registered().await?.is_some() {
            self.check_worktree(tip).await?;
            self.remove().await?;
        }
        match self.tip().await? {
            Some(now) if now != tip => Ok(()),
            Some(_) | None => Ok(self.delete_branch().await?),
        }
    }

    async fn current_branch(&self) -> Result<Option<String>, GitError> {
        let answer = self.program.call(&["symbolic-ref", "--quiet", "HEAD"]).answer().await?;
        let name = String::from_utf8_lossy(&answer.stdout).trim_end().to_owned();
        match answer.code {
            Some(0) => Ok(Some(name.strip_prefix("refs/heads/").unwrap_or(&name).to_owned())),
            Some(1) => Ok(None),
            Some(_) | None => Err(answer.into_error()),
        }
    }
}

/// The id of an object that git wrote.
fn id(output: &[u8], command: &str) -> Result<String, GitError> {
    let id = String::from_utf8_lossy(output).trim_end().to_owned();
    checked(&id).map_err(|_| unexpected(command, output))?;
    Ok(id)
}
