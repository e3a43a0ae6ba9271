//! Going on with a run that had ended.

use super::decide::Run;
use super::decision::Decision;
use super::ending::Ending;
use super::event::Event;
use super::ids::{Fresh, PromptId};
use super::limits::Limits;
use super::project::Permits;
use super::resumed::ResumedBy;
use crate::recipe::advice;
use crate::{Advise, Exit, ExitReason, Next, Remedy, Tool};

/// A wish to go on with a run that had ended.
#[derive(Debug, Clone, PartialEq)]
pub struct Resume {
    /// Whose wish.
    pub by: ResumedBy,
    /// New limits; without them the old ones stay.
    pub limits: Option<Limits>,
    /// How many more visits of each step to allow.
    pub allow_visits: u32,
    /// How many more steps in all to allow.
    pub allow_steps: u32,
    /// What the agent is allowed from now on, on top of what it was allowed before.
    pub allow_tools: Vec<Tool>,
    /// What the machine's user lets the run do from now on, on top of what it may do already.
    pub permits: Permits,
}

impl Resume {
    /// The wish to go on just as before.
    #[must_use]
    pub const fn by(by: ResumedBy) -> Self {
        let permits = Permits { allow_dirty: false, allow_deps: false, force_parallel: false };
        Self { by, limits: None, allow_visits: 0, allow_steps: 0, allow_tools: Vec::new(), permits }
    }
}

/// What became of people's words while a run had ended.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Meanwhile {
    /// What had waited in the run, and was passed on outside of it.
    pub told: Vec<PromptId>,
    /// What was said since, and waits for the run to go on.
    pub said: Vec<(PromptId, String)>,
}

/// Why a run cannot go on.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CannotResume {
    /// It has not ended.
    #[error("the run is still going on{}", advice(self))]
    StillRunning,
    /// It is taken up as it was left.
    #[error("the run was left behind, and goes on as it is{}", advice(self))]
    AsItIs,
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
        /// What it would say.
        message: String,
        /// What to do about it.
        remedy: Remedy,
    },
}

impl Advise for CannotResume {
    fn remedy(&self) -> Option<Remedy> {
        Some(match self {
            Self::StillRunning => Remedy::ExitFirst,
            Self::AsItIs => Remedy::ResumeAsItIs,
            Self::Finished { .. } => Remedy::StartAgainForNext,
            Self::WorktreeEnded { .. } => Remedy::StartAgain,
            Self::WouldStopAgain { remedy, .. } => remedy.clone(),
        })
    }
}

impl Run {
    /// Goes on where the run ended: with the step's prompt again, or, where a guardrail had refused to enter a step,
    /// by entering it. What was said `meanwhile` comes first.
    ///
    /// # Errors
    /// It has not ended, has reached its goal, or would stop again for the same limit.
    pub fn resume(
        &mut self,
        resume: Resume,
        meanwhile: Meanwhile,
        fresh: Fresh,
    ) -> Result<Decision, CannotResume> {
        let ending = self.ending().ok_or(CannotResume::StillRunning)?;
        if ending.goal_met {
            return Err(CannotResume::Finished { reason: ending.reason.clone() });
        }
        if let Some(end) = &self.known.worktree_ended {
            return Err(CannotResume::WorktreeEnded { how: end.in_a_word() });
        }
        let limits = resume.limits.unwrap_or(self.known.limits);
        if let Some(exit) = limits.exceeded(&self.known.spent) {
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
        let is_new = |tool: &Tool| !self.known.order.allow_tools.contains(tool);
        let resumed = Event::Resumed {
            by: resume.by,
            limits,
            extra_visits: self.known.extra_visits.saturating_add(resume.allow_visits),
            extra_steps: self.known.extra_steps.saturating_add(resume.allow_steps),
            allow_tools: resume.allow_tools.into_iter().filter(is_new).collect(),
            permits: resume.permits,
            told: meanwhile.told,
        };
        let mut events = Vec::new();
        self.record(&mut events, resumed);
        for (prompt, text) in meanwhile.said {
            self.record(&mut events, Event::PromptQueued { prompt, text });
        }
        let todo = match refused {
            Some(outcome) => self.take(&mut events, &outcome, None, fresh),
            None => self.next_turn(&mut events, fresh),
        };
        Ok(Decision { events, todo })
    }

    /// Whether it should go on by itself after this exit: the reason is one where that can help, it has not done so
    /// too often, and it has got somewhere since it last went on after the same reason.
    pub(super) fn may_resume_by_itself(&self, exit: &Exit) -> bool {
        let stuck = self.known.resumes.stuck_on.as_deref() == Some(&*exit.code());
        exit.definition().auto_resumable && !stuck && self.known.resumes.auto < self.known.limits.auto_resumes
    }

    /// The message of the guardrail that would still refuse the step that the run was to enter.
    fn still_refused(&self, ending: &Ending, outcome: &str, resume: &Resume) -> Option<String> {
        let visits = self.known.extra_visits.saturating_add(resume.allow_visits);
        let steps = self.known.extra_steps.saturating_add(resume.allow_steps);
        let limits = self.recipe.outline().guardrails.raised_by(visits, steps);
        // A copy, so that trying costs nothing.
        let mut position = self.recipe.resume(&self.position.snapshot()).ok()?;
        match position.report_within(outcome, &limits) {
            Ok(Next::Exit(exit)) if exit.tripped().is_some() => Some(exit.message().into_owned()),
            Ok(_) => None,
            Err(_) => Some(ending.message.clone()),
        }
    }
}

/// The outcome that a guardrail did not let through.
fn refused_outcome(ending: &Ending) -> Option<String> {
    let guardrails = [ExitReason::MaxStepVisitsExceeded, ExitReason::MaxTotalSteps, ExitReason::MaxRestarts];
    let tripped = ExitReason::lookup(&ending.reason).is_some_and(|reason| guardrails.contains(&reason));
    if tripped { ending.outcome.clone() } else { None }
}

fn would_stop_again(message: &str, remedy: Remedy) -> CannotResume {
    CannotResume::WouldStopAgain { message: message.to_owned(), remedy }
}
