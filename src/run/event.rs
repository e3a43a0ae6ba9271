//! What happened in a run: its only history. Everything that is shown, stored or sent is a view of it.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::ending::Ending;
use super::exceeded::Exceeded;
use super::ids::{AttemptId, PromptId};
use super::limits::Limits;
use super::order::Order;
use super::resumed::ResumedBy;

/// One thing that happened in a run.
///
/// Events carry no time and no number of their own: whoever writes them down adds both. The prompts and replies
/// themselves belong to the conversation, where they are found by their attempt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, strum::IntoStaticStr)]
#[serde(tag = "event", rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Event {
    /// The run began, at its recipe's first step.
    Started {
        /// The recipe's id.
        recipe: String,
        /// Its graph; see [`Fingerprint`](crate::Fingerprint).
        fingerprint: String,
        /// The first step.
        step: String,
        /// What was asked for.
        order: Box<Order>,
    },
    /// The agent is about to be given a prompt.
    TurnBegan {
        /// This attempt.
        attempt: AttemptId,
        /// The step the run is at.
        step: String,
        /// What the prompt is.
        purpose: Purpose,
    },
    /// The agent replied.
    Replied {
        /// Which attempt it answers.
        attempt: AttemptId,
        /// What was read in it.
        read: Read,
        /// How long it took.
        took: Duration,
        /// The cost as the agent's program stated it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cost_usd: Option<f64>,
        /// The version of that program, which decides what the figure means.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        version: Option<String>,
    },
    /// The reply could not be read, and the agent is asked again.
    Reasked {
        /// The step.
        step: String,
        /// The how-manieth time, from 1.
        number: u32,
        /// How often it may be asked again.
        of: u32,
        /// What was wrong with the reply.
        problem: String,
    },
    /// An outcome led from one step to the next.
    Moved {
        /// The step it left.
        from: String,
        /// The outcome.
        outcome: String,
        /// The step it entered.
        to: String,
        /// The how-manieth step of the run that is.
        number: u32,
        /// The how-manieth visit of that step.
        visit: u32,
    },
    /// Somebody has something to say to the agent; it waits for its turn.
    PromptQueued {
        /// Names it.
        prompt: PromptId,
        /// The words.
        text: String,
    },
    /// The run ended.
    Ended {
        /// How, and why.
        ending: Ending,
        /// How long the agent had worked on the turn that was cut short by it.
        #[serde(default, skip_serializing_if = "Duration::is_zero")]
        took: Duration,
        /// What that turn is said to have cost.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cost_usd: Option<f64>,
        /// Whether what that turn was to pass on waits again, because the agent may not have heard it.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        unheard: bool,
        /// The prompts that were queued in the run and are not delivered any more, because a person stopped it.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        withdrawn: Vec<PromptId>,
        /// The limit that stopped it, where one did. Few runs have one, and an event is small without it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        exceeded: Option<Box<Exceeded>>,
    },
    /// The run goes on after it had ended.
    Resumed {
        /// At whose wish.
        by: ResumedBy,
        /// Its limits from now on.
        limits: Limits,
        /// How many visits of each step were allowed on top of the recipe's limit, so far.
        extra_visits: u32,
        /// The same for the steps in all.
        extra_steps: u32,
        /// What had waited for the agent and was passed on while the run was over.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        told: Vec<PromptId>,
    },
}

impl Event {
    /// The end of a run in which no turn was cut short.
    #[must_use]
    pub const fn ended(ending: Ending) -> Self {
        Self::Ended {
            ending,
            took: Duration::ZERO,
            cost_usd: None,
            unheard: false,
            withdrawn: Vec::new(),
            exceeded: None,
        }
    }

    /// Its name, as it is written down.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.into()
    }

    /// What the run may use up from here on, where this settles it.
    #[must_use]
    pub fn limits(&self) -> Option<Limits> {
        match self {
            Self::Started { order, .. } => Some(order.limits),
            Self::Resumed { limits, .. } => Some(*limits),
            Self::TurnBegan { .. }
            | Self::Replied { .. }
            | Self::Reasked { .. }
            | Self::Moved { .. }
            | Self::PromptQueued { .. }
            | Self::Ended { .. } => None,
        }
    }
}

/// What a prompt is for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Purpose {
    /// To work on the step.
    Step,
    /// To go on with the step after the run had stopped in the middle of it.
    Continue,
    /// To get an outcome out of the agent after a reply that had none.
    Remind {
        /// The how-manieth time, from 1.
        number: u32,
        /// What was wrong with the reply.
        problem: String,
    },
    /// To pass on what somebody said. Its reply is never read as an outcome.
    Pass {
        /// The prompt that had waited.
        prompt: PromptId,
    },
}

/// What was read in a reply.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Read {
    /// An outcome of the step.
    Outcome {
        /// Its name.
        outcome: String,
        /// What the agent said about it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        description: Option<String>,
        /// What had to be repaired to read it.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        repaired: Vec<String>,
    },
    /// No outcome.
    Unread {
        /// Which kind of problem.
        unread: String,
        /// The problem in words.
        problem: String,
    },
    /// It was not asked for one.
    NotAsked,
}
