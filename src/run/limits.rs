//! What one run may use up, and what it has used up so far.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::{Exit, ExitReason};

/// The limits of one run, beside its recipe's guardrails. A chain of runs shares them.
///
/// ```
/// use std::time::Duration;
/// use surefire::run::Limits;
///
/// let limits = Limits::default().time(Some(Duration::from_secs(2 * 60 * 60)));
/// assert_eq!(limits.max_retries, 3);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Limits {
    /// How long the agent may work in total.
    pub time: Option<Duration>,
    /// How many turns the agent may be given.
    pub max_ticks: Option<u32>,
    /// How much money the agent may spend, in US dollars.
    pub budget_usd: Option<f64>,
    /// How often the agent is asked again after an unreadable reply, per visit of a step.
    #[serde(rename = "reasks")]
    pub max_retries: u32,
    /// How long the verify commands of one visit of a step may take together, unless the recipe
    /// sets a limit.
    #[serde(default = "default_verify_time")]
    pub verify_time: Duration,
    /// How often the run may resume by itself after a reason where that can help; 0 for never.
    pub auto_resumes: u32,
}

setters!(Limits {
    time: Option<Duration>,
    max_ticks: Option<u32>,
    budget_usd: Option<f64>,
    max_retries: u32,
    verify_time: Duration,
    auto_resumes: u32,
});

impl Default for Limits {
    fn default() -> Self {
        Self {
            time: None,
            max_ticks: None,
            budget_usd: None,
            max_retries: 3,
            verify_time: default_verify_time(),
            auto_resumes: 3,
        }
    }
}

/// Also the limit of stored runs that are older than this field.
const fn default_verify_time() -> Duration {
    Duration::from_secs(30 * 60)
}

/// What a run, and the chain it belongs to, has used up.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Usage {
    /// The turns the agent was given.
    pub ticks: u32,
    /// How long the agent worked.
    pub time: Duration,
    /// What it cost: the sum of what each of its turns cost, as the agent's program states it.
    ///
    /// A turn that was stopped, or whose process was killed, may have cost more than was stated.
    pub cost_usd: f64,
}

impl Usage {
    /// Adds a turn. A negative or invalid cost is ignored.
    pub(super) fn add(&mut self, took: Duration, cost_usd: Option<f64>) {
        self.time = self.time.saturating_add(took);
        self.cost_usd += cost_usd.filter(|cost| cost.is_finite() && *cost > 0.0).unwrap_or(0.0);
    }
}

impl Limits {
    /// The exit of a run that may not begin another turn.
    pub(super) fn exceeded(&self, spent: &Usage) -> Option<Exit> {
        if let Some(limit) = self.time
            && spent.time >= limit
        {
            return Some(Exit::because(ExitReason::Timeout).with_limit(in_words(limit)));
        }
        if let Some(limit) = self.max_ticks
            && spent.ticks >= limit
        {
            return Some(Exit::because(ExitReason::MaxTicks).with_limit(limit.to_string()));
        }
        if let Some(limit) = self.budget_usd
            && spent.cost_usd >= limit
        {
            return Some(Exit::because(ExitReason::CostBudget).with_limit(format!("${limit:.2}")));
        }
        None
    }

    /// How much longer the agent may work.
    pub(super) fn time_left(&self, spent: &Usage) -> Option<Duration> {
        self.time.map(|limit| limit.saturating_sub(spent.time))
    }

    /// How much more it may spend.
    pub(super) fn budget_left(&self, spent: &Usage) -> Option<f64> {
        self.budget_usd.map(|limit| (limit - spent.cost_usd).max(0.0))
    }
}

/// A duration for people: `2 h`, `1 h 30 min`, `45 s`, `250 ms`.
pub(crate) fn in_words(duration: Duration) -> String {
    let (seconds, millis) = (duration.as_secs(), duration.subsec_millis());
    let parts = [
        (seconds / 3600, "h"),
        (seconds / 60 % 60, "min"),
        (seconds % 60, "s"),
        (millis.into(), "ms"),
    ];
    let shown: Vec<_> = parts
        .iter()
        .filter(|(n, _)| *n > 0)
        .take(2)
        .map(|(n, unit)| format!("{n} {unit}"))
        .collect();
    if shown.is_empty() { "0 s".to_owned() } else { shown.join(" ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_read_like_words() {
        let table = [
            (Duration::from_secs(2 * 60 * 60), "2 h"),
            (Duration::from_secs(90 * 60), "1 h 30 min"),
            (Duration::from_secs(45), "45 s"),
            (Duration::from_millis(250), "250 ms"),
            (Duration::ZERO, "0 s"),
        ];
        for (duration, words) in table {
            assert_eq!(in_words(duration), words);
        }
    }

    #[test]
    fn each_limit_has_its_reason() {
        let spent = Usage { ticks: 4, time: Duration::from_secs(60), cost_usd: 1.5 };
        let none = Limits::default();
        let table = [
            (Limits { time: Some(Duration::from_secs(60)), ..none }, Some(ExitReason::Timeout)),
            (Limits { time: Some(Duration::from_secs(61)), ..none }, None),
            (Limits { max_ticks: Some(4), ..none }, Some(ExitReason::MaxTicks)),
            (Limits { max_ticks: Some(5), ..none }, None),
            (Limits { budget_usd: Some(1.5), ..none }, Some(ExitReason::CostBudget)),
            (Limits { budget_usd: Some(1.51), ..none }, None),
            (none, None),
        ];
        for (limits, reason) in table {
            let exceeded = limits.exceeded(&spent);
            assert_eq!(exceeded.and_then(|exit| exit.reason()), reason, "{limits:?}");
        }
    }
}
