//! How generated code builds the static data of a recipe.
//!
//! The structs can get more fields without breaking anyone, because no code outside names all of
//! them: they are `#[non_exhaustive]`, and the macros call these hidden functions.

use std::borrow::Cow;
use std::time::Duration;

use super::claim::{Claim, ClaimGoal, ClaimedOutcome};
use super::command_line::CommandLine;
use super::erased::{
    CommandStep, Fingerprint, NextOutline, OutcomeOutline, Outline, PathPart, StepOutline,
};
use super::evidence::Evidence;
use super::file_rules::{FileScope, Needs};
use super::guardrail::{Guardrail, Guardrails};
use super::reason_info::{Category, Family, ReasonInfo};
use super::run_remedy::RunRemedy;
use super::step_limits::{AfterLimit, StepLimits};
use super::tool::Tool;

#[doc(hidden)]
impl Outline {
    #[must_use]
    pub const fn generated(
        id: &'static str,
        label: &'static str,
        description: &'static str,
        model: Option<&'static str>,
        initial: usize,
        steps: &'static [StepOutline],
        guardrails: Guardrails,
    ) -> Self {
        Self {
            id,
            label,
            description,
            model,
            initial,
            steps,
            guardrails,
            scope: &FileScope::EVERYTHING,
            allow_lockfiles: false,
            needs: Needs { clean_tree: false, task: false },
            isolate: false,
            max_steps: 0,
            max_steps_is_exact: false,
            heaviest_path: &[],
            never_trips: &[],
            claims: &[],
            fingerprint: Fingerprint(0),
            former_fingerprint: Fingerprint(0),
        }
    }

    #[must_use]
    pub const fn with_files(
        mut self,
        scope: &'static FileScope,
        allow_lockfiles: bool,
        needs: Needs,
        isolate: bool,
    ) -> Self {
        self.scope = scope;
        self.allow_lockfiles = allow_lockfiles;
        self.needs = needs;
        self.isolate = isolate;
        self
    }

    #[must_use]
    pub const fn with_proof(
        mut self,
        max_steps: u32,
        is_exact: bool,
        heaviest_path: &'static [PathPart],
        never_trips: &'static [Guardrail],
        claims: &'static [Claim],
    ) -> Self {
        self.max_steps = max_steps;
        self.max_steps_is_exact = is_exact;
        self.heaviest_path = heaviest_path;
        self.never_trips = never_trips;
        self.claims = claims;
        self
    }

    #[must_use]
    pub const fn with_fingerprints(mut self, today: u64, former: u64) -> Self {
        self.fingerprint = Fingerprint(today);
        self.former_fingerprint = Fingerprint(former);
        self
    }
}

#[doc(hidden)]
impl StepOutline {
    #[must_use]
    pub const fn generated(
        name: &'static str,
        was: &'static [&'static str],
        description: &'static str,
        model: Option<&'static str>,
        prompt: &'static str,
        outcomes: &'static [OutcomeOutline],
    ) -> Self {
        let limits = StepLimits::NONE;
        let (tools, command, verify) = (None, None, &[]);
        Self { name, was, description, model, prompt, tools, command, verify, limits, outcomes }
    }

    #[must_use]
    pub const fn with_gates(
        mut self,
        tools: Option<&'static [Tool]>,
        command: Option<CommandStep>,
        verify: &'static [CommandLine],
        limits: StepLimits,
    ) -> Self {
        self.tools = tools;
        self.command = command;
        self.verify = verify;
        self.limits = limits;
        self
    }
}

#[doc(hidden)]
impl OutcomeOutline {
    #[must_use]
    pub const fn generated(
        name: &'static str,
        description: &'static str,
        was: &'static [&'static str],
        evidence: &'static [Evidence],
        findings: bool,
        next: NextOutline,
    ) -> Self {
        Self { name, description, was, evidence, findings, next }
    }
}

#[doc(hidden)]
impl CommandStep {
    #[must_use]
    pub const fn generated(command: &'static CommandLine, time: Option<Duration>) -> Self {
        Self { command, time }
    }
}

#[doc(hidden)]
impl StepLimits {
    #[must_use]
    pub const fn generated(
        (max_visits, when_full): (Option<u32>, Option<AfterLimit>),
        (time, after_time): (Option<Duration>, Option<AfterLimit>),
        (retries, after_retries): (Option<u32>, Option<AfterLimit>),
        (budget_usd, after_budget): (Option<f64>, Option<AfterLimit>),
    ) -> Self {
        Self {
            max_visits,
            when_full,
            time,
            after_time,
            retries,
            after_retries,
            budget_usd,
            after_budget,
        }
    }
}

#[doc(hidden)]
impl Guardrails {
    #[must_use]
    pub const fn generated(
        max_step_visits: Option<u32>,
        max_total_steps: Option<u32>,
        max_restarts: Option<u32>,
        max_verify_time_per_milestone: Option<Duration>,
        max_review_rounds: Option<u32>,
        exit_on_other: bool,
    ) -> Self {
        Self {
            max_step_visits,
            max_total_steps,
            max_restarts,
            max_verify_time_per_milestone,
            max_review_rounds,
            exit_on_other,
            raised_visits: 0,
        }
    }
}

#[doc(hidden)]
impl FileScope {
    #[must_use]
    pub const fn generated(
        allow: &'static [Cow<'static, str>],
        deny: &'static [Cow<'static, str>],
    ) -> Self {
        Self { allow: Cow::Borrowed(allow), deny: Cow::Borrowed(deny) }
    }
}

#[doc(hidden)]
impl Needs {
    #[must_use]
    pub const fn generated(clean_tree: bool, task: bool) -> Self {
        Self { clean_tree, task }
    }
}

#[doc(hidden)]
impl Claim {
    #[must_use]
    pub const fn generated(
        goal: ClaimGoal,
        needs: &'static [ClaimedOutcome],
        since: Option<usize>,
    ) -> Self {
        Self { goal, needs, since }
    }
}

#[doc(hidden)]
impl ReasonInfo {
    #[must_use]
    pub const fn generated(
        code: &'static str,
        category: Category,
        family: Option<Family>,
        exit_code: u8,
        remedy: RunRemedy,
        auto_resumable: bool,
        goal_met: bool,
    ) -> Self {
        let (message, title, diagnosis, hint) = ("", "", "", "");
        Self {
            code,
            category,
            message,
            title,
            family,
            exit_code,
            diagnosis,
            hint,
            remedy,
            auto_resumable,
            goal_met,
        }
    }

    #[must_use]
    pub const fn with_words(
        mut self,
        message: &'static str,
        title: &'static str,
        diagnosis: &'static str,
        hint: &'static str,
    ) -> Self {
        self.message = message;
        self.title = title;
        self.diagnosis = diagnosis;
        self.hint = hint;
        self
    }
}

/// The outcomes of one step, among those of all steps.
#[must_use]
pub const fn outcomes(
    all: &'static [OutcomeOutline],
    first: usize,
    count: usize,
) -> &'static [OutcomeOutline] {
    all.split_at(first).1.split_at(count).0
}
