//! What can happen to a run.

use std::time::Duration;

use super::ids::{AttemptId, PromptId};
use crate::Exit;

/// Something that happens to a run.
#[derive(Debug, Clone)]
pub enum Input {
    /// The agent replied.
    Replied {
        /// The attempt it answers; a reply to another one is too late, and ignored.
        attempt: AttemptId,
        /// Its words.
        text: String,
        /// The tools it was not allowed to use.
        denied: Vec<String>,
        /// The cost as stated.
        cost_usd: Option<f64>,
        /// The version of the program that stated it.
        version: Option<String>,
        /// How long it took.
        took: Duration,
    },
    /// The agent did not reply.
    Failed {
        /// The attempt that failed.
        attempt: AttemptId,
        /// What the run shall end with.
        exit: Exit,
        /// When it would make sense to go on, in milliseconds since 1970, where that is known.
        resume_at: Option<u64>,
        /// What it cost all the same, as stated.
        cost_usd: Option<f64>,
        /// How long it took.
        took: Duration,
    },
    /// Somebody has something to say to the agent.
    Prompted {
        /// Names it.
        prompt: PromptId,
        /// The words.
        text: String,
    },
    /// The run cannot go on. Prompts that are queued for it stay queued, and are delivered outside of it.
    Cancelled {
        /// What it ends with.
        exit: Exit,
        /// How long the current turn has taken.
        took: Duration,
    },
    /// A person stopped the run. Prompts that are queued for it are withdrawn.
    Stopped {
        /// What it ends with.
        exit: Exit,
        /// How long the current turn has taken.
        took: Duration,
    },
    /// Time has passed while the agent works.
    Elapsed {
        /// How long the present turn has taken.
        took: Duration,
    },
}
