//! The inputs of a run.

use std::time::Duration;

use super::check::CheckResult;
use super::ids::{AttemptId, PromptId};
use super::refused::ToolRefusal;
use super::tree::{Changes, TreeState};
use crate::{Exit, Violation};

/// Something that happens to a run.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Input {
    /// The agent replied.
    Replied {
        /// The attempt it answers. A reply to another attempt is too late and is ignored.
        attempt: AttemptId,
        /// The text of the reply.
        text: String,
        /// What else is known about the turn.
        facts: TurnFacts,
    },
    /// The agent did not reply, or a check could not be carried out.
    Failed {
        /// The attempt or the check that failed.
        attempt: AttemptId,
        /// What the run ends with.
        exit: Exit,
        /// When it makes sense to resume, in milliseconds since 1970, if that is known.
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
        /// The turn. Facts about another turn are ignored, since they came with its end.
        attempt: AttemptId,
        /// What is known.
        facts: TurnFacts,
    },
    /// A check ended.
    Checked {
        /// The check. The end of another check is too late and is ignored.
        check: AttemptId,
        /// The results, in order.
        results: Vec<CheckResult>,
        /// The files that were changed since its commands ran although the run may not change them.
        violations: Vec<Violation>,
        /// How long it took.
        took: Duration,
    },
    /// A client sent a prompt.
    Prompted {
        /// Its id.
        prompt: PromptId,
        /// Its text.
        text: String,
    },
    /// The run cannot continue. Its queued prompts stay queued, and are delivered outside of it.
    Cancelled {
        /// What it ends with.
        exit: Exit,
        /// How long the current turn has taken.
        took: Duration,
    },
    /// A person stopped the run. Its queued prompts are withdrawn.
    Stopped {
        /// What it ends with.
        exit: Exit,
        /// How long the current turn has taken.
        took: Duration,
    },
    /// Time has passed while the agent works.
    Elapsed {
        /// How long the current turn has taken.
        took: Duration,
    },
}

/// What is known about a turn that has ended, besides its reply.
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
    /// The work tree afterwards and the run's changes so far, if the engine could look.
    pub tree: Option<Box<(TreeState, Changes)>>,
    /// The files that were changed although the run may not change them.
    pub violations: Vec<Violation>,
}
