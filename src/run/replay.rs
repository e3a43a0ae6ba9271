//! Rebuilding a run from its events.

use std::collections::BTreeMap;
use std::time::Duration;

use super::decide::Run;
use super::ending::Ending;
use super::event::Event;
use super::renames::Renames;
use super::run_spec::RunSpec;
use super::run_state::RunState;
use crate::{Advise, AnyRecipe, Exit, Remedy, Snapshot, SnapshotError};

/// Why a run cannot be rebuilt.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReplayError {
    /// There are no events, or the first one is missing.
    #[error("the journal does not begin with the start of a run")]
    NoStart,
    /// The recipe has changed, or the journal contradicts it.
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
    /// Rebuilds a run from all of its events.
    ///
    /// # Errors
    /// The events do not begin with the start of a run, or its recipe has changed since in a way
    /// that the run cannot follow. In that case, leave the run as it is.
    pub fn replay<'a>(
        recipe: &'static dyn AnyRecipe,
        events: impl IntoIterator<Item = &'a Event>,
    ) -> Result<Self, ReplayError> {
        let mut events = events.into_iter();
        let Some(Event::Started { recipe: id, fingerprint, graph, step, spec }) = events.next()
        else {
            return Err(ReplayError::NoStart);
        };
        let outline = recipe.outline();
        let changed = graph.as_deref().filter(|_| !outline.has_fingerprint(fingerprint));
        let renames = changed.map(|_| Renames::new(outline));
        let mut state = RunState::new(RunSpec::clone(spec), outline);
        let mut snapshot = Snapshot {
            recipe: id.clone(),
            fingerprint: fingerprint.clone(),
            step: step.clone(),
            visits: BTreeMap::from([(step.clone(), 1)]),
            steps: 1,
            restarts: spec.restarts,
        };
        for event in events {
            match &renames {
                Some(renames) => state.apply(&renames.current(event, &snapshot.step)),
                None => state.apply(event),
            }
            if let Event::Moved { to, .. } = event {
                snapshot.step.clone_from(to);
                snapshot.steps = snapshot.steps.saturating_add(1);
                *snapshot.visits.entry(to.clone()).or_default() += 1;
            }
        }
        let position = match changed {
            Some(graph) => recipe.carry_over(&snapshot, graph)?,
            // The events are the evidence for its counts: the limits may have been raised, and a
            // limit that its author lowered since must not strand it.
            None => recipe.resume_within(&snapshot, &outline.guardrails.uncounted())?,
        };
        Ok(Self { recipe, position, state })
    }
}

/// Ends a run that cannot be rebuilt, so that it does not stay open for ever. It ends at its
/// current step.
///
/// `None` if the run has ended for good, or these are not the events of a run.
#[must_use]
pub fn abandon<'a>(events: impl IntoIterator<Item = &'a Event>, exit: &Exit) -> Option<Event> {
    let mut events = events.into_iter();
    let Some(Event::Started { step, spec, .. }) = events.next() else { return None };
    let (mut at, mut steps, mut open) = (step, 1, true);
    for event in events {
        match event {
            Event::Moved { to, number, .. } => (at, steps) = (to, *number),
            // A paused run can still be ended.
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
            | Event::Retried { .. }
            | Event::LimitReached { .. }
            | Event::PromptQueued { .. } => {}
        }
    }
    let ending = Ending::new(exit, at, steps, spec.rehearsal);
    let (took, cost_usd, withdrawn, exceeded) = (Duration::ZERO, None, Vec::new(), None);
    open.then_some(Event::Ended { ending, took, cost_usd, redeliver: true, withdrawn, exceeded })
}
