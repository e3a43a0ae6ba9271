//! One visit of a step.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// One visit of a step: a row of the timeline. Times are in milliseconds since 1970.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Visit {
    /// 1-based index of the step in the run. No other visit of the run has it.
    pub number: u32,
    /// The event that last changed this row.
    pub seq: u64,
    /// The step.
    pub step: String,
    /// When it was entered.
    pub began: u64,
    /// When it was left, or the run ended in it; `None` while it is the current one.
    pub ended: Option<u64>,
    /// How long the run had ended in it before it was resumed, in milliseconds.
    pub rested_ms: u64,
    /// The outcome that it was left with.
    pub outcome: Option<String>,
    /// How often the agent was asked again, because its reply could not be read.
    pub retries: u32,
    /// What else happened in it, in words and in order.
    pub remarks: Vec<String>,
}

impl Visit {
    /// How long it took, or has taken until `now`. The time between an end of the run and its resumption does not count.
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
        Duration::from_millis(until.saturating_sub(self.began).saturating_sub(self.rested_ms))
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
            rested_ms: 0,
            outcome: None,
            retries: 0,
            remarks: Vec::new(),
        }
    }

    /// It is left, or the run ends in it.
    pub(super) fn leave(&mut self, outcome: Option<&str>, at: u64) {
        // A paused run can be ended for good later, which is not its time either.
        self.ended.get_or_insert(at);
        self.outcome = outcome.map(str::to_owned);
    }

    /// The run is resumed in it.
    pub(super) fn resume(&mut self, at: u64) {
        let stopped = self.ended.take().unwrap_or(at);
        self.rested_ms += at.saturating_sub(stopped);
        self.outcome = None;
    }
}
