//! The outline as JSON: indices become names, so that the document is self-contained.

use serde::ser::{Serialize, SerializeStruct, Serializer};

use super::{CommandStep, Fingerprint, NextOutline, OutcomeOutline, Outline, StepOutline};
use crate::recipe::claim::{Claim, ClaimBasis, ClaimGoal};
use crate::recipe::command_line::CommandLine;
use crate::recipe::evidence::Evidence;
use crate::recipe::reason_info::ReasonInfo;
use crate::recipe::step_limits::{AfterLimit, StepLimits};
use crate::recipe::tool::Tool;

impl Serialize for Outline {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let steps: Vec<_> = self.steps.iter().map(|step| StepJson::new(self, step)).collect();
        let mut json = serializer.serialize_struct("Outline", 17)?;
        json.serialize_field("id", self.id)?;
        json.serialize_field("label", self.label)?;
        json.serialize_field("description", self.description)?;
        json.serialize_field("model", &self.model)?;
        json.serialize_field("initial", self.first_step().name)?;
        json.serialize_field("steps", &steps)?;
        json.serialize_field("guardrails", &self.guardrails)?;
        json.serialize_field("scope", self.scope)?;
        json.serialize_field("allow_lockfiles", &self.allow_lockfiles)?;
        json.serialize_field("needs", &self.needs)?;
        json.serialize_field("isolate", &self.isolate)?;
        json.serialize_field("max_steps", &self.max_steps)?;
        json.serialize_field("max_steps_is_exact", &self.max_steps_is_exact)?;
        json.serialize_field("heaviest_path", self.heaviest_path)?;
        json.serialize_field("never_trips", self.never_trips)?;
        let claims: Vec<_> = self.claims.iter().map(|claim| ClaimJson::new(self, claim)).collect();
        json.serialize_field("claims", &claims)?;
        json.serialize_field("fingerprint", &self.fingerprint)?;
        json.end()
    }
}

impl Serialize for Fingerprint {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[derive(serde::Serialize)]
struct StepJson {
    name: &'static str,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    was: &'static [&'static str],
    description: &'static str,
    model: Option<&'static str>,
    prompt: &'static str,
    tools: Option<&'static [Tool]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    run: Option<RunJson>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    verify: &'static [CommandLine],
    #[serde(skip_serializing_if = "Option::is_none")]
    limits: Option<LimitsJson>,
    outcomes: Vec<OutcomeJson>,
}

#[derive(serde::Serialize)]
struct RunJson {
    command: &'static CommandLine,
    #[serde(skip_serializing_if = "Option::is_none")]
    time_s: Option<u64>,
}

#[derive(serde::Serialize)]
struct LimitsJson {
    #[serde(skip_serializing_if = "Option::is_none")]
    max_visits: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    when_full: Option<NextJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    time_s: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    after_time: Option<NextJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    retries: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    after_retries: Option<NextJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    budget_usd: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    after_budget: Option<NextJson>,
}

#[derive(serde::Serialize)]
struct OutcomeJson {
    name: &'static str,
    #[serde(skip_serializing_if = "str::is_empty")]
    description: &'static str,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    was: &'static [&'static str],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    evidence: &'static [Evidence],
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    findings: bool,
    next: NextJson,
}

#[derive(serde::Serialize)]
#[serde(rename_all = "snake_case")]
enum NextJson {
    Step(&'static str),
    Exit(&'static ReasonInfo),
    Restart(&'static str),
}

#[derive(serde::Serialize)]
struct ClaimJson {
    /// The whole claim, for people.
    claim: String,
    goal: GoalJson,
    needs: Vec<ClaimedJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    since: Option<&'static str>,
    basis: ClaimBasis,
}

#[derive(serde::Serialize)]
#[serde(rename_all = "snake_case")]
enum GoalJson {
    Step(&'static str),
    Exit(&'static str),
    Restart(&'static str),
}

#[derive(serde::Serialize)]
struct ClaimedJson {
    step: &'static str,
    outcome: &'static str,
}

impl ClaimJson {
    fn new(outline: &Outline, claim: &Claim) -> Self {
        let goal = match claim.goal {
            ClaimGoal::Step(step) => GoalJson::Step(outline.steps[step].name),
            ClaimGoal::Exit(reason) => GoalJson::Exit(reason.definition().code),
            ClaimGoal::Restart(id) => GoalJson::Restart(id),
        };
        let needs = claim.needs.iter().map(|need| {
            let (step, outcome) = need.of(outline);
            ClaimedJson { step: step.name, outcome: outcome.name }
        });
        Self {
            claim: claim.in_words(outline),
            goal,
            needs: needs.collect(),
            since: claim.since.map(|step| outline.steps[step].name),
            basis: claim.basis(outline),
        }
    }
}

impl StepJson {
    fn new(outline: &Outline, step: &'static StepOutline) -> Self {
        let outcomes =
            step.outcomes.iter().map(|outcome| OutcomeJson::new(outline, outcome)).collect();
        let StepOutline {
            name,
            was,
            description,
            model,
            prompt,
            tools,
            command,
            verify,
            limits,
            ..
        } = *step;
        let limits = (!limits.is_empty()).then(|| LimitsJson::new(outline, limits));
        let run = command.map(|CommandStep { command, time }| RunJson {
            command,
            time_s: time.map(|time| time.as_secs()),
        });
        Self { name, was, description, model, prompt, tools, run, verify, limits, outcomes }
    }
}

impl LimitsJson {
    fn new(outline: &Outline, limits: StepLimits) -> Self {
        let StepLimits {
            max_visits,
            when_full,
            time,
            after_time,
            retries,
            after_retries,
            budget_usd,
            after_budget,
        } = limits;
        let next = |after: Option<AfterLimit>| {
            after.map(|after| match after {
                AfterLimit::Step(index) => NextJson::Step(outline.steps[index].name),
                AfterLimit::Exit(reason) => NextJson::Exit(reason.definition()),
            })
        };
        Self {
            max_visits,
            when_full: next(when_full),
            time_s: time.map(|time| time.as_secs()),
            after_time: next(after_time),
            retries,
            after_retries: next(after_retries),
            budget_usd,
            after_budget: next(after_budget),
        }
    }
}

impl OutcomeJson {
    fn new(outline: &Outline, outcome: &OutcomeOutline) -> Self {
        let next = match outcome.next {
            NextOutline::Step(index) => NextJson::Step(outline.steps[index].name),
            NextOutline::Exit(reason) => NextJson::Exit(reason.definition()),
            NextOutline::Restart { id, .. } => NextJson::Restart(id),
        };
        let OutcomeOutline { name, description, was, evidence, findings, .. } = *outcome;
        Self { name, description, was, evidence, findings, next }
    }
}
