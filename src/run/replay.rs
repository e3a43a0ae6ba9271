//! Rebuilding a run from its events, and what each event tells about it.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use super::decide::{Asking, Known, Phase, Run, Waiting};
use super::ending::Ending;
use super::event::{Event, Purpose};
use super::ids::AttemptId;
use super::order::Order;
use super::resume::{ResumedBy, Resumes};
use crate::{AnyRecipe, Exit, Snapshot, SnapshotError};

/// Why a run cannot be rebuilt.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReplayError {
    /// There is nothing to rebuild it from, or not from its beginning.
    #[error("the journal does not begin with the start of a run")]
    NoStart,
    /// The recipe is another one now, or the journal contradicts it.
    #[error(transparent)]
    Recipe(#[from] SnapshotError),
}

impl Run {
    /// The run that these events happened to, from its first to its latest.
    ///
    /// # Errors
    /// The events are not a run's, or its recipe has changed in between; the run is then to be left as it is.
    pub fn replay<'a>(
        recipe: &'static dyn AnyRecipe,
        events: impl IntoIterator<Item = &'a Event>,
    ) -> Result<Self, ReplayError> {
        let mut events = events.into_iter();
        let Some(Event::Started { recipe: id, fingerprint, step, order }) = events.next() else {
            return Err(ReplayError::NoStart);
        };
        let mut known = Known::new(Order::clone(order));
        let mut snapshot = Snapshot {
            recipe: id.clone(),
            fingerprint: fingerprint.clone(),
            step: step.clone(),
            visits: BTreeMap::from([(step.clone(), 1)]),
            steps: 1,
            restarts: order.restarts,
        };
        for event in events {
            known.learn(event);
            if let Event::Moved { to, .. } = event {
                snapshot.step.clone_from(to);
                snapshot.steps = snapshot.steps.saturating_add(1);
                *snapshot.visits.entry(to.clone()).or_default() += 1;
            }
        }
        Ok(Self { recipe, position: recipe.resume(&snapshot)?, known })
    }
}

/// The end of a run that cannot be rebuilt, so that it does not go on for ever: it stays at the step it was at.
///
/// `None` where the run has ended already, or these are not the events of one.
#[must_use]
pub fn abandon<'a>(events: impl IntoIterator<Item = &'a Event>, exit: &Exit) -> Option<Event> {
    let mut events = events.into_iter();
    let Some(Event::Started { step, order, .. }) = events.next() else { return None };
    let (mut at, mut steps, mut open) = (step, 1, true);
    for event in events {
        match event {
            Event::Moved { to, number, .. } => (at, steps) = (to, *number),
            Event::Ended { .. } => open = false,
            Event::Resumed { .. } => open = true,
            Event::Started { .. }
            | Event::TurnBegan { .. }
            | Event::Replied { .. }
            | Event::Reasked { .. }
            | Event::PromptQueued { .. } => {}
        }
    }
    let ending = Ending::new(exit, at, steps, order.rehearsal);
    open.then_some(Event::Ended { ending, took: Duration::ZERO })
}

impl Known {
    pub(super) fn new(order: Order) -> Self {
        Self {
            limits: order.limits,
            spent: order.spent,
            order,
            extra_visits: 0,
            extra_steps: 0,
            waiting: VecDeque::new(),
            due: Purpose::Step,
            reasks: 0,
            phase: Phase::Deciding,
            resumes: Resumes::default(),
        }
    }

    /// What an event says about the run. Deciding and replaying both come through here, so they cannot differ.
    pub(super) fn learn(&mut self, event: &Event) {
        match event {
            Event::Started { .. } => {}
            Event::TurnBegan { attempt, purpose, .. } => self.began(*attempt, purpose),
            Event::Replied { took, cost_usd, .. } => {
                self.spent.time = self.spent.time.saturating_add(*took);
                // A negative or senseless figure must not give money back.
                self.spent.cost_usd += cost_usd.filter(|cost| cost.is_finite() && *cost > 0.0).unwrap_or(0.0);
                self.phase = Phase::Deciding;
            }
            Event::Reasked { number, .. } => self.reasks = *number,
            Event::Moved { .. } => {
                self.due = Purpose::Step;
                self.reasks = 0;
                self.resumes.stuck_on = None;
            }
            Event::PromptQueued { prompt, text } => {
                self.waiting.push_back(Waiting { prompt: *prompt, text: text.clone() });
            }
            Event::Ended { ending, took } => {
                self.spent.time = self.spent.time.saturating_add(*took);
                let last = std::mem::replace(&mut self.phase, Phase::Over(ending.clone()));
                // What was cut short was not delivered for certain, so it is next in line again.
                if let Phase::Asking(Asking { passed: Some(waiting), .. }) = last {
                    self.waiting.push_front(waiting);
                }
            }
            Event::Resumed { by, limits, extra_visits, extra_steps, told } => {
                self.waiting.retain(|waiting| !told.contains(&waiting.prompt));
                match (&self.phase, by) {
                    (Phase::Over(ending), ResumedBy::Auto) => {
                        self.resumes.auto += 1;
                        self.resumes.stuck_on = Some(ending.reason.clone());
                    }
                    // A person has looked at it, so it may try by itself again.
                    (Phase::Over(_) | Phase::Asking(_) | Phase::Deciding, _) => {
                        self.resumes = Resumes::default();
                    }
                }
                self.limits = *limits;
                (self.extra_visits, self.extra_steps) = (*extra_visits, *extra_steps);
                self.due = Purpose::Continue;
                self.reasks = 0;
                self.phase = Phase::Deciding;
            }
        }
    }

    fn began(&mut self, attempt: AttemptId, purpose: &Purpose) {
        self.spent.ticks = self.spent.ticks.saturating_add(1);
        let passed = match purpose {
            Purpose::Pass { prompt } => {
                let index = self.waiting.iter().position(|waiting| waiting.prompt == *prompt);
                index.and_then(|index| self.waiting.remove(index))
            }
            Purpose::Step | Purpose::Continue | Purpose::Remind { .. } => None,
        };
        self.phase = Phase::Asking(Asking { attempt, purpose: purpose.clone(), passed });
    }
}
