//! Which files a run may change: patterns as in `.gitignore`, and the rules made of them.
//!
//! Start with `rules.rs`; it reads neither the disk nor git, see
//! [`Repository::violations`](crate::gate::Repository::violations).

mod pattern;
mod rules;
mod special;

pub use pattern::PatternError;
pub(super) use pattern::{PathKind, Pattern};
pub(super) use rules::Rules;
pub use special::{LOCKFILES, TRUSTED_FILES};
