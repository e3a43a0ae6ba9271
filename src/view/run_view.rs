//! A run as clients show it: the server serves this, and every client renders it.

use serde::{Deserialize, Serialize};

use super::detail::Detail;
use super::end_card::EndCard;
use super::next_action::NextAction;
use super::proof::Proof;
use super::status::Status;
use super::visit::Visit;
use super::workplace::Workplace;
use crate::run::{Limits, PromptId};

/// A run as clients show it. Times are in milliseconds since 1970.
///
/// Rows carry the event that last changed them, so a client that has a view reads only what
/// [changed since](Self::changed_since), and [merges](Self::merge) it into its own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RunView {
    /// The number of the last event that it includes.
    pub seq: u64,
    /// The run's status.
    pub status: Status,
    /// When it began.
    pub started_at: u64,
    /// When the last event happened.
    pub changed_at: u64,
    /// The run's task.
    pub task: Option<String>,
    /// The most steps that the run can take; `None` if limits were raised, or its recipe is not in
    /// the catalog.
    pub max_steps: Option<u32>,
    /// Whether a resume raised the recipe's own limits.
    pub raised: bool,
    /// What it may use up.
    pub limits: Limits,
    /// How many turns the agent was given.
    pub turns: u32,
    /// What the agent has cost so far: an estimate.
    pub cost_usd: f64,
    /// Its visits of steps, in order.
    pub visits: Vec<Visit>,
    /// The outcomes that it took, in order.
    pub transitions: Vec<Transition>,
    /// The prompts that are queued until the next step.
    pub queued: Vec<PromptId>,
    /// The prompts that were not delivered because the run was stopped.
    pub withdrawn: Vec<PromptId>,
    /// Where the run works, and the rules there.
    #[serde(default, skip_serializing_if = "Workplace::is_default")]
    pub workplace: Workplace,
    /// What the engine saw the run do, independent of the agent's reports.
    #[serde(default)]
    pub proof: Proof,
    /// Further facts, each shown as a line. A new one needs no change in any client.
    pub details: Vec<Detail>,
    /// How the run ended; `None` while it has not.
    pub end: Option<EndCard>,
    /// What can be done after the end, the most useful first.
    pub next: Vec<NextAction>,
}

/// An outcome that a run took.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Transition {
    /// Its event.
    pub seq: u64,
    /// The step that reported it.
    pub from: String,
    /// The outcome.
    pub outcome: String,
    /// The step that the run entered, if it is not the one that the outcome leads to, because the
    /// run had visited that one as often as it may.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detour: Option<String>,
}

impl RunView {
    /// The current visit, or the last one.
    #[must_use]
    pub fn current(&self) -> Option<&Visit> {
        self.visits.last()
    }

    /// What has changed since an event: the rows that a later event changed, and everything that is
    /// not a row.
    #[must_use]
    pub fn changed_since(&self, seq: u64) -> Self {
        Self {
            visits: self.visits.iter().filter(|visit| visit.seq > seq).cloned().collect(),
            transitions: self.transitions.iter().filter(|taken| taken.seq > seq).cloned().collect(),
            ..self.clone()
        }
    }

    /// Merges what changed since the last event of this view.
    pub fn merge(&mut self, changed: Self) {
        let mut visits = std::mem::take(&mut self.visits);
        for visit in changed.visits {
            match visits.iter_mut().find(|known| known.number == visit.number) {
                Some(known) => *known = visit,
                None => visits.push(visit),
            }
        }
        let mut transitions = std::mem::take(&mut self.transitions);
        transitions.extend(changed.transitions.into_iter().filter(|taken| taken.seq > self.seq));
        *self = Self { visits, transitions, ..changed };
    }
}
