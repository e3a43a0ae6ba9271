//! The limits of one visit of a step: what is left of them, and where the run goes when one is used
//! up.

use std::time::Duration;

use super::check::CheckSubject;
use super::decide::{Cut, Run};
use super::decision::Action;
use super::event::Event;
use super::exceeded::Exceeded;
use super::ids::NewIds;
use super::limits::in_words;
use super::rules;
use super::run_state::{Checking, Phase};
use crate::{Exit, ExitReason, VisitLimit};

impl Run {
    /// How much longer the current turn or check may take: until the run's time is used up, or the
    /// visit's.
    pub(super) fn time_left(&self) -> Option<Duration> {
        let of_run = self.state.limits.time_left(&self.state.spent);
        of_run.into_iter().chain(self.visit_time_left()).min()
    }

    /// How much more the agent may spend before the run's budget is used up, or the visit's.
    pub(super) fn budget_left(&self) -> Option<f64> {
        let of_run = self.state.limits.budget_left(&self.state.spent);
        of_run.into_iter().chain(self.visit_budget_left()).reduce(f64::min)
    }

    fn visit_time_left(&self) -> Option<Duration> {
        let limit = self.step().limits.time?;
        // The worktree is created before the first step can begin.
        let is_setup = matches!(
            self.state.phase,
            Phase::Checking(Checking { subject: CheckSubject::Worktree, .. })
        );
        (!is_setup).then(|| limit.saturating_sub(self.state.visit.used.time))
    }

    fn visit_budget_left(&self) -> Option<f64> {
        let limit = self.step().limits.budget_usd?;
        Some((limit - self.state.visit.used.cost_usd).max(0.0))
    }

    /// The limit that does not allow the visit another turn.
    pub(super) fn used_up(&self) -> Option<(VisitLimit, Exceeded)> {
        let (limits, used) = (self.step().limits, self.state.visit.used);
        let time = limits.time.filter(|limit| used.time >= *limit);
        if let Some(limit) = time {
            return Some((VisitLimit::Time, Exceeded::Time { limit, observed: used.time }));
        }
        let budget = limits.budget_usd.filter(|limit| used.cost_usd >= *limit)?;
        Some((VisitLimit::Budget, Exceeded::Cost { limit: budget, observed: used.cost_usd }))
    }

    /// The visit's time limit, if the turn or the check that has taken so long uses it up.
    pub(super) fn out_of_time(&self, took: Duration) -> Option<Exceeded> {
        let (left, limit) = (self.visit_time_left()?, self.step().limits.time?);
        let observed = self.state.visit.used.time.saturating_add(took);
        (took >= left).then_some(Exceeded::Time { limit, observed })
    }

    /// The visit's budget, if the agent that has just stopped because its budget was spent had that
    /// one, and not the run's.
    pub(super) fn out_of_budget(&self, cost_usd: Option<f64>) -> Option<(Exceeded, f64)> {
        let (left, limit) = (self.visit_budget_left()?, self.step().limits.budget_usd?);
        let of_run = self.state.limits.budget_left(&self.state.spent);
        // An agent that reports no cost has spent the rest.
        let cost = cost_usd.unwrap_or(left);
        let observed = self.state.visit.used.cost_usd + cost;
        of_run
            .is_none_or(|of_run| left < of_run)
            .then_some((Exceeded::Cost { limit, observed }, cost))
    }

    /// The number of the next retry, and how many there may be. A step's own limit counts all of a
    /// visit's retries; the operator's counts those of each kind.
    pub(super) fn next_retry(&self, of_this_kind: u32) -> (u32, u32) {
        match self.step().limits.retries {
            Some(of) => (self.state.visit.asked_again.saturating_add(1), of),
            None => (of_this_kind.saturating_add(1), self.state.limits.max_retries),
        }
    }

    /// Leaves the step instead of asking once more, if its limit on retries leads somewhere.
    pub(super) fn out_of_retries(
        &mut self,
        events: &mut Vec<Event>,
        fresh: NewIds,
    ) -> Option<Action> {
        let limits = self.step().limits;
        let (limit, _) = limits.retries.zip(limits.after_retries)?;
        let exceeded = Exceeded::Count { limit, observed: limit };
        Some(self.leave(events, VisitLimit::Retries, exceeded, Cut::default(), fresh))
    }

    /// Goes where a limit leads that the visit has used up, or ends the run. The turn or the check
    /// in flight is cut short.
    pub(super) fn leave(
        &mut self,
        events: &mut Vec<Event>,
        limit: VisitLimit,
        exceeded: Exceeded,
        cut: Cut,
        fresh: NewIds,
    ) -> Action {
        // In a turn that is cut short, a rule may have been broken.
        if let Some(exit) = rules::exit(&self.state.visit.violations) {
            return self.end(events, &exit, |_| (), cut);
        }
        let step = self.step().name;
        let why = match exceeded {
            Exceeded::Time { limit, .. } => {
                format!("a visit of step `{step}` may take {}", in_words(limit))
            }
            Exceeded::Cost { limit, .. } => {
                format!("a visit of step `{step}` may cost ${limit:.2}")
            }
            Exceeded::Count { limit: 0, .. } => {
                format!("in step `{step}`, the agent is never asked again")
            }
            Exceeded::Count { limit, .. } => {
                format!("in step `{step}`, the agent is asked again at most {}", times(limit))
            }
        };
        if self.step().limits.after(limit).is_some() {
            let Cut { took, cost_usd, .. } = cut;
            let (step, exceeded) = (step.to_owned(), Box::new(exceeded));
            let reached = Event::LimitReached { step, limit, exceeded, took, cost_usd };
            self.record(events, reached);
            return self.take(events, limit.words(), Some(why), fresh);
        }
        let reason = match limit {
            VisitLimit::Time => ExitReason::WorkerTimeout,
            VisitLimit::Retries => ExitReason::OrchestrationError,
            VisitLimit::Budget => ExitReason::CostBudget,
        };
        let exit = Exit::because(reason).describe(why);
        self.end(events, &exit, |_| (), cut.because(exceeded))
    }
}

fn times(count: u32) -> String {
    match count {
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        more => format!("{more} times"),
    }
}
