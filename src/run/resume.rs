//! Resuming a run that has ended.

use super::decide::{Run, step_on};
use super::decision::Decision;
use super::ending::Ending;
use super::event::Event;
use super::ids::{NewIds, PromptId};
use super::limits::Limits;
use super::project::Permits;
use super::resumed::ResumedBy;
use crate::recipe::advice;
use crate::{Advise, Exit, ExitReason, Next, Remedy, Tool};

/// A request to resume a run that has ended.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Resume {
    /// Who resumes it.
    pub by: ResumedBy,
    /// New limits; without them the old ones stay.
    pub limits: Option<Limits>,
    /// How many more visits of each step to allow.
    pub allow_visits: u32,
    /// How many more steps in total to allow.
    pub allow_steps: u32,
    /// The tools that the agent is allowed from now on, in addition to the previous ones.
    pub allow_tools: Vec<Tool>,
    /// What the operator permits from now on, in addition to the previous permits.
    pub permits: Permits,
}

setters!(Resume {
    limits: Option<Limits>,
    allow_visits: u32,
    allow_steps: u32,
    allow_tools: Vec<Tool>,
    permits: Permits,
});

impl Resume {
    /// A request to resume without changes.
    #[must_use]
    pub const fn by(by: ResumedBy) -> Self {
        let permits = Permits { allow_dirty: false, allow_deps: false, force_parallel: false };
        Self { by, limits: None, allow_visits: 0, allow_steps: 0, allow_tools: Vec::new(), permits }
    }
}

/// What happened to queued prompts since a run ended.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PendingPrompts {
    /// Prompts from the run's queue that were delivered outside of it.
    pub delivered: Vec<PromptId>,
    /// Prompts that were sent since, and are queued until the run resumes.
    pub queued: Vec<(PromptId, String)>,
}

/// Why a run cannot be resumed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CannotResume {
    /// It has not ended.
    #[error("the run is still running{}", advice(self))]
    StillRunning,
    /// It is open and not driven, so it can only be resumed without changes.
    #[error("the run was left open, and can only be resumed unchanged{}", advice(self))]
    OnlyUnchanged,
    /// It has nothing left to do.
    #[error("the run reached its goal ({reason}){}", advice(self))]
    Finished {
        /// How it ended.
        reason: String,
    },
    /// The worktree that it worked in is gone.
    #[error("the worktree of the run was {how}{}", advice(self))]
    WorktreeEnded {
        /// What became of it.
        how: &'static str,
    },
    /// It would stop again at once.
    #[error("the run would stop again at once: {message}{}", advice(self))]
    WouldStopAgain {
        /// The message of that stop.
        message: String,
        /// What to do about it.
        remedy: Remedy,
    },
}

impl Advise for CannotResume {
    fn remedy(&self) -> Option<Remedy> {
        Some(match self {
            Self::StillRunning => Remedy::ExitFirst,
            Self::OnlyUnchanged => Remedy::ResumeAsItIs,
            Self::Finished { .. } => Remedy::StartAgainForNext,
            Self::WorktreeEnded { .. } => Remedy::StartAgain,
            Self::WouldStopAgain { remedy, .. } => remedy.clone(),
        })
    }
}

impl Run {
    /// Resumes where the run ended: with the step's prompt again or, if a guardrail had refused to
    /// enter a step, by entering it. `pending` prompts come first.
    ///
    /// # Errors
    /// The run has not ended, has reached its goal, or would stop again at the same limit.
    pub fn resume(
        &mut self,
        resume: Resume,
        pending: PendingPrompts,
        fresh: NewIds,
    ) -> Result<Decision, CannotResume> {
        let ending = self.ending().ok_or(CannotResume::StillRunning)?;
        if ending.goal_met {
            return Err(CannotResume::Finished { reason: ending.reason.clone() });
        }
        if let Some(end) = &self.state.worktree_ended {
            return Err(CannotResume::WorktreeEnded { how: end.as_word() });
        }
        let limits = resume.limits.unwrap_or(self.state.limits);
        if let Some(exit) = limits.exceeded(&self.state.spent) {
            return Err(would_stop_again(&exit.message(), Remedy::Raise));
        }
        let refused = refused_outcome(ending);
        let restarts = ExitReason::lookup(&ending.reason) == Some(ExitReason::MaxRestarts);
        if let Some(outcome) = &refused
            && let Some(exit) = self.still_refused(ending, outcome, &resume)
        {
            let remedy = if restarts { Remedy::StartAgain } else { Remedy::Raise };
            return Err(would_stop_again(&exit, remedy));
        }
        let is_new = |tool: &Tool| !self.state.spec.allow_tools.contains(tool);
        let resumed = Event::Resumed {
            by: resume.by,
            limits,
            extra_visits: self.state.extra_visits.saturating_add(resume.allow_visits),
            extra_steps: self.state.extra_steps.saturating_add(resume.allow_steps),
            allow_tools: resume.allow_tools.into_iter().filter(is_new).collect(),
            permits: resume.permits,
            delivered: pending.delivered,
        };
        let mut events = Vec::new();
        self.record(&mut events, resumed);
        for (prompt, text) in pending.queued {
            self.record(&mut events, Event::PromptQueued { prompt, text });
        }
        let action = match refused {
            Some(outcome) => self.take(&mut events, &outcome, None, fresh),
            None => self.next_turn(&mut events, fresh),
        };
        Ok(Decision { events, action })
    }

    /// Whether the run should resume by itself after this exit: the reason is one where that can
    /// help, the run has not done so too often, and it has made progress since it last resumed by
    /// itself after the same reason.
    pub(super) fn may_resume_by_itself(&self, exit: &Exit) -> bool {
        let stuck = self.state.resumes.stuck_on.as_deref() == Some(&*exit.code());
        exit.definition().auto_resumable
            && !stuck
            && self.state.resumes.auto < self.state.limits.auto_resumes
    }

    /// The message of the guardrail that would still refuse to enter the step.
    fn still_refused(&self, ending: &Ending, outcome: &str, resume: &Resume) -> Option<String> {
        let visits = self.state.extra_visits.saturating_add(resume.allow_visits);
        let steps = self.state.extra_steps.saturating_add(resume.allow_steps);
        let limits = self.recipe.outline().guardrails.raised_by(visits, steps);
        // Tried on a copy, so that the run itself does not move.
        let mut position = self.position.duplicate();
        match step_on(&mut *position, outcome, &limits) {
            Ok(Next::Exit(exit)) if exit.tripped().is_some() => Some(exit.message().into_owned()),
            Ok(_) => None,
            Err(_) => Some(ending.message.clone()),
        }
    }
}

/// The outcome that a guardrail refused to follow.
fn refused_outcome(ending: &Ending) -> Option<String> {
    let guardrails =
        [ExitReason::MaxStepVisitsExceeded, ExitReason::MaxTotalSteps, ExitReason::MaxRestarts];
    let tripped =
        ExitReason::lookup(&ending.reason).is_some_and(|reason| guardrails.contains(&reason));
    if tripped { ending.outcome.clone() } else { None }
}

fn would_stop_again(message: &str, remedy: Remedy) -> CannotResume {
    CannotResume::WouldStopAgain { message: message.to_owned(), remedy }
}
