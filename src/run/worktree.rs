//! The git worktree of a run that works apart.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::decide::Run;
use super::event::Event;
use crate::recipe::advice;
use crate::{Advise, Remedy};

/// The git worktree of a run that works apart, on a branch of its own. A chain of runs shares one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Worktree {
    /// The top of the work tree that it was made from, and that its branch is merged into.
    pub repository: PathBuf,
    /// The top of the worktree.
    pub path: PathBuf,
    /// Its branch, named after the run that it was made for.
    pub branch: String,
    /// The commit that it begins at.
    pub base: String,
}

/// What became of a worktree after its run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "how", rename_all = "snake_case")]
pub enum WorktreeEnd {
    /// Its branch was merged.
    Merged {
        /// The branch that it was merged into; `None` where HEAD was detached.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        into: Option<String>,
        /// Where that branch is since.
        commit: String,
    },
    /// It was thrown away at a person's wish.
    Discarded {
        /// The last commit of its branch, by which git can still find it for a while.
        commit: String,
    },
}

/// Why the worktree of a run cannot be merged or thrown away.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CannotEndWorktree {
    /// The run has not ended.
    #[error("the run has not ended{}", advice(self))]
    StillRunning,
    /// The run worked in the directory that it was started in.
    #[error("the run has no worktree of its own, it worked in the directory that it was started in")]
    NoWorktree,
    /// It was merged or thrown away before.
    #[error("the worktree of the run was {how} already")]
    Ended {
        /// What became of it.
        how: &'static str,
    },
}

impl Advise for CannotEndWorktree {
    fn remedy(&self) -> Option<Remedy> {
        match self {
            Self::StillRunning => Some(Remedy::ExitFirst),
            Self::NoWorktree | Self::Ended { .. } => None,
        }
    }
}

impl WorktreeEnd {
    /// What became of it, in a word.
    #[must_use]
    pub const fn in_a_word(&self) -> &'static str {
        match self {
            Self::Merged { .. } => "merged",
            Self::Discarded { .. } => "discarded",
        }
    }
}

impl Run {
    /// The worktree that can be merged or thrown away now.
    ///
    /// # Errors
    /// The run has not ended, has none, or it is gone.
    pub fn worktree(&self) -> Result<&Worktree, CannotEndWorktree> {
        if self.ending().is_none() || self.is_paused() {
            return Err(CannotEndWorktree::StillRunning);
        }
        match &self.known.worktree_ended {
            Some(end) => Err(CannotEndWorktree::Ended { how: end.in_a_word() }),
            None => self.known.order.worktree.as_ref().ok_or(CannotEndWorktree::NoWorktree),
        }
    }

    /// Takes in that its worktree is gone.
    ///
    /// # Errors
    /// The run has not ended, has none, or it was gone before.
    pub fn end_worktree(&mut self, end: WorktreeEnd) -> Result<Event, CannotEndWorktree> {
        self.worktree()?;
        let mut events = Vec::with_capacity(1);
        self.record(&mut events, Event::WorktreeEnded { end: end.clone() });
        Ok(Event::WorktreeEnded { end })
    }
}
