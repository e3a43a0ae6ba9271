//! What happens in a session outside of its runs: the queue of prompts, chat, the switch.

use serde::{Deserialize, Serialize};

use super::records::NewSession;
use crate::run::{AttemptId, PromptId};

/// One thing that happened in a session outside of its runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
#[non_exhaustive]
pub enum SessionEvent {
    /// The session began. One that exists already stays as it is.
    Began(NewSession),
    /// A client sent a prompt, and it is queued. If a run queues the same prompt later, the prompt
    /// keeps its position.
    PromptQueued {
        /// Its id.
        prompt: PromptId,
        /// Its text.
        text: String,
    },
    /// The agent is about to be given a queued prompt, outside of a run.
    ChatBegan {
        /// This attempt.
        attempt: AttemptId,
        /// The prompt that it delivers.
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
    /// It is unknown whether the agent got the prompt of an open attempt. The prompt is delivered
    /// again, with a note about that.
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
