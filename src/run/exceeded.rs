//! By how much a run exceeded a limit.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::limits::{Limits, Usage, in_words};
use crate::{Exit, ExitReason};

/// The limit that stopped a run, and what was observed: a recipe's guardrail, or a limit of the run
/// itself.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Exceeded {
    /// Visits of a step, steps, restarts or turns.
    Count {
        /// How many there may be.
        limit: u32,
        /// How many there were; for a guardrail, how many there would have been with the next step.
        observed: u32,
    },
    /// The agent's working time.
    Time {
        /// How long it may take.
        limit: Duration,
        /// How long it took.
        observed: Duration,
    },
    /// The agent's cost, in US dollars.
    Cost {
        /// How much it may be.
        limit: f64,
        /// How much it was.
        observed: f64,
    },
}

impl Exceeded {
    /// The exceeded limit that an exit reports, if it reports one.
    pub(super) fn of(exit: &Exit, limits: &Limits, spent: &Usage) -> Option<Self> {
        if let Some(tripped) = exit.tripped() {
            return Some(Self::Count { limit: tripped.limit, observed: tripped.observed });
        }
        let reason = exit.reason::<ExitReason>()?;
        if reason == ExitReason::Timeout {
            return Some(Self::Time { limit: limits.time?, observed: spent.time });
        }
        if reason == ExitReason::MaxTicks {
            return Some(Self::Count { limit: limits.max_ticks?, observed: spent.ticks });
        }
        if reason == ExitReason::CostBudget {
            return Some(Self::Cost { limit: limits.budget_usd?, observed: spent.cost_usd });
        }
        None
    }

    /// The limit and the observed value, as they follow "limit" in the brackets of a message.
    pub(crate) fn in_words(self) -> String {
        match self {
            Self::Count { limit, observed } => format!("{limit}, used {observed}"),
            Self::Time { limit, observed } => {
                format!("{}, took {}", in_words(limit), in_words(observed))
            }
            Self::Cost { limit, observed } => format!("${limit:.2}, spent ${observed:.2}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_limit_comes_with_what_was_observed() {
        let limits = Limits {
            time: Some(Duration::from_secs(60)),
            max_ticks: Some(4),
            budget_usd: Some(1.5),
            ..Limits::default()
        };
        let spent = Usage { ticks: 4, time: Duration::from_secs(61), cost_usd: 1.75 };
        let time =
            Exceeded::Time { limit: Duration::from_secs(60), observed: Duration::from_secs(61) };
        let table = [
            (ExitReason::Timeout, Some(time)),
            (ExitReason::MaxTicks, Some(Exceeded::Count { limit: 4, observed: 4 })),
            (ExitReason::CostBudget, Some(Exceeded::Cost { limit: 1.5, observed: 1.75 })),
            (ExitReason::TaskCommitted, None),
        ];
        for (reason, exceeded) in table {
            assert_eq!(
                Exceeded::of(&Exit::because(reason), &limits, &spent),
                exceeded,
                "{reason:?}"
            );
        }
        // A recipe may exit for such a reason although the run has no such limit.
        assert_eq!(
            Exceeded::of(&Exit::because(ExitReason::Timeout), &Limits::default(), &spent),
            None
        );
    }
}
