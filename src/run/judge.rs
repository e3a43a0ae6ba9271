//! Whether an outcome may be followed: what the engine must check or run first, and what follows
//! from the results.

use std::time::Duration;

use super::check::{Check, CheckKind, CheckResult, CheckSubject, CheckVerdict};
use super::decide::{Cut, Run};
use super::decision::Action;
use super::ending::Ending;
use super::event::{Event, Purpose, RetryCause};
use super::exceeded::Exceeded;
use super::ids::NewIds;
use super::refused;
use super::rules;
use super::run_state::{Checking, Phase};
use crate::{
    CommandLine, Exit, ExitReason, Guardrails, NextOutline, OutcomeOutline, Violation, VisitLimit,
};

/// The outcomes of a command step, by the command's exit status.
const PASSED: &str = "passed";
const FAILED: &str = "failed";

impl Run {
    /// Follows an outcome that the agent reported, after checking its evidence; ends the run if
    /// the outcome shows a review loop.
    pub(super) fn judge(
        &mut self,
        events: &mut Vec<Event>,
        outcome: &'static str,
        description: Option<String>,
        fresh: NewIds,
    ) -> Action {
        let max_rounds = self.recipe.outline().guardrails.max_review_rounds;
        if let Some(exit) =
            self.state.reviews.stuck(max_rounds.unwrap_or(Guardrails::DEFAULT_REVIEW_ROUNDS))
        {
            let led_here = |ending: &mut Ending| ending.outcome = Some(outcome.to_owned());
            return self.end(events, &exit, led_here, Cut::default());
        }
        let needs_check =
            self.outcome(outcome).is_some_and(|it| !it.evidence.is_empty() || self.is_verified(it));
        if !needs_check {
            return self.take(events, outcome, description, fresh);
        }
        let subject = CheckSubject::Outcome { outcome: outcome.to_owned(), description };
        self.begin_check(events, subject, fresh)
    }

    pub(super) fn begin_check(
        &mut self,
        events: &mut Vec<Event>,
        subject: CheckSubject,
        fresh: NewIds,
    ) -> Action {
        let (check, step) = (fresh.attempt, self.step().name.to_owned());
        self.record(events, Event::CheckBegan { check, step, subject });
        self.action()
    }

    /// The check to carry out. The result depends on the state only, so a replay repeats it.
    pub(super) fn check(&self, checking: &Checking) -> Check {
        let (state, step) = (&self.state, self.step());
        let mut check = Check {
            check: checking.check,
            step: step.name,
            number: self.position.steps(),
            evidence: &[],
            commands: Vec::new(),
            purpose: CheckKind::Run,
            time: None,
            time_left: self.time_left(),
            worktree: None,
            baseline: state.baseline.clone(),
            rules: self.file_rules(),
            failed_before: state.failed_checks,
        };
        match &checking.subject {
            CheckSubject::Command => {
                check.commands = step.command.iter().map(|it| it.command.clone()).collect();
                check.time = step.command.and_then(|command| command.time);
            }
            CheckSubject::Worktree => {
                check.purpose = CheckKind::Setup;
                check.worktree.clone_from(&state.spec.worktree);
                check.commands.clone_from(&state.spec.project.setup);
            }
            CheckSubject::Outcome { outcome, .. } => {
                let outcome = self.outcome(outcome);
                check.purpose = CheckKind::Verify;
                check.evidence = outcome.map_or(&[], |outcome| outcome.evidence);
                check.commands = outcome.map(|it| self.verify_commands(it)).unwrap_or_default();
                check.time = Some(self.verify_time().saturating_sub(state.visit.verify_time));
            }
        }
        check
    }

    /// Decides on the results of a check.
    pub(super) fn checked(
        &mut self,
        events: &mut Vec<Event>,
        results: &[CheckResult],
        violations: Vec<Violation>,
        took: Duration,
        fresh: NewIds,
    ) -> Action {
        let Phase::Checking(Checking { check, subject }) = self.state.phase.clone() else {
            return Action::Wait;
        };
        let broken = rules::exit(&violations);
        if broken.is_some() {
            self.record(events, Event::RulesBroken { attempt: check, violations });
        }
        self.record(events, Event::Checked { check, results: results.to_vec(), took });
        if let Some(exit) = broken {
            return self.end(events, &exit, |_| (), Cut::default());
        }
        let bad = results.iter().find(|result| !result.passed());
        match (subject, bad) {
            (CheckSubject::Worktree, None) => self.next_turn(events, fresh),
            (CheckSubject::Worktree, Some(bad)) => self.not_prepared(events, bad, fresh),
            (CheckSubject::Command, None) => self.take(events, PASSED, None, fresh),
            (
                CheckSubject::Command,
                Some(CheckResult { verdict: CheckVerdict::Failed { .. }, .. }),
            ) => self.take(events, FAILED, None, fresh),
            (
                CheckSubject::Command,
                Some(CheckResult { verdict: CheckVerdict::TimedOut { limit }, .. }),
            ) if self.step().limits.after_time.is_some() => {
                let exceeded = Exceeded::Time { limit: *limit, observed: took };
                self.leave(events, VisitLimit::Time, exceeded, Cut::default(), fresh)
            }
            (CheckSubject::Outcome { outcome, description }, None) => {
                self.take(events, &outcome, description, fresh)
            }
            (_, Some(bad)) => self.check_failed(events, bad, fresh),
        }
    }

    /// No agent can fix a worktree that could not be created or set up.
    fn not_prepared(
        &mut self,
        events: &mut Vec<Event>,
        bad: &CheckResult,
        fresh: NewIds,
    ) -> Action {
        let reason = match (&bad.verdict, bad.kind) {
            (CheckVerdict::TimedOut { .. } | CheckVerdict::Unknown, _) => {
                return self.check_failed(events, bad, fresh);
            }
            (_, CheckKind::Worktree) => ExitReason::Error,
            (_, CheckKind::Setup | CheckKind::Evidence | CheckKind::Verify | CheckKind::Run) => {
                ExitReason::VerificationFailed
            }
        };
        let exit = Exit::because(reason).describe(bad.problem());
        self.end(events, &exit, |_| (), Cut::default())
    }

    /// Asks the agent again if it can fix the problem; otherwise ends the run.
    fn check_failed(
        &mut self,
        events: &mut Vec<Event>,
        bad: &CheckResult,
        fresh: NewIds,
    ) -> Action {
        let problem = bad.problem();
        let reason = match (&bad.verdict, bad.kind) {
            (CheckVerdict::Failed { .. }, CheckKind::Evidence) => {
                return self.missing_evidence(events, problem, fresh);
            }
            (
                CheckVerdict::Failed { .. },
                CheckKind::Verify | CheckKind::Run | CheckKind::Worktree | CheckKind::Setup,
            ) => return self.verify_failed(events, problem, fresh),
            (CheckVerdict::TimedOut { .. }, _) => ExitReason::VerificationTimeout,
            (CheckVerdict::Unknown, _) => {
                let words = format!("{problem}; when the run is resumed, it runs again");
                let exit = Exit::because(ExitReason::Interrupted).describe(words);
                // The command may have stopped halfway, so a person decides whether it runs again.
                return self.end(
                    events,
                    &exit,
                    |ending| ending.auto_resumable = false,
                    Cut::default(),
                );
            }
            (CheckVerdict::Impossible | CheckVerdict::Passed, _) => ExitReason::VerificationFailed,
        };
        let exit = Exit::because(reason).describe(problem);
        self.end(events, &exit, |_| (), Cut::default())
    }

    /// Bad replies and missing evidence share a visit's retries, and the last cause decides how the
    /// run ends.
    fn missing_evidence(
        &mut self,
        events: &mut Vec<Event>,
        problem: String,
        fresh: NewIds,
    ) -> Action {
        let (number, of) = self.next_retry(self.state.visit.retries);
        if number <= of {
            self.ask_again(events, RetryCause::Evidence, (number, of), problem.clone());
            return self.begin_turn(events, Purpose::Evidence { number, problem }, fresh);
        }
        if let Some(action) = self.out_of_retries(events, fresh) {
            return action;
        }
        let refused = &self.state.visit.refused;
        let exit = if refused.is_empty() {
            Exit::because(ExitReason::VerificationFailed).describe(problem)
        } else {
            let words = format!("{problem}; {}", refused::in_words(refused));
            Exit::because(ExitReason::PermissionDenied).describe(words)
        };
        self.end(events, &exit, |_| (), Cut::default())
    }

    /// Commands that fail after a step have retries of their own.
    fn verify_failed(&mut self, events: &mut Vec<Event>, problem: String, fresh: NewIds) -> Action {
        let (number, of) = self.next_retry(self.state.visit.verify_retries);
        if number <= of {
            self.ask_again(events, RetryCause::Verify, (number, of), problem.clone());
            return self.begin_turn(events, Purpose::Verify { number, problem }, fresh);
        }
        if let Some(action) = self.out_of_retries(events, fresh) {
            return action;
        }
        let exit = Exit::because(ExitReason::VerificationFailed).describe(problem);
        self.end(events, &exit, |_| (), Cut::default())
    }

    pub(super) fn ask_again(
        &mut self,
        events: &mut Vec<Event>,
        cause: RetryCause,
        (number, of): (u32, u32),
        problem: String,
    ) {
        let step = self.step().name.to_owned();
        self.record(events, Event::Retried { step, number, of, problem, cause });
    }

    pub(super) fn outcome(&self, name: &str) -> Option<&'static OutcomeOutline> {
        self.step().outcomes.iter().find(|outcome| outcome.name == name)
    }

    fn is_verified(&self, outcome: &OutcomeOutline) -> bool {
        !self.verify_commands(outcome).is_empty()
    }

    /// The commands that must succeed before an outcome leads to a step or a restart. An exit only
    /// requires its evidence.
    fn verify_commands(&self, outcome: &OutcomeOutline) -> Vec<CommandLine> {
        match outcome.next {
            NextOutline::Step(_) | NextOutline::Restart { .. } => {
                let mut commands = self.step().verify.to_vec();
                let of_project =
                    self.state.spec.project.verify.iter().filter(|_| self.project_verifies());
                for command in of_project {
                    if !commands.contains(command) {
                        commands.push(command.clone());
                    }
                }
                commands
            }
            NextOutline::Exit(_) => Vec::new(),
        }
    }

    /// Whether the project's own commands run after the current step. They run where the recipe
    /// verifies or, if no step of the recipe does, where files may be edited.
    fn project_verifies(&self) -> bool {
        let verifies_nowhere =
            || self.recipe.outline().steps.iter().all(|step| step.verify.is_empty());
        !self.step().verify.is_empty() || (self.may_edit() && verifies_nowhere())
    }

    /// How long the verify commands of one visit may take together: the recipe's limit, or else
    /// the project's, or else the server's.
    fn verify_time(&self) -> Duration {
        let of_recipe = self.recipe.outline().guardrails.max_verify_time_per_milestone;
        let of_project = self.state.spec.project.max_verify_time;
        of_recipe.or(of_project).unwrap_or(self.state.limits.verify_time)
    }
}
