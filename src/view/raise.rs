//! How far to raise a limit that was hit.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::words::{count, dollars, took};
use crate::RunLimit;
use crate::run::{Limits, Usage};

/// How many more visits of each step to allow, and how many more steps.
const MORE_VISITS: u32 = 2;
const MORE_STEPS: u32 = 20;

/// The minimum of a raised limit.
const MIN_TIME: Duration = Duration::from_secs(60);
const MIN_TURNS: u32 = 2;
const MIN_BUDGET_CENTS: f64 = 100.0;

/// The limits to resume a run with; the others stay. On the wire they are the `limits` of
/// `resume_run`.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RaisedLimits {
    /// How many seconds the agent may work in total.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_s: Option<u64>,
    /// How many turns the agent may take in total.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_ticks: Option<u32>,
    /// How much money it may spend in total, in US dollars.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget_usd: Option<f64>,
    /// How many more visits of each step to allow.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allow_visits: Option<u32>,
    /// How many more steps to allow.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allow_steps: Option<u32>,
}

impl RaisedLimits {
    /// Raises one limit so that the run does not hit it again immediately, and describes what the
    /// new limit allows. It starts from the limit or the usage, whichever is higher: a turn may
    /// have used more than was left.
    pub(super) fn raise(limit: RunLimit, limits: &Limits, used: &Usage) -> (Self, String) {
        let none = Self::default();
        match limit {
            RunLimit::Visits => (
                Self { allow_visits: Some(MORE_VISITS), ..none },
                format!("{MORE_VISITS} more visits of each step"),
            ),
            RunLimit::Steps => {
                (Self { allow_steps: Some(MORE_STEPS), ..none }, format!("{MORE_STEPS} more steps"))
            }
            RunLimit::Time => {
                let doubled =
                    limits.time.unwrap_or_default().max(used.time).saturating_mul(2).max(MIN_TIME);
                let seconds = doubled.as_secs();
                let words = format!("{} in all", took(Duration::from_secs(seconds)));
                (Self { time_s: Some(seconds), ..none }, words)
            }
            RunLimit::Turns => {
                let doubled =
                    limits.max_ticks.unwrap_or(0).max(used.ticks).saturating_mul(2).max(MIN_TURNS);
                let words = format!("{} in all", count(doubled as usize, "turn"));
                (Self { max_ticks: Some(doubled), ..none }, words)
            }
            RunLimit::Budget => {
                let so_far = limits.budget_usd.unwrap_or(0.0).max(used.cost_usd);
                // In whole cents, as clients show it. A limit in whole cents stays exact.
                let cents = (so_far * 200.0 - 1e-6).ceil().max(MIN_BUDGET_CENTS);
                let budget = cents / 100.0;
                (Self { budget_usd: Some(budget), ..none }, format!("{} in all", dollars(budget)))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_raised_to_twice_itself_or_twice_the_usage() {
        let none = Limits::default();
        let used = Usage { ticks: 3, time: Duration::from_secs(50 * 60), cost_usd: 1.3 };
        let unused = Usage::default();
        let limit = Limits {
            time: Some(Duration::from_secs(90 * 60)),
            max_ticks: Some(4),
            budget_usd: Some(1.2),
            ..none
        };
        let table = [
            (RunLimit::Visits, limit, used, "2 more visits of each step", r#"{"allow_visits":2}"#),
            (RunLimit::Steps, limit, used, "20 more steps", r#"{"allow_steps":20}"#),
            (RunLimit::Time, limit, used, "3 h in all", r#"{"time_s":10800}"#),
            (RunLimit::Time, none, used, "1 h 40 min in all", r#"{"time_s":6000}"#),
            (RunLimit::Time, none, unused, "1 min in all", r#"{"time_s":60}"#),
            (RunLimit::Turns, limit, used, "8 turns in all", r#"{"max_ticks":8}"#),
            (RunLimit::Turns, none, used, "6 turns in all", r#"{"max_ticks":6}"#),
            (RunLimit::Turns, none, unused, "2 turns in all", r#"{"max_ticks":2}"#),
            (RunLimit::Budget, limit, unused, "$2.40 in all", r#"{"budget_usd":2.4}"#),
            (RunLimit::Budget, limit, used, "$2.60 in all", r#"{"budget_usd":2.6}"#),
            (RunLimit::Budget, none, unused, "$1.00 in all", r#"{"budget_usd":1.0}"#),
        ];
        for (which, limits, used, words, json) in table {
            let (raised, described) = RaisedLimits::raise(which, &limits, &used);
            assert_eq!(described, words);
            assert_eq!(serde_json::to_string(&raised).unwrap(), json);
            assert_eq!(serde_json::from_str::<RaisedLimits>(json).unwrap(), raised);
        }
    }
}
