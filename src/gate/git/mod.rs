//! A git repository, looked at without changing it, through the `git` program; and worktrees, which are made and merged at
//! a person's or a recipe's wish.
//!
//! Start with `repository.rs`; every call goes through `program.rs`.

mod changes;
mod commits;
mod diff;
mod dirty;
mod error;
mod head_files;
mod index;
mod program;
mod refs;
mod repository;
mod running;
mod snapshot;
mod stand_in;
mod status;
mod violations;
mod worktree;

pub use changes::{ChangeKind, ChangedFile, Changes, MAX_LISTED_FILES};
pub use commits::{CommitSeen, MAX_LISTED_COMMITS, Window};
pub use diff::Diff;
pub use error::GitError;
pub use program::GIT_TIMEOUT;
pub use refs::{Head, MainBranch};
pub use repository::{Git, Repository};
pub use snapshot::TreeState;
pub use stand_in::MAX_SNAPSHOT_FILE_BYTES;
pub use violations::MAX_LISTED_VIOLATIONS;
pub use worktree::{Discarded, Merged, WORKTREE_TIMEOUT, WorktreeError, WorktreeState};
