//! `resume_run`: the wish to go on with a run that has ended.

use super::limits::WantedLimits;
use crate::run::RunId;
use crate::wire::fields::{Fields, Refusal};

/// The wish to go on with a run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ResumeRun {
    /// The run.
    pub run_id: RunId,
    /// New limits.
    pub limits: WantedLimits,
    /// How many more visits of each step to allow.
    pub allow_visits: u32,
    /// How many more steps in all to allow.
    pub allow_steps: u32,
}

impl ResumeRun {
    pub(super) fn read(fields: &mut Fields) -> Result<Self, Refusal> {
        let run_id = fields.required_run("run_id")?;
        let mut resume = Self { run_id, limits: WantedLimits::default(), allow_visits: 0, allow_steps: 0 };
        if let Some(mut limits) = fields.inner("limits")? {
            resume.limits = WantedLimits::read(&mut limits)?;
            resume.allow_visits = limits.positive("allow_visits")?.unwrap_or(0);
            resume.allow_steps = limits.positive("allow_steps")?.unwrap_or(0);
        }
        Ok(resume)
    }
}
