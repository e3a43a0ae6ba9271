//! Why a call of git failed.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use crate::gate::files::PatternError;

/// Why reading a repository failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GitError {
    /// Git is not installed.
    #[error(
        "git is not installed, or not in the server's `PATH`; install it, and start the server again"
    )]
    NotInstalled,
    /// The system refused to start git.
    #[error("git cannot be started: {0}")]
    CannotStart(#[source] io::Error),
    /// The directory does not exist.
    #[error("the directory `{}` is not there", directory.display())]
    NoDirectory {
        /// The directory.
        directory: PathBuf,
    },
    /// The repository belongs to another user.
    #[error(
        "git does not use the repository of `{0}`, because it belongs to another user; if it can be trusted, \
         run `git config --global --add safe.directory '{0}'`",
        directory.display()
    )]
    DubiousOwnership {
        /// The directory that was looked at.
        directory: PathBuf,
    },
    /// There is a repository, but git cannot read it.
    #[error("the git repository of `{}` is damaged: {words}; try `git status` there", directory.display())]
    Damaged {
        /// The directory that was looked at.
        directory: PathBuf,
        /// What git says.
        words: String,
    },
    /// A call took too long.
    #[error("`{command}` took longer than {} s", limit.as_secs())]
    TimedOut {
        /// The call.
        command: String,
        /// How long it may take.
        limit: Duration,
    },
    /// A call wrote too much.
    #[error("`{command}` wrote more than {} MiB", max_bytes >> 20)]
    TooMuchOutput {
        /// The call.
        command: String,
        /// How much it may write.
        max_bytes: usize,
    },
    /// A call failed.
    #[error("`{command}` failed: {words}")]
    Failed {
        /// The call.
        command: String,
        /// What git says.
        words: String,
    },
    /// The output of a call is not in the documented format.
    #[error("`{command}` wrote something unexpected: {what}")]
    Unexpected {
        /// The call.
        command: String,
        /// What it wrote.
        what: String,
    },
    /// The directory for snapshots cannot be used.
    #[error("snapshots of the work tree cannot be kept in `{}`: {source}", directory.display())]
    Objects {
        /// The directory.
        directory: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// The index of the repository cannot be read.
    #[error("the index of the repository, `{}`, cannot be read: {source}", path.display())]
    Index {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// What was given is not the id of an object.
    #[error("`{id}` is not the id of a git object")]
    InvalidId {
        /// What was given.
        id: String,
    },
    /// A pattern of the rules for files cannot be parsed.
    #[error(transparent)]
    Pattern(#[from] PatternError),
    /// HEAD has something other than a regular file at a path.
    #[error(
        "HEAD has {what} at `{path}`, and only a regular file is read there; commit one in its place"
    )]
    NotAFile {
        /// The path, relative to the top.
        path: String,
        /// What it is.
        what: &'static str,
    },
    /// A file of HEAD is too large to be read.
    #[error("HEAD's `{path}` has {bytes} bytes, and at most {max_bytes} are read")]
    FileTooLarge {
        /// The path, relative to the top.
        path: String,
        /// How large it is.
        bytes: u64,
        /// How large it may be.
        max_bytes: usize,
    },
    /// Something other than the worktree is at its path.
    #[error("`{}` cannot be used as a worktree: {why}", path.display())]
    InTheWay {
        /// The path.
        path: PathBuf,
        /// Why not, and what to do.
        why: String,
    },
    /// The directory of a worktree cannot be created or removed.
    #[error("the worktree `{}` cannot be {verb}: {source}", path.display())]
    Directory {
        /// The path.
        path: PathBuf,
        /// What was tried: `made` or `removed`.
        verb: &'static str,
        /// Why it failed.
        source: io::Error,
    },
}
