//! What is known about a run before anything has happened in it.

use crate::run::{RunId, SessionId};

/// What is known about a run before anything has happened in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunFacts {
    /// The run.
    pub run: RunId,
    /// Its session.
    pub session: SessionId,
    /// Its recipe's id.
    pub recipe: String,
    /// What people call that recipe.
    pub recipe_label: String,
    /// Where its agent works.
    pub directory: String,
    /// Its agent, by its own name.
    pub agent: String,
    /// Whether it is a rehearsal.
    pub rehearsal: bool,
    /// When it began, in milliseconds since 1970.
    pub started_at: u64,
    /// The work tree that its worktree was made from, where it works apart. A [`Timeline`](super::Timeline) learns it from the
    /// run's first event.
    pub made_from: Option<String>,
}
