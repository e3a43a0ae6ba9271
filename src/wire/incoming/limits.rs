//! `limits`: what a client lets a run use up.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::run::Limits;
use crate::wire::forms::seconds::maybe_seconds;
use crate::wire::forms::{amount, maybe_positive};

/// The limits that a client sets; the others stay as they are.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct WantedLimits {
    /// How long the agent may work in all.
    #[serde(
        rename = "time_s",
        default,
        with = "maybe_seconds",
        skip_serializing_if = "Option::is_none"
    )]
    pub time: Option<Duration>,
    /// How many turns it may take.
    #[serde(default, deserialize_with = "maybe_positive", skip_serializing_if = "Option::is_none")]
    pub max_ticks: Option<u32>,
    /// How much money it may spend, in US dollars.
    #[serde(default, deserialize_with = "amount", skip_serializing_if = "Option::is_none")]
    pub budget_usd: Option<f64>,
    /// How often the run may resume by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub auto_resumes: Option<u32>,
}

setters!(WantedLimits {
    time: Option<Duration>,
    max_ticks: Option<u32>,
    budget_usd: Option<f64>,
    auto_resumes: Option<u32>,
});

impl WantedLimits {
    /// Whether no limit is set.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// These limits, and the others for those that are not set.
    #[must_use]
    pub fn over(self, others: Limits) -> Limits {
        Limits {
            time: self.time.or(others.time),
            max_ticks: self.max_ticks.or(others.max_ticks),
            budget_usd: self.budget_usd.or(others.budget_usd),
            auto_resumes: self.auto_resumes.unwrap_or(others.auto_resumes),
            max_retries: others.max_retries,
            verify_time: others.verify_time,
        }
    }
}
