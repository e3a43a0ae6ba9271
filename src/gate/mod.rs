//! Checking: what is true of a working directory: which files a run changed and whether it may,
//! which commits it made, whether evidence exists, how a command of the engine ended, and what the
//! project's own file says.
//!
//! This room decides nothing and changes nothing: the engine decides what follows from a finding,
//! git is used read-only, and its snapshots are kept outside the repository. It does not interpret
//! what an agent wrote. Worktrees are the exception: [`Git::add_worktree`], [`Git::merge_worktree`]
//! and [`Git::discard_worktree`] are the only part that changes anything, on request of a user or a
//! recipe. Start with [`Git::find`] and [`Repository::snapshot`], then [`look`] for evidence and
//! [`Commands::execute`] for commands.
//!
//! ```text
//! Git ──find──→ Repository ──snapshot──→ TreeSnapshot, before and after
//!                                        ──→ changes, diff, commits, look, violations
//!     │                    └─head_file──→ ProjectFile::parse
//!     └─add_worktree──→ a directory for one run ──→ merge_worktree or discard_worktree
//! Commands ──execute──→ CommandEvent::Spawned, recorded by the caller
//!                                        ──go──→ lines, shown live ──→ CommandEnd
//!          └─recover──→ CommandFate, after a crash
//! ```

mod command;
mod environment;
mod evidence;
mod files;
mod git;
mod printable;
mod project_file;
mod work_tree;

pub use command::{
    CommandControl, CommandEnd, CommandEvent, CommandFate, CommandSettings, Commands, Execution,
    MAX_TAIL_BYTES,
};
pub use environment::Environment;
pub use evidence::{GitContext, LookError, Looked, look};
pub use files::{LOCKFILES, PatternError, TRUSTED_FILES};
pub use git::{
    ChangeKind, CommitRange, Diff, Discarded, FoundCommit, GIT_TIMEOUT, Git, GitError,
    GitWorktreeError, Head, MAX_LISTED_COMMITS, MAX_LISTED_FILES, MAX_LISTED_VIOLATIONS,
    MAX_SNAPSHOT_FILE_BYTES, MainBranch, Merged, Repository, TreeChange, TreeChanges, TreeSnapshot,
    WORKTREE_TIMEOUT, WorktreeState,
};
pub use project_file::{
    MAX_PROJECT_FILE_BYTES, Mistake, PROJECT_FILE, ProjectFile, ProjectFileError,
};
pub use work_tree::work_tree_id;
