//! The worktree of one run, on its own branch: created, inspected, merged and discarded.
//!
//! This is the only part that changes a repository, on request of a user or a recipe. Hooks stay
//! off; checkout filters and merge drivers are those that the user configured. Each operation can
//! be repeated after a crash. Start with `add.rs`.

mod add;
mod discard;
mod error;
mod merge;
mod registered;
mod run_worktree;
mod state;

use std::time::Duration;

pub use discard::Discarded;
pub use error::GitWorktreeError;
pub use merge::Merged;
pub use state::WorktreeState;

/// How long a git call that writes a whole work tree may take.
pub const WORKTREE_TIMEOUT: Duration = Duration::from_secs(10 * 60);
