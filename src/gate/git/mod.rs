//! A git repository, looked at without changing it, through the `git` program.
//!
//! Start with `repository.rs`; every call goes through `program.rs`.

mod changes;
mod commits;
mod diff;
mod error;
mod index;
mod program;
mod refs;
mod repository;
mod running;
mod snapshot;
mod stand_in;
mod status;

pub use changes::{ChangeKind, ChangedFile, Changes, MAX_LISTED_FILES};
pub use commits::{CommitSeen, MAX_LISTED_COMMITS, Window};
pub use diff::Diff;
pub use error::GitError;
pub use program::GIT_TIMEOUT;
pub use refs::{Head, MainBranch};
pub use repository::{Git, Repository};
pub use snapshot::TreeState;
pub use stand_in::MAX_SNAPSHOT_FILE_BYTES;
