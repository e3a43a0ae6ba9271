//! Checking: what is true of a working directory, found out by looking at it: which files a run changed and whether it may,
//! which commits it made, whether evidence is there, how a command of the engine ended, and what the project's own file says.
//!
//! This room decides nothing and changes nothing: what follows from what was found is for the engine, git is only asked
//! to look, and its snapshots are kept outside of the repository. It reads no agent's words. Worktrees are the exception:
//! [`Git::add_worktree`], [`Git::merge_worktree`] and [`Git::discard_worktree`] are the only part that changes anything, at a
//! person's or a recipe's wish.
//! Start with [`Git::find`] and [`Repository::snapshot`], then [`look`] for evidence and [`Commands::execute`] for commands.
//!
//! ```text
//! Git ──find──→ Repository ──snapshot──→ TreeState, before and after ──→ changes, diff, commits, look, violations
//!     │                    └─head_file──→ ProjectFile::parse
//!     └─add_worktree──→ a directory for one run ──→ merge_worktree or discard_worktree
//! Commands ──execute──→ CommandEvent::Spawned, recorded by the caller ──go──→ lines, shown live ──→ CommandEnd
//!          └─recover──→ CommandFate, after a crash
//! ```

mod blocking;
mod command;
mod environment;
mod evidence;
mod files;
mod git;
mod printable;
mod project_file;
mod work_tree;

pub use command::{
    CommandEnd, CommandEvent, CommandFate, CommandLink, CommandSettings, Commands, Execution, MAX_TAIL_BYTES,
};
pub use environment::Environment;
pub use evidence::{GitContext, LookError, Looked, look};
pub use files::{LOCKFILES, PatternError, TRUSTED_FILES};
pub use git::{
    ChangeKind, ChangedFile, Changes, CommitSeen, Diff, Discarded, GIT_TIMEOUT, Git, GitError, Head,
    MAX_LISTED_COMMITS, MAX_LISTED_FILES, MAX_LISTED_VIOLATIONS, MAX_SNAPSHOT_FILE_BYTES, MainBranch, Merged,
    Repository, TreeState, WORKTREE_TIMEOUT, Window, WorktreeError, WorktreeState,
};
pub use project_file::{MAX_PROJECT_FILE_BYTES, Mistake, PROJECT_FILE, ProjectFile, ProjectFileError};
pub use work_tree::work_tree_id;
