//! What happens in a session beside its runs: the queue of prompts, chat, the switch.

use serde::{Deserialize, Serialize};

use super::records::NewSession;
use crate::run::{AttemptId, PromptId};

/// One thing that happened in a session beside its runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum SessionEvent {
    /// The session began. One that exists already stays as it is.
    Began(NewSession),
    /// A client sent a prompt, and it is queued. A run that queues the same prompt later takes it over, in its place.
    PromptQueued {
        /// Names it.
        prompt: PromptId,
        /// The words.
        text: String,
    },
    /// The agent is about to be given a queued prompt, outside of a run.
    ChatBegan {
        /// This attempt.
        attempt: AttemptId,
        /// What it passes on.
        prompt: PromptId,
    },
    /// An attempt outside of a run ended.
    ChatEnded {
        /// The attempt.
        attempt: AttemptId,
        /// Whether the agent answered.
        answered: bool,
        /// Whether the agent certainly did not get the prompt, so that it is queued again.
        requeued: bool,
    },
    /// It is not known whether the agent got the prompt of an open attempt. It is given it once more, and told so.
    ChatRepeated {
        /// The attempt.
        attempt: AttemptId,
    },
    /// Queued prompts will not be delivered. Prompts that are no longer queued stay as they are.
    PromptsWithdrawn {
        /// The prompts.
        prompts: Vec<PromptId>,
    },
    /// The agent has answered in this session, so its conversation exists.
    Opened,
    /// Recipes are switched on or off in this session.
    OrchestrationSet {
        /// On or off.
        enabled: bool,
    },
}
