//! Rebuilding a run from its events.

use std::collections::BTreeMap;
use std::time::Duration;

use super::decide::Run;
use super::ending::Ending;
use super::event::Event;
use super::known::Known;
use super::order::Order;
use crate::{Advise, AnyRecipe, Exit, Remedy, Snapshot, SnapshotError};

/// Why a run cannot be rebuilt.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReplayError {
    /// There is nothing to rebuild it from, or not from its beginning.
    #[error("the journal does not begin with the start of a run")]
    NoStart,
    /// The recipe is another one now, or the journal contradicts it.
    #[error(transparent)]
    Changed(#[from] SnapshotError),
}

impl Advise for ReplayError {
    fn remedy(&self) -> Option<Remedy> {
        match self {
            Self::NoStart => None,
            Self::Changed(changed) => changed.remedy(),
        }
    }
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
        let mut known = Known::new(Order::clone(order), recipe.outline());
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
/// `None` where the run has ended for good, or these are not the events of one.
#[must_use]
pub fn abandon<'a>(events: impl IntoIterator<Item = &'a Event>, exit: &Exit) -> Option<Event> {
    let mut events = events.into_iter();
    let Some(Event::Started { step, order, .. }) = events.next() else { return None };
    let (mut at, mut steps, mut open) = (step, 1, true);
    for event in events {
        match event {
            Event::Moved { to, number, .. } => (at, steps) = (to, *number),
            // One that waits to go on by itself can still be told not to.
            Event::Ended { ending, .. } => open = ending.resume_at.is_some(),
            Event::Resumed { .. } => open = true,
            Event::Started { .. }
            | Event::TurnBegan { .. }
            | Event::TreeSeen { .. }
            | Event::RulesBroken { .. }
            | Event::WorktreeEnded { .. }
            | Event::ToolsRefused { .. }
            | Event::CheckBegan { .. }
            | Event::Checked { .. }
            | Event::Replied { .. }
            | Event::Reasked { .. }
            | Event::PromptQueued { .. } => {}
        }
    }
    let ending = Ending::new(exit, at, steps, order.rehearsal);
    let (took, cost_usd, withdrawn, exceeded) = (Duration::ZERO, None, Vec::new(), None);
    open.then_some(Event::Ended { ending, took, cost_usd, unheard: true, withdrawn, exceeded })
}
