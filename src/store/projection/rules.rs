//! What every store refuses, in the same words.

use std::fmt::Display;
use std::path::Path;

use crate::run::{AttemptId, Event, PromptId, Purpose, RunId};
use crate::store::error::StoreError;

/// Whether an event can happen to a run that has had `last_seq` events, may be over, and may be in a turn.
pub(super) fn may_follow(
    run: RunId,
    last_seq: u64,
    over: bool,
    turn: Option<AttemptId>,
    event: &Event,
) -> Result<(), StoreError> {
    let problem = match event {
        Event::Started { .. } if last_seq > 0 => Some("has started before"),
        Event::Started { order, .. } => (order.run != run).then_some("was to start with another run's order"),
        Event::Resumed { .. } => (!over).then_some("goes on already, so it cannot be resumed"),
        Event::TurnBegan { .. } | Event::CheckBegan { .. } if turn.is_some() => {
            Some("is in the middle of a turn, so none can begin")
        }
        Event::Replied { attempt, .. } if turn != Some(*attempt) => {
            Some("is not in the turn that was replied to")
        }
        Event::Checked { check, .. } if turn != Some(*check) => Some("is not in the check that ended"),
        Event::TurnBegan { .. }
        | Event::TreeSeen { .. }
        | Event::RulesBroken { .. }
        | Event::ToolsRefused { .. }
        | Event::CheckBegan { .. }
        | Event::Checked { .. }
        | Event::Replied { .. }
        | Event::Reasked { .. }
        | Event::Moved { .. }
        | Event::PromptQueued { .. } => over.then_some("has ended, so nothing more happens in it"),
        // A run that waits to go on by itself can end once more: when a client stops it.
        Event::Ended { .. } => None,
        Event::WorktreeEnded { .. } => (!over).then_some("has not ended, so its worktree is still its own"),
    };
    match problem {
        Some(problem) => Err(StoreError::Contradiction { what: format!("run {run} {problem}") }),
        None => Ok(()),
    }
}

/// What a reply adds to the cost of its run. A senseless figure must not give money back.
pub(super) fn cost(stated: Option<f64>) -> f64 {
    stated.filter(|cost| cost.is_finite() && *cost > 0.0).unwrap_or(0.0)
}

/// The prompt that a turn passes on.
pub(super) fn passed(purpose: &Purpose) -> Option<PromptId> {
    match purpose {
        Purpose::Pass { prompt } => Some(*prompt),
        Purpose::Step
        | Purpose::Continue
        | Purpose::Remind { .. }
        | Purpose::Evidence { .. }
        | Purpose::Verify { .. } => None,
    }
}

/// A directory as it is written down: as text that people can read.
pub(in crate::store) fn text_of(directory: &Path) -> Result<&str, StoreError> {
    directory.to_str().ok_or_else(|| StoreError::Contradiction {
        what: format!("the directory `{}` is not valid UTF-8, and is kept as text", directory.display()),
    })
}

pub(super) fn taken(prompt: PromptId) -> StoreError {
    StoreError::Contradiction { what: format!("prompt {prompt} was passed on already") }
}

pub(in crate::store) fn missing(kind: &'static str, id: &impl Display) -> StoreError {
    StoreError::Missing { kind, id: id.to_string() }
}

pub(super) fn twice(kind: &str, id: &impl Display) -> StoreError {
    StoreError::Contradiction { what: format!("{kind} {id} is there already") }
}

pub(super) fn empty(kind: &str, id: &impl Display) -> StoreError {
    StoreError::Contradiction { what: format!("an entry of {kind} {id} has neither an event nor a message") }
}
