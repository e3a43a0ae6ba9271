//! How a recipe differs from an earlier version of itself, and which runs can follow it there.

mod compare;
mod lock;
mod of_outline;

pub(super) use compare::Comparison;
pub use lock::{LockGrade, LockedChange, RecipesLock, RecipesLockError};
