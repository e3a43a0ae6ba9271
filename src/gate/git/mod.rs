//! Reads a git repository through the `git` program without changing it. Worktrees are the
//! exception: they are created and merged on request of a user or a recipe.
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

pub use changes::{ChangeKind, MAX_LISTED_FILES, TreeChange, TreeChanges};
pub use commits::{CommitRange, FoundCommit, MAX_LISTED_COMMITS};
pub use diff::Diff;
pub use error::GitError;
pub use program::GIT_TIMEOUT;
pub use refs::{Head, MainBranch};
pub use repository::{Git, Repository};
pub use snapshot::TreeSnapshot;
pub use stand_in::MAX_SNAPSHOT_FILE_BYTES;
pub use violations::MAX_LISTED_VIOLATIONS;
pub use worktree::{Discarded, GitWorktreeError, Merged, WORKTREE_TIMEOUT, WorktreeState};
