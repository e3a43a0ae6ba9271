//! What a run decides about an input.

use std::time::Duration;

use super::check::Check;
use super::event::{Event, Purpose};
use super::ids::AttemptId;
use super::run_spec::RunSpec;
use super::tree::Baseline;
use crate::{AnyRecipe, FileRules, Tool};

/// The events to persist, and what to do once they are persisted.
#[derive(Debug)]
#[must_use = "its events must be persisted before its action is carried out"]
pub struct Decision {
    /// What happened. Empty if nothing did, e.g. for a reply that came too late.
    pub events: Vec<Event>,
    /// What to do next.
    pub action: Action,
}

/// The one thing to do next.
#[derive(Debug)]
pub enum Action {
    /// Give the agent this prompt.
    Ask(Box<TurnRequest>),
    /// Look for evidence, or run commands.
    Check(Box<Check>),
    /// Wait for the turn or the check in progress.
    Wait,
    /// Nothing: the run is over. Stop a turn that is in flight.
    End,
    /// The run is over, and this one begins.
    Restart(Box<Successor>),
}

/// A turn to take.
#[derive(Debug, Clone, PartialEq)]
pub struct TurnRequest {
    /// The id of the attempt.
    pub attempt: AttemptId,
    /// The step the run is at.
    pub step: &'static str,
    /// The number of that step in the run, from 1.
    pub number: u32,
    /// What the prompt is for.
    pub purpose: Purpose,
    /// What the agent may do; `None` if the step leaves that to the operator.
    pub tools: Option<&'static [Tool]>,
    /// What the work tree is compared with when the turn has ended.
    pub baseline: Baseline,
    /// The rules for the files that the turn may change.
    pub rules: FileRules,
    /// The prompt.
    pub prompt: String,
    /// The model to use.
    pub model: Option<String>,
    /// How long it may take before the run's time is used up.
    pub time_left: Option<Duration>,
    /// How much it may spend before the run's budget is used up.
    pub budget_left: Option<f64>,
}

/// A run that continues another one in a fresh session.
#[derive(Debug)]
pub struct Successor {
    /// Its recipe.
    pub recipe: &'static dyn AnyRecipe,
    /// What it is started with.
    pub spec: RunSpec,
    /// The prompts that are still queued in the run that it continues.
    pub queued: Vec<String>,
}
