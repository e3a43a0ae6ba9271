//! What happened in a run: its only history. Everything that is shown, stored or sent is a view of it.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::check::{CheckResult, CheckSubject};
use super::ending::Ending;
use super::exceeded::Exceeded;
use super::ids::{AttemptId, PromptId};
use super::limits::Limits;
use super::order::Order;
use super::project::Permits;
use super::refused::ToolRefusal;
use super::resumed::ResumedBy;
use super::tree::{Moment, TreeState};
use super::worktree::WorktreeEnd;
use crate::outcome::Finding;
use crate::{Tool, Violation};

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
    /// The engine looked at the working directory, where that is a git work tree.
    TreeSeen {
        /// The attempt that began or ended then.
        attempt: AttemptId,
        /// What it saw.
        tree: TreeState,
        /// When that was.
        #[serde(flatten)]
        moment: Moment,
    },
    /// Files were changed that the run may not change.
    RulesBroken {
        /// The turn or the check that ended then.
        attempt: AttemptId,
        /// The files; a long list is cut.
        violations: Vec<Violation>,
    },
    /// The agent was refused the use of tools in a turn that has ended.
    ToolsRefused {
        /// The attempt.
        attempt: AttemptId,
        /// The tools, in order.
        refused: Vec<ToolRefusal>,
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
    /// The engine is about to look for evidence, or to run commands.
    CheckBegan {
        /// Names the check, as an attempt.
        check: AttemptId,
        /// The step the run is at.
        step: String,
        /// What it is about.
        subject: CheckSubject,
    },
    /// The engine has looked, or the commands have ended.
    Checked {
        /// The check.
        check: AttemptId,
        /// What came of it, in order. What follows the first result that is not good was not looked at.
        results: Vec<CheckResult>,
        /// How long it took.
        took: Duration,
    },
    /// The agent is asked again: its reply could not be read, or what it reported was not found.
    Reasked {
        /// The step.
        step: String,
        /// The how-manieth time, from 1.
        number: u32,
        /// How often it may be asked again.
        of: u32,
        /// What was wrong.
        problem: String,
        /// What kind of problem that is.
        #[serde(default, skip_serializing_if = "RetryCause::is_reply")]
        cause: RetryCause,
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
        /// What the agent is allowed in addition.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        allow_tools: Vec<Tool>,
        /// What the machine's user lets the run do in addition.
        #[serde(default, skip_serializing_if = "Permits::is_empty")]
        permits: Permits,
        /// What had waited for the agent and was passed on while the run was over.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        told: Vec<PromptId>,
    },
    /// The worktree of the run is gone: it was merged, or thrown away.
    WorktreeEnded {
        /// What became of it.
        #[serde(flatten)]
        end: WorktreeEnd,
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
            | Self::TreeSeen { .. }
            | Self::RulesBroken { .. }
            | Self::ToolsRefused { .. }
            | Self::Replied { .. }
            | Self::CheckBegan { .. }
            | Self::Checked { .. }
            | Self::Reasked { .. }
            | Self::Moved { .. }
            | Self::PromptQueued { .. }
            | Self::Ended { .. }
            | Self::WorktreeEnded { .. } => None,
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
    /// To have done what was reported and not found.
    Evidence {
        /// 1-based index among the visit's re-asks.
        number: u32,
        /// What was looked for, and what was found.
        problem: String,
    },
    /// To mend what a command found.
    Verify {
        /// 1-based index among the visit's re-asks after commands.
        number: u32,
        /// Which command failed, and the end of its output.
        problem: String,
    },
    /// To pass on what somebody said. Its reply is never read as an outcome.
    Pass {
        /// The prompt that had waited.
        prompt: PromptId,
    },
}

/// Why the agent is asked again.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, strum::Display)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum RetryCause {
    /// Its reply could not be read.
    #[default]
    Reply,
    /// What it reported was not found.
    Evidence,
    /// A command failed.
    Verify,
}

impl RetryCause {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
    const fn is_reply(&self) -> bool {
        matches!(self, Self::Reply)
    }
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
        /// What it lists as found, where it is an outcome that carries findings.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        findings: Vec<Finding>,
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
