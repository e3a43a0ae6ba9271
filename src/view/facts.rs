//! What is known about a run before its first event.

use crate::run::{RunId, SessionId};

/// What is known about a run before its first event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunFacts {
    /// The run.
    pub run: RunId,
    /// Its session.
    pub session: SessionId,
    /// Its recipe's id.
    pub recipe: String,
    /// The recipe's label.
    pub recipe_label: String,
    /// Where its agent works.
    pub directory: String,
    /// The name of its agent.
    pub agent: String,
    /// Whether it is a rehearsal.
    pub rehearsal: bool,
    /// What it rehearses, as `--rehearse` takes it. A [`Timeline`](super::Timeline) takes it from
    /// the first event.
    pub script: Option<String>,
    /// When it began, in milliseconds since 1970.
    pub started_at: u64,
    /// The work tree that its worktree was created from, if it is isolated. A
    /// [`Timeline`](super::Timeline) takes it from the run's first event.
    pub created_from: Option<String>,
    /// Its task, if it has one. A [`Timeline`](super::Timeline) takes it from the first event.
    pub task: Option<String>,
}
