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
}

impl WantedLimits {
    pub(super) fn read(fields: &mut Fields) -> Result<Self, Refusal> {
        let time = fields.amount("time_s")?;
        let time = time.map(|seconds| {
            // So little that it is nothing would end the run before it begins.
            let time = Duration::try_from_secs_f64(seconds).ok().filter(|time| !time.is_zero());
            time.ok_or_else(|| fields.wrong("time_s", "a positive number"))
        });
        Ok(Self {
            time: time.transpose()?,
            max_ticks: fields.positive("max_ticks")?,
            budget_usd: fields.amount("budget_usd")?,
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
            ..others
        }
    }
}
