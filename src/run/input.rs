//! What can happen to a run.

use std::time::Duration;

use super::check::CheckResult;
use super::ids::{AttemptId, PromptId};
use super::refused::ToolRefusal;
use super::tree::{Changes, TreeState};
use crate::{Exit, Violation};

/// Something that happens to a run.
#[derive(Debug, Clone)]
pub enum Input {
    /// The agent replied.
    Replied {
        /// The attempt it answers; a reply to another one is too late, and ignored.
        attempt: AttemptId,
        /// Its words.
        text: String,
        /// What else is known about the turn.
        facts: TurnFacts,
    },
    /// The agent did not reply, or a check could not be carried out.
    Failed {
        /// The attempt or the check that failed.
        attempt: AttemptId,
        /// What the run shall end with.
        exit: Exit,
        /// When it would make sense to go on, in milliseconds since 1970, where that is known.
        resume_at: Option<u64>,
        /// What else is known about the turn.
        facts: TurnFacts,
    },
    /// The engine looked at the work tree right before the agent gets its prompt.
    TreeSeen {
        /// The attempt that is about to begin.
        attempt: AttemptId,
        /// What it saw.
        tree: TreeState,
    },
    /// What is known about a turn that is about to be cut short: the end of the run follows.
    TurnSeen {
        /// The turn; another one is over, and what is known about it was told with its end.
        attempt: AttemptId,
        /// What is known.
        facts: TurnFacts,
    },
    /// A check ended.
    Checked {
        /// The check; another one is too late, and ignored.
        check: AttemptId,
        /// What came of it, in order.
        results: Vec<CheckResult>,
        /// The files that the run may not change and that are changed since its commands ran.
        violations: Vec<Violation>,
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

/// What is known about a turn that has ended, beside its reply.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TurnFacts {
    /// How long it took.
    pub took: Duration,
    /// What it cost, as the agent's program states it.
    pub cost_usd: Option<f64>,
    /// The version of that program.
    pub version: Option<String>,
    /// The tools that the agent was refused.
    pub refused: Vec<ToolRefusal>,
    /// The work tree afterwards and what the run has changed so far, where the engine could look.
    pub tree: Option<Box<(TreeState, Changes)>>,
    /// The files that the run may not change and that are changed.
    pub violations: Vec<Violation>,
}
