//! Why a worktree was not merged.

use std::path::PathBuf;

use crate::gate::git::error::GitError;

/// How many paths an error shows.
const MAX_SHOWN_PATHS: usize = 10;

/// Why a worktree was not merged. Either nothing was changed, or the merge is done and files
/// written into the worktree meanwhile kept it from being removed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GitWorktreeError {
    /// Git failed.
    #[error(transparent)]
    Git(#[from] GitError),
    /// The worktree has uncommitted files.
    #[error(
        "files in the worktree `{}` are not committed: {}; commit them there, or remove them",
        path.display(), shown(files)
    )]
    Uncommitted {
        /// The worktree.
        path: PathBuf,
        /// The files, relative to its top.
        files: Vec<PathBuf>,
    },
    /// The worktree has commits that are not on its branch.
    #[error(
        "the worktree `{}` is at commit {commit}, which is not on the branch `{branch}`; run `git switch {branch}` there, \
         and merge the commit into it if it is wanted",
        path.display()
    )]
    OffBranch {
        /// The worktree.
        path: PathBuf,
        /// Its branch.
        branch: String,
        /// Where it is instead.
        commit: String,
    },
    /// The branch moves submodules to commits that would be lost with the worktree.
    #[error(
        "the branch moves {} to commits that only the worktree `{}` has; push them from there, and fetch them in the \
         repository's own submodules",
        shown(submodules), path.display()
    )]
    Submodules {
        /// The worktree.
        path: PathBuf,
        /// The submodules, relative to its top.
        submodules: Vec<PathBuf>,
    },
    /// The branch is not there, and was not merged.
    #[error("the branch `{branch}` is not there; there is nothing that could be merged")]
    NoBranch {
        /// The branch.
        branch: String,
    },
    /// Git is in the middle of something.
    #[error("{what} is in progress in `{}`; finish or abort it there, and merge again", directory.display())]
    InProgress {
        /// The work tree.
        directory: PathBuf,
        /// What: `a merge`, `a rebase` and the like.
        what: &'static str,
    },
    /// The merge would overwrite changes that are not committed.
    #[error(
        "the merge would overwrite files in `{}` that are not committed: {}; commit, stash or move them, and merge again",
        directory.display(), shown(files)
    )]
    WouldOverwrite {
        /// The work tree.
        directory: PathBuf,
        /// The files, relative to its top.
        files: Vec<PathBuf>,
    },
    /// Both sides changed the same.
    #[error(
        "the branch is in conflict with what was committed meanwhile, in {}; merge by hand, or bring the branch up to date \
         in its worktree",
        shown(files)
    )]
    Conflicts {
        /// The files, relative to the top.
        files: Vec<PathBuf>,
    },
    /// A commit has to be made, and git does not know in whose name.
    #[error(
        "the merge needs a commit, and git does not know in whose name; run `git config --global user.name \"…\"` and \
         `git config --global user.email \"…\"`, and merge again"
    )]
    NoIdentity,
}

/// The first of them, and how many more there are.
fn shown(files: &[PathBuf]) -> String {
    let first = files.iter().take(MAX_SHOWN_PATHS).map(|file| format!("`{}`", file.display()));
    let first = first.collect::<Vec<_>>().join(", ");
    match files.len().saturating_sub(MAX_SHOWN_PATHS) {
        0 => first,
        more => format!("{first} and {more} more"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_list_of_files_is_cut() {
        let files: Vec<_> = (0..12).map(|number| PathBuf::from(format!("{number}.txt"))).collect();
        assert_eq!(shown(&files[..2]), "`0.txt`, `1.txt`");
        assert!(shown(&files).ends_with("`9.txt` and 2 more"));
    }
}
