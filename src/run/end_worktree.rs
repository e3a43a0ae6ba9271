//! Merging or discarding the worktree of a run that has ended.

use super::decide::Run;
use super::event::Event;
use super::worktree::{Worktree, WorktreeEnd};
use crate::recipe::advice;
use crate::{Advise, Remedy};

/// Why the worktree of a run cannot be merged or discarded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CannotEndWorktree {
    /// The run has not ended.
    #[error("the run has not ended{}", advice(self))]
    StillRunning,
    /// The run worked in the directory that it was started in.
    #[error(
        "the run has no worktree of its own, it worked in the directory that it was started in"
    )]
    NoWorktree,
    /// The worktree was already merged or discarded.
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

impl Run {
    /// The worktree that can be merged or discarded now.
    ///
    /// # Errors
    /// The run has not ended or has no worktree, or the worktree was merged or discarded.
    pub fn worktree(&self) -> Result<&Worktree, CannotEndWorktree> {
        if self.ending().is_none() || self.is_paused() {
            return Err(CannotEndWorktree::StillRunning);
        }
        match &self.state.worktree_ended {
            Some(end) => Err(CannotEndWorktree::Ended { how: end.as_word() }),
            None => self.state.spec.worktree.as_ref().ok_or(CannotEndWorktree::NoWorktree),
        }
    }

    /// Records that its worktree was merged or discarded.
    ///
    /// # Errors
    /// The run has not ended or has no worktree, or this was recorded already.
    pub fn end_worktree(&mut self, end: WorktreeEnd) -> Result<Event, CannotEndWorktree> {
        self.worktree()?;
        let mut events = Vec::with_capacity(1);
        self.record(&mut events, Event::WorktreeEnded { end: end.clone() });
        Ok(Event::WorktreeEnded { end })
    }
}
