//! One run, driven by short calls.

use std::path::PathBuf;
use std::time::Duration;

use surefire::AnyRecipe;
use surefire::run::{
    Action, AttemptId, ChangedPrompts, Check, CheckKind, CheckResult, CheckVerdict, Decision,
    Event, Input, Limits, NewIds, Permits, Project, PromptId, Run, RunSpec, TurnFacts, TurnRequest,
    Usage,
};
use uuid::Uuid;

/// A run, its events, and the ids for its decisions, which are counted up so that tests are
/// deterministic.
pub(crate) struct OneRun {
    pub(crate) run: Run,
    pub(crate) events: Vec<Event>,
    pub(crate) action: Action,
    ids: u128,
}

impl OneRun {
    pub(crate) fn start(recipe: &'static dyn AnyRecipe, limits: Limits) -> Self {
        Self::spec(recipe, |spec| spec.limits = limits)
    }

    pub(crate) fn spec(recipe: &'static dyn AnyRecipe, change: impl FnOnce(&mut RunSpec)) -> Self {
        let mut spec = RunSpec {
            run: Uuid::from_u128(1).into(),
            session: Uuid::from_u128(2).into(),
            agent: "test".to_owned(),
            rehearsal: false,
            script: None,
            directory: PathBuf::from("/projects"),
            task: None,
            model: None,
            prompts: ChangedPrompts::default(),
            allow_tools: Vec::new(),
            permits: Permits::default(),
            project: Project::default(),
            worktree: None,
            limits: Limits::default(),
            spent: Usage::default(),
            restarts: 0,
            continues: None,
        };
        change(&mut spec);
        let mut ids = 100;
        let (run, Decision { events, action }) = Run::start(recipe, spec, fresh(&mut ids));
        Self { run, events, action, ids }
    }

    pub(crate) fn fresh(&mut self) -> NewIds {
        fresh(&mut self.ids)
    }

    /// The turn in flight.
    pub(crate) fn ask(&self) -> TurnRequest {
        match self.run.action() {
            Action::Ask(ask) => *ask,
            other => panic!("the run does not ask: {other:?}"),
        }
    }

    pub(crate) fn handle(&mut self, input: Input) -> &Action {
        let fresh = self.fresh();
        let Decision { events, action } = self.run.handle(input, fresh);
        self.events.extend(events);
        self.action = action;
        &self.action
    }

    /// The agent replies in the turn in flight.
    pub(crate) fn reply(&mut self, text: &str) -> &Action {
        let attempt = self.ask().attempt;
        self.handle(replied(attempt, text))
    }

    /// The agent reports an outcome, and the engine's check of it passes.
    pub(crate) fn report(&mut self, outcome: &str) -> &Action {
        self.reply(&format!("Done.\n{{\"outcome\": \"{outcome}\"}}"));
        match self.run.action() {
            Action::Check(_) => self.checked(CheckVerdict::Passed, "found"),
            Action::Ask(_) | Action::Wait | Action::End | Action::Restart(_) => &self.action,
        }
    }

    /// The check in progress.
    pub(crate) fn check(&self) -> Check {
        match self.run.action() {
            Action::Check(check) => *check,
            other => panic!("the run checks nothing: {other:?}"),
        }
    }

    /// The check ends with this verdict on its first piece of evidence or its first command.
    pub(crate) fn checked(&mut self, verdict: CheckVerdict, found: &str) -> &Action {
        let check = self.check();
        let evidence =
            check.evidence.first().map(|evidence| (CheckKind::Evidence, evidence.to_string()));
        let command = check.commands.first().map(|command| (check.purpose, command.to_string()));
        let (kind, name) = evidence.or(command).expect("the check has evidence or a command");
        let (found, took) = (found.to_owned(), Duration::from_secs(5));
        let results = vec![CheckResult { kind, name, verdict, found, took, rehearsed: false }];
        self.handle(Input::Checked { check: check.check, results, violations: Vec::new(), took })
    }

    pub(crate) fn prompted(&mut self, text: &str) -> PromptId {
        let prompt = PromptId::from(self.fresh().attempt.uuid());
        self.handle(Input::Prompted { prompt, text: text.to_owned() });
        prompt
    }

    /// The reason that it ended with; empty if it has not ended.
    pub(crate) fn reason(&self) -> &str {
        self.run.ending().map_or("", |ending| &ending.reason)
    }
}

pub(crate) fn replied(attempt: AttemptId, text: &str) -> Input {
    Input::Replied {
        attempt,
        text: text.to_owned(),
        facts: TurnFacts {
            took: Duration::from_secs(10),
            cost_usd: Some(0.25),
            ..TurnFacts::default()
        },
    }
}

fn fresh(ids: &mut u128) -> NewIds {
    *ids += 3;
    let id = |n| Uuid::from_u128(n);
    NewIds { attempt: id(*ids).into(), run: id(*ids + 1).into(), session: id(*ids + 2).into() }
}
