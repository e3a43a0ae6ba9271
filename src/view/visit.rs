//! One visit of a step.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// One visit of a step: a row of the timeline. Times are in milliseconds since 1970.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Visit {
    /// 1-based index of the step in the run. No other visit of the run has it.
    pub number: u32,
    /// The event that last changed this row.
    pub seq: u64,
    /// The step.
    pub step: String,
    /// When the step was entered.
    pub began: u64,
    /// When the step was left, or when the run ended in it; `None` while it is the current step.
    pub ended: Option<u64>,
    /// How long the run was stopped during this visit before it was resumed, in milliseconds.
    #[serde(rename = "rested_ms")]
    pub paused_ms: u64,
    /// The outcome that led out of the step.
    pub outcome: Option<String>,
    /// How often the agent was asked again: because of its reply, missing evidence or a failed
    /// command.
    pub retries: u32,
    /// Remarks on what else happened during this visit, in order.
    pub remarks: Vec<String>,
}

impl Visit {
    /// How long the visit took, or has taken until `now`. The time between an end of the run and
    /// its resumption does not count.
    ///
    /// ```
    /// use std::time::Duration;
    /// use surefire::view::Visit;
    ///
    /// let mut visit = Visit::enter(1, "implement", 5_000, 1);
    /// assert_eq!(visit.took(7_000), Duration::from_secs(2));
    /// visit.ended = Some(6_000);
    /// assert_eq!(visit.took(7_000), Duration::from_secs(1));
    /// ```
    #[must_use]
    pub fn took(&self, now: u64) -> Duration {
        let until = self.ended.unwrap_or(now);
        Duration::from_millis(until.saturating_sub(self.began).saturating_sub(self.paused_ms))
    }

    /// The visit that begins with this event.
    #[must_use]
    pub fn enter(number: u32, step: &str, at: u64, seq: u64) -> Self {
        Self {
            number,
            seq,
            step: step.to_owned(),
            began: at,
            ended: None,
            paused_ms: 0,
            outcome: None,
            retries: 0,
            remarks: Vec::new(),
        }
    }

    /// Marks the visit as left, or as the one in which the run ended.
    pub(super) fn leave(&mut self, outcome: Option<&str>, at: u64) {
        // A paused run can be ended for good later; the pause does not count either.
        self.ended.get_or_insert(at);
        self.outcome = outcome.map(str::to_owned);
    }

    /// Marks the run as resumed in this visit.
    pub(super) fn resume(&mut self, at: u64) {
        let stopped = self.ended.take().unwrap_or(at);
        self.paused_ms += at.saturating_sub(stopped);
        self.outcome = None;
    }
}
