//! The limits of a step: why a run left one, and whether one ended it.

use super::words::{dollars, took};
use crate::VisitLimit;
use crate::run::{Exceeded, Limits};

/// Why a run leaves a step by a limit of its own.
pub(super) fn left(step: &str, limit: VisitLimit, exceeded: Exceeded) -> String {
    let used = match exceeded {
        Exceeded::Time { observed, .. } => took(observed),
        Exceeded::Cost { observed, .. } => dollars(observed),
        Exceeded::Count { observed: 1, .. } => "1 retry".to_owned(),
        Exceeded::Count { observed, .. } => format!("{observed} retries"),
    };
    format!("left `{step}` after {used}: its {limit}")
}

/// Whether the budget that ended a run was a step's own, and not the run's.
pub(super) fn is_own_budget(exceeded: Option<&Exceeded>, limits: &Limits) -> bool {
    match exceeded {
        Some(Exceeded::Cost { limit, .. }) => limits.budget_usd != Some(*limit),
        Some(Exceeded::Time { .. } | Exceeded::Count { .. }) | None => false,
    }
}
