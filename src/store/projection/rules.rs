//! The commits that every store refuses, with the same messages.

use std::fmt::Display;
use std::path::Path;

use crate::run::{AttemptId, Event, PromptId, Purpose, RunId};
use crate::store::error::StoreError;

/// Whether an event may be appended to a run that has had `last_seq` events, given whether it has
/// ended and which turn is in flight.
pub(super) fn may_follow(
    run: RunId,
    last_seq: u64,
    over: bool,
    turn: Option<AttemptId>,
    event: &Event,
) -> Result<(), StoreError> {
    let problem = match event {
        Event::Started { .. } if last_seq > 0 => Some("has started before"),
        Event::Started { spec, .. } => {
            (spec.run != run).then_some("cannot start with another run's spec")
        }
        Event::Resumed { .. } => (!over).then_some("is running already, so it cannot be resumed"),
        Event::TurnBegan { .. } | Event::CheckBegan { .. } if turn.is_some() => {
            Some("is in the middle of a turn, so no other can begin")
        }
        Event::Replied { attempt, .. } if turn != Some(*attempt) => {
            Some("is not in the turn that was replied to")
        }
        Event::Checked { check, .. } if turn != Some(*check) => {
            Some("is not in the check that ended")
        }
        Event::TurnBegan { .. }
        | Event::TreeSeen { .. }
        | Event::RulesBroken { .. }
        | Event::ToolsRefused { .. }
        | Event::CheckBegan { .. }
        | Event::Checked { .. }
        | Event::Replied { .. }
        | Event::Retried { .. }
        | Event::LimitReached { .. }
        | Event::Moved { .. }
        | Event::PromptQueued { .. } => over.then_some("has ended, so nothing more happens in it"),
        // A paused run can end once more, when a client stops it.
        Event::Ended { .. } => None,
        Event::WorktreeEnded { .. } => {
            (!over).then_some("has not ended, so its worktree is still its own")
        }
    };
    match problem {
        Some(problem) => Err(StoreError::Contradiction { what: format!("run {run} {problem}") }),
        None => Ok(()),
    }
}

/// What a reply adds to the cost of its run. An invalid amount must not lower it.
pub(super) fn cost(stated: Option<f64>) -> f64 {
    stated.filter(|cost| cost.is_finite() && *cost > 0.0).unwrap_or(0.0)
}

/// The prompt that a turn delivers.
pub(super) fn delivered_prompt(purpose: &Purpose) -> Option<PromptId> {
    match purpose {
        Purpose::Deliver { prompt } => Some(*prompt),
        Purpose::Step
        | Purpose::Continue
        | Purpose::Remind { .. }
        | Purpose::Evidence { .. }
        | Purpose::Verify { .. } => None,
    }
}

/// The text of a directory, as it is stored.
pub(in crate::store) fn text_of(directory: &Path) -> Result<&str, StoreError> {
    directory.to_str().ok_or_else(|| StoreError::Contradiction {
        what: format!(
            "the directory `{}` is not valid UTF-8, and is stored as text",
            directory.display()
        ),
    })
}

pub(super) fn taken(prompt: PromptId) -> StoreError {
    StoreError::Contradiction { what: format!("prompt {prompt} was delivered already") }
}

pub(in crate::store) fn missing(kind: &'static str, id: &impl Display) -> StoreError {
    StoreError::Missing { kind, id: id.to_string() }
}

pub(super) fn twice(kind: &str, id: &impl Display) -> StoreError {
    StoreError::Contradiction { what: format!("{kind} {id} exists already") }
}

pub(super) fn empty(kind: &str, id: &impl Display) -> StoreError {
    StoreError::Contradiction {
        what: format!("an entry of {kind} {id} has neither an event nor a message"),
    }
}
