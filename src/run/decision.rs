//! What a run says when it was told what happened.

use std::time::Duration;

use super::check::Check;
use super::event::{Event, Purpose};
use super::ids::AttemptId;
use super::order::Order;
use super::tree::Baseline;
use crate::{AnyRecipe, FileRules, Tool};

/// What follows: events to write down, and what to do once they are.
#[derive(Debug)]
#[must_use = "its events have to be written down before anything is done"]
pub struct Decision {
    /// What happened. Empty where nothing did, e.g. for a reply that came too late.
    pub events: Vec<Event>,
    /// What to do next.
    pub todo: Todo,
}

/// The one thing to do next.
#[derive(Debug)]
pub enum Todo {
    /// Give the agent this prompt.
    Ask(Box<Ask>),
    /// Look for evidence, or run commands.
    Check(Box<Check>),
    /// Wait for the turn or the check in progress.
    Wait,
    /// Nothing: the run is over. A turn that is going on is to be stopped.
    End,
    /// The run is over, and this one begins.
    Restart(Box<Successor>),
}

/// A turn to take.
#[derive(Debug, Clone, PartialEq)]
pub struct Ask {
    /// Names the attempt.
    pub attempt: AttemptId,
    /// The step the run is at.
    pub step: &'static str,
    /// What the prompt is for.
    pub purpose: Purpose,
    /// What the agent may do; `None` where that is left to the operator.
    pub tools: Option<&'static [Tool]>,
    /// What the work tree is compared with when the turn has ended.
    pub baseline: Baseline,
    /// What holds for the files that the turn may change.
    pub rules: FileRules,
    /// What the agent is told.
    pub prompt: String,
    /// The model to use.
    pub model: Option<String>,
    /// How long it may take before the run's time is used up.
    pub time_left: Option<Duration>,
    /// How much it may spend before the run's budget is.
    pub budget_left: Option<f64>,
}

/// A run that continues another one in a fresh session.
#[derive(Debug)]
pub struct Successor {
    /// Its recipe.
    pub recipe: &'static dyn AnyRecipe,
    /// All that is settled about it.
    pub order: Order,
    /// What people said to the run that it continues, and the agent was not told yet.
    pub said: Vec<String>,
}
