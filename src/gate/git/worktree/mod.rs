//! A worktree of its own for one run, on a branch of its own: made, looked at, merged and discarded.
//!
//! This is the only part that changes a repository, at a person's or a recipe's wish. Hooks stay off; checkout filters and
//! merge drivers are those that the user configured. Each part can be repeated after a crash. Start with `add.rs`.

mod add;
mod discard;
mod error;
mod merge;
mod place;
mod registered;
mod state;

use std::time::Duration;

pub use discard::Discarded;
pub use error::WorktreeError;
pub use merge::Merged;
pub use state::WorktreeState;

/// How long one call of git may take that writes a whole work tree.
pub const WORKTREE_TIMEOUT: Duration = Duration::from_mins(10);
