//! `resume_run`: resumes a run that has ended.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::limits::WantedLimits;
use crate::Tool;
use crate::run::RunId;
use crate::wire::forms::seconds::maybe_seconds;
use crate::wire::forms::{amount, maybe_positive, or_default, run_id};

/// Resumes a run that has ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(from = "ResumeFields", into = "ResumeFields")]
#[non_exhaustive]
pub struct ResumeRun {
    /// The run.
    pub run_id: RunId,
    /// New limits.
    pub limits: WantedLimits,
    /// How many more visits of each step to allow.
    pub allow_visits: u32,
    /// How many more steps in all to allow.
    pub allow_steps: u32,
    /// Tools that the agent is allowed in addition. Only the user of the server's machine may set
    /// this field and those below, as in [`StartRecipe`](super::StartRecipe).
    pub allow_tools: Vec<Tool>,
    /// Whether the run may change the lockfiles of package managers from now on.
    pub allow_deps: bool,
    /// Whether the run may work in a work tree that another run works in, from now on.
    pub force_parallel: bool,
}

setters!(ResumeRun {
    limits: WantedLimits,
    allow_visits: u32,
    allow_steps: u32,
    allow_tools: Vec<Tool>,
    allow_deps: bool,
    force_parallel: bool,
});

impl ResumeRun {
    /// Resumes this run with its limits and permissions unchanged.
    #[must_use]
    pub fn new(run_id: RunId) -> Self {
        ResumeFields {
            run_id,
            allow_tools: Vec::new(),
            allow_deps: false,
            force_parallel: false,
            limits: RaisedLimits::default(),
        }
        .into()
    }
}

/// The fields on the wire, where all limits are in one object.
#[derive(Serialize, Deserialize)]
struct ResumeFields {
    #[serde(deserialize_with = "run_id")]
    run_id: RunId,
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "Vec::is_empty")]
    allow_tools: Vec<Tool>,
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "std::ops::Not::not")]
    allow_deps: bool,
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "std::ops::Not::not")]
    force_parallel: bool,
    #[serde(
        default,
        deserialize_with = "or_default",
        skip_serializing_if = "RaisedLimits::is_empty"
    )]
    limits: RaisedLimits,
}

#[derive(PartialEq, Default, Serialize, Deserialize)]
struct RaisedLimits {
    #[serde(
        rename = "time_s",
        default,
        with = "maybe_seconds",
        skip_serializing_if = "Option::is_none"
    )]
    time: Option<Duration>,
    #[serde(default, deserialize_with = "maybe_positive", skip_serializing_if = "Option::is_none")]
    max_ticks: Option<u32>,
    #[serde(default, deserialize_with = "amount", skip_serializing_if = "Option::is_none")]
    budget_usd: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    auto_resumes: Option<u32>,
    #[serde(default, deserialize_with = "maybe_positive", skip_serializing_if = "Option::is_none")]
    allow_visits: Option<u32>,
    #[serde(default, deserialize_with = "maybe_positive", skip_serializing_if = "Option::is_none")]
    allow_steps: Option<u32>,
}

impl RaisedLimits {
    fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl From<ResumeFields> for ResumeRun {
    fn from(fields: ResumeFields) -> Self {
        let ResumeFields { run_id, allow_tools, allow_deps, force_parallel, limits } = fields;
        let RaisedLimits { time, max_ticks, budget_usd, auto_resumes, allow_visits, allow_steps } =
            limits;
        Self {
            run_id,
            limits: WantedLimits { time, max_ticks, budget_usd, auto_resumes },
            allow_visits: allow_visits.unwrap_or(0),
            allow_steps: allow_steps.unwrap_or(0),
            allow_tools,
            allow_deps,
            force_parallel,
        }
    }
}

impl From<ResumeRun> for ResumeFields {
    fn from(resume: ResumeRun) -> Self {
        let WantedLimits { time, max_ticks, budget_usd, auto_resumes } = resume.limits;
        let more = |number: u32| Some(number).filter(|number| *number > 0);
        let (allow_visits, allow_steps) = (more(resume.allow_visits), more(resume.allow_steps));
        let limits =
            RaisedLimits { time, max_ticks, budget_usd, auto_resumes, allow_visits, allow_steps };
        let ResumeRun { run_id, allow_tools, allow_deps, force_parallel, .. } = resume;
        Self { run_id, allow_tools, allow_deps, force_parallel, limits }
    }
}
