//! `limits`: what a run may use up, as a client wishes it.

use std::time::Duration;

use crate::run::Limits;
use crate::wire::fields::{Fields, Refusal};

/// The limits that a client names; what it does not name stays as it is.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct WantedLimits {
    /// How long the agent may work in all.
    pub time: Option<Duration>,
    /// How many turns it may be given.
    pub max_ticks: Option<u32>,
    /// How much money it may spend, in US dollars.
    pub budget_usd: Option<f64>,
    /// How often the run may go on by itself.
    pub auto_resumes: Option<u32>,
}

impl WantedLimits {
    pub(super) fn read(fields: &mut Fields) -> Result<Self, Refusal> {
        Ok(Self {
            time: fields.seconds("time_s")?,
            max_ticks: fields.positive("max_ticks")?,
            budget_usd: fields.amount("budget_usd")?,
            auto_resumes: fields.small_count("auto_resumes")?,
        })
    }

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
        }
    }
}
