//! The events of a run: its only history. Everything that is shown, stored or sent is derived from
//! them.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::check::{CheckResult, CheckSubject};
use super::ending::Ending;
use super::exceeded::Exceeded;
use super::ids::{AttemptId, PromptId};
use super::limits::Limits;
use super::project::Permits;
use super::refused::ToolRefusal;
use super::resumed::ResumedBy;
use super::run_spec::RunSpec;
use super::tree::{Moment, TreeState};
use super::worktree::WorktreeEnd;
use crate::outcome::Finding;
use crate::{RecipeGraph, Tool, Violation, VisitLimit};

/// One thing that happened in a run.
///
/// Events have no time and no number of their own: the store adds both. Prompts and replies are
/// part of the conversation, where they are found by their attempt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, strum::IntoStaticStr)]
#[serde(tag = "event", rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
#[non_exhaustive]
pub enum Event {
    /// The run began, at its recipe's first step.
    Started {
        /// The recipe's id.
        recipe: String,
        /// Its graph; see [`Fingerprint`](crate::Fingerprint).
        fingerprint: String,
        /// The graph itself, for a run whose recipe changes later. Older runs do not have it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        graph: Option<Box<RecipeGraph>>,
        /// The first step.
        step: String,
        /// What the run was started with.
        #[serde(rename = "order")]
        spec: Box<RunSpec>,
    },
    /// The agent is about to be given a prompt.
    TurnBegan {
        /// This attempt.
        attempt: AttemptId,
        /// The step the run is at.
        step: String,
        /// What the prompt is for.
        purpose: Purpose,
    },
    /// The engine looked at the working directory, which is a git work tree.
    TreeSeen {
        /// The attempt that began or ended then.
        attempt: AttemptId,
        /// What it saw.
        tree: TreeState,
        /// When that was.
        #[serde(flatten)]
        moment: Moment,
    },
    /// The run changed files that it may not change.
    RulesBroken {
        /// The turn or the check that ended then.
        attempt: AttemptId,
        /// The files; a long list is truncated.
        violations: Vec<Violation>,
    },
    /// The agent was refused tools in a turn that has ended.
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
        /// How the reply was read.
        read: ReplyReading,
        /// How long it took.
        took: Duration,
        /// The cost as the agent's program stated it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cost_usd: Option<f64>,
        /// The version of that program, which determines what the figure means.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        version: Option<String>,
    },
    /// The engine is about to look for evidence, or to run commands.
    CheckBegan {
        /// The id of the check, as an attempt.
        check: AttemptId,
        /// The step the run is at.
        step: String,
        /// What it is about.
        subject: CheckSubject,
    },
    /// The check has ended.
    Checked {
        /// The check.
        check: AttemptId,
        /// The results, in order. Nothing is checked after the first failure.
        results: Vec<CheckResult>,
        /// How long it took.
        took: Duration,
    },
    /// The agent is asked again: its reply could not be read, the evidence was missing, or a
    /// command failed.
    #[serde(rename = "reasked")]
    #[strum(serialize = "reasked")]
    Retried {
        /// The step.
        step: String,
        /// 1-based index of the retry.
        number: u32,
        /// The maximum number of retries.
        of: u32,
        /// What was wrong.
        problem: String,
        /// The kind of that problem.
        #[serde(default, skip_serializing_if = "RetryCause::is_reply")]
        cause: RetryCause,
    },
    /// A visit used up a limit of its step, which leads elsewhere: a move or the end follows. The
    /// turn or the check in flight, if there is one, is cut short.
    LimitReached {
        /// The step.
        step: String,
        /// Which limit.
        limit: VisitLimit,
        /// Its value, and what was observed.
        exceeded: Box<Exceeded>,
        /// How long the turn took that was cut short.
        #[serde(default, skip_serializing_if = "Duration::is_zero")]
        took: Duration,
        /// What that turn cost, as far as the agent's program stated it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cost_usd: Option<f64>,
    },
    /// An outcome led from one step to the next.
    Moved {
        /// The step it left.
        from: String,
        /// The outcome, or [what stands for the limit](VisitLimit::words) that led there.
        outcome: String,
        /// The step it entered.
        to: String,
        /// 1-based index of the step in the run.
        number: u32,
        /// 1-based index of this visit among the visits of that step.
        visit: u32,
        /// The step that the outcome leads to, if the run went elsewhere because it had visited
        /// that one as often as it may.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        instead_of: Option<String>,
    },
    /// A client sent a prompt, and it is queued until the current turn has ended.
    PromptQueued {
        /// Its id.
        prompt: PromptId,
        /// Its text.
        text: String,
    },
    /// The run ended.
    Ended {
        /// How, and why.
        ending: Ending,
        /// How long the turn took that was cut short by the end of the run.
        #[serde(default, skip_serializing_if = "Duration::is_zero")]
        took: Duration,
        /// What that turn cost, as far as the agent's program stated it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cost_usd: Option<f64>,
        /// Whether that turn's prompt is queued again, because the agent may not have received it.
        #[serde(default, skip_serializing_if = "std::ops::Not::not", rename = "unheard")]
        redeliver: bool,
        /// The queued prompts that will not be delivered, because a person stopped the run.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        withdrawn: Vec<PromptId>,
        /// The limit that stopped it, if one did. Boxed because few endings have one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        exceeded: Option<Box<Exceeded>>,
    },
    /// The run was resumed after it had ended.
    Resumed {
        /// Who resumed it.
        by: ResumedBy,
        /// Its limits from now on.
        limits: Limits,
        /// How many visits of each step are allowed on top of the recipe's limit, in total.
        extra_visits: u32,
        /// How many steps are allowed on top of the recipe's total.
        extra_steps: u32,
        /// The tools that the agent is allowed in addition.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        allow_tools: Vec<Tool>,
        /// What the operator permits the run in addition.
        #[serde(default, skip_serializing_if = "Permits::is_empty")]
        permits: Permits,
        /// The prompts of its queue that were delivered outside of the run since it ended.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        #[serde(rename = "told")]
        delivered: Vec<PromptId>,
    },
    /// The worktree of the run is gone: it was merged or discarded.
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
            redeliver: false,
            withdrawn: Vec::new(),
            exceeded: None,
        }
    }

    /// Its name, as it is persisted.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.into()
    }

    /// The limits of the run from here on, if this event sets them.
    #[must_use]
    pub fn limits(&self) -> Option<Limits> {
        match self {
            Self::Started { spec, .. } => Some(spec.limits),
            Self::Resumed { limits, .. } => Some(*limits),
            Self::TurnBegan { .. }
            | Self::TreeSeen { .. }
            | Self::RulesBroken { .. }
            | Self::ToolsRefused { .. }
            | Self::Replied { .. }
            | Self::CheckBegan { .. }
            | Self::Checked { .. }
            | Self::Retried { .. }
            | Self::LimitReached { .. }
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
#[non_exhaustive]
pub enum Purpose {
    /// To work on the step.
    Step,
    /// To continue with the step after the run was stopped in the middle of it.
    Continue,
    /// To ask for an outcome after a reply without one.
    Remind {
        /// 1-based index among the visit's retries.
        number: u32,
        /// What was wrong with the reply.
        problem: String,
    },
    /// To ask for evidence that the engine did not find, although the agent's outcome requires it.
    Evidence {
        /// 1-based index among the visit's retries.
        number: u32,
        /// What the engine looked for, and what it found.
        problem: String,
    },
    /// To fix what a command found.
    Verify {
        /// 1-based index among the visit's retries after failed commands.
        number: u32,
        /// Which command failed, and the end of its output.
        problem: String,
    },
    /// To deliver a client's prompt. Its reply is never read as an outcome.
    #[serde(rename = "pass")]
    Deliver {
        /// The queued prompt.
        prompt: PromptId,
    },
}

/// Why the agent is asked again.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, strum::Display)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
#[non_exhaustive]
pub enum RetryCause {
    /// The agent's reply could not be read.
    #[default]
    Reply,
    /// The evidence for its outcome was not found.
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

/// How a reply was read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum ReplyReading {
    /// An outcome of the step.
    Outcome {
        /// Its name.
        outcome: String,
        /// The agent's description of it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        description: Option<String>,
        /// The findings it lists, if the outcome carries findings.
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
        /// The problem as text.
        problem: String,
    },
    /// No outcome was asked for.
    NotAsked,
}
