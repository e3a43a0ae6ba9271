//! `limits`: what a run may use up, as a client wants it.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::run::Limits;
use crate::wire::forms::seconds::maybe_seconds;
use crate::wire::forms::{amount, maybe_positive};

/// The limits that a client names; what it does not name stays as it is.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct WantedLimits {
    /// How long the agent may work in all.
    #[serde(rename = "time_s", default, with = "maybe_seconds", skip_serializing_if = "Option::is_none")]
    pub time: Option<Duration>,
    /// How many turns it may be given.
    #[serde(default, deserialize_with = "maybe_positive", skip_serializing_if = "Option::is_none")]
    pub max_ticks: Option<u32>,
    /// How much money it may spend, in US dollars.
    #[serde(default, deserialize_with = "amount", skip_serializing_if = "Option::is_none")]
    pub budget_usd: Option<f64>,
    /// How often the run may resume by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub auto_resumes: Option<u32>,
}

impl WantedLimits {
    /// Whether nothing is named.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// These limits where they are named, and the others where not.
    #[must_use]
    pub fn over(self, others: Limits) -> Limits {
        Limits {
            time: self.time.or(others.time),
            max_ticks: self.max_ticks.or(others.max_ticks),
            budget_usd: self.budget_usd.or(others.budget_usd),
            auto_resumes: self.auto_resumes.unwrap_or(others.auto_resumes),
            reasks: others.reasks,
            verify_time: others.verify_time,
        }
    }
}
