//! A run as it is shown: what the server serves, and every client renders.

use serde::{Deserialize, Serialize};

use super::detail::Detail;
use super::end_card::EndCard;
use super::next_action::NextAction;
use super::proof::Proof;
use super::status::Status;
use super::visit::Visit;
use super::workplace::Workplace;
use crate::run::{Limits, PromptId};

/// A run as it is shown. Times are in milliseconds since 1970.
///
/// Rows carry the event that last changed them, so a client that has a view reads only what [changed
/// since](Self::changed_since), and [merges](Self::merge) it into its own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunView {
    /// The last event that is in it.
    pub seq: u64,
    /// How the run stands.
    pub status: Status,
    /// When it began.
    pub started_at: u64,
    /// When anything last happened.
    pub changed_at: u64,
    /// What the run is about.
    pub task: Option<String>,
    /// The most steps that the run can take; `None` where limits were raised, or its recipe is not on offer.
    pub max_steps: Option<u32>,
    /// Whether more is allowed than the recipe's own limits.
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
    /// The prompts that the agent gets before the next step.
    pub queued: Vec<PromptId>,
    /// The prompts that the agent does not get, because the run was stopped.
    pub withdrawn: Vec<PromptId>,
    /// Where it works, and what holds there.
    #[serde(default, skip_serializing_if = "Workplace::is_usual")]
    pub workplace: Workplace,
    /// What it was seen to do, beside what its agent reported.
    #[serde(default)]
    pub proof: Proof,
    /// What else there is to know now, each to be shown as a line. A new one needs no change in any client.
    pub details: Vec<Detail>,
    /// How it ended, in words.
    pub end: Option<EndCard>,
    /// What can be done then, the most useful first.
    pub next: Vec<NextAction>,
}

/// An outcome that a run took.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Transition {
    /// Its event.
    pub seq: u64,
    /// The step that reported it.
    pub from: String,
    /// The outcome.
    pub outcome: String,
}

impl RunView {
    /// The current visit, or the last one.
    #[must_use]
    pub fn current(&self) -> Option<&Visit> {
        self.visits.last()
    }

    /// What is new since an event: rows that were changed by a later one, and everything that is not a row.
    #[must_use]
    pub fn changed_since(&self, seq: u64) -> Self {
        Self {
            visits: self.visits.iter().filter(|visit| visit.seq > seq).cloned().collect(),
            transitions: self.transitions.iter().filter(|taken| taken.seq > seq).cloned().collect(),
            ..self.clone()
        }
    }

    /// Takes in what changed since the last event of this view.
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
