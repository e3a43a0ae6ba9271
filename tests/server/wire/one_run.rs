//! One real run, and the messages that clients get about it.

use std::time::Duration;

use surefire::run::{
    Action, ChangedPrompts, Check, CheckKind, CheckResult, CheckVerdict, Decision, Event, Input,
    Limits, NewIds, PendingPrompts, Permits, Project, PromptId, Resume, Run, RunId, RunSpec,
    SessionId, Successor, TurnFacts, TurnRequest, Usage,
};
use surefire::wire::{RunBroadcast, ServerMessage};
use surefire::{AnyRecipe, Exit};
use uuid::Uuid;

pub(crate) const SESSION: &str = "3f2a8c1e-5b7d-4e90-a1c6-9d8e7f6a5b4c";
pub(crate) const RUN: &str = "8d0c6f5a-2e41-4b7d-9c3a-6f1e2d3c4b5a";

/// The moment of a run's first event.
pub(crate) const BEGAN: u64 = 1_750_000_000_000;

pub(crate) fn session() -> SessionId {
    SESSION.parse().expect("it is an id")
}

pub(crate) fn run_id() -> RunId {
    RUN.parse().expect("it is an id")
}

/// When the event with this number happened.
pub(crate) const fn at(seq: u64) -> u64 {
    BEGAN + (seq - 1) * 20_000
}

/// A run and the messages about it. Ids and times are counted up, so they are the same in each test
/// run.
pub(crate) struct OneRun {
    pub(crate) run: Run,
    pub(crate) broadcast: RunBroadcast,
    pub(crate) published: Vec<ServerMessage>,
    pub(crate) events: Vec<Event>,
    /// The run that continues it.
    pub(crate) next: Option<Box<Successor>>,
    ids: u128,
}

impl OneRun {
    pub(crate) fn start(recipe: &'static dyn AnyRecipe) -> Self {
        Self::spec(recipe, |_| ())
    }

    pub(crate) fn spec(recipe: &'static dyn AnyRecipe, change: impl FnOnce(&mut RunSpec)) -> Self {
        let mut spec = RunSpec {
            run: run_id(),
            session: session(),
            agent: "claude".to_owned(),
            rehearsal: false,
            script: None,
            directory: "/projects/shop".into(),
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
        Self::begin(recipe, spec, 0)
    }

    fn begin(recipe: &'static dyn AnyRecipe, spec: RunSpec, mut ids: u128) -> Self {
        let outline = recipe.outline();
        let broadcast = RunBroadcast {
            run: spec.run,
            session: spec.session,
            recipe_id: outline.id.to_owned(),
            recipe_label: outline.label.to_owned(),
            step: outline.first_step().name.to_owned(),
            step_count: 1,
            rehearsal: spec.rehearsal,
            in_turn: false,
        };
        let (run, decision) = Run::start(recipe, spec, fresh(&mut ids));
        let mut one =
            Self { run, broadcast, published: Vec::new(), events: Vec::new(), next: None, ids };
        one.take(decision);
        one
    }

    /// The run that continues this one in a fresh session.
    pub(crate) fn successor(self) -> Self {
        let Successor { recipe, spec, .. } = *self.next.expect("the run restarts");
        Self::begin(recipe, spec, self.ids)
    }

    fn take(&mut self, decision: Decision) {
        for event in decision.events {
            let seq = self.events.len() as u64 + 1;
            self.published.extend(self.broadcast.apply(seq, at(seq), &event));
            self.events.push(event);
        }
        if let Action::Restart(next) = decision.action {
            self.next = Some(next);
        }
    }

    fn ask(&self) -> TurnRequest {
        match self.run.action() {
            Action::Ask(ask) => *ask,
            other => panic!("the run does not ask: {other:?}"),
        }
    }

    pub(crate) fn handle(&mut self, input: Input) {
        let fresh = fresh(&mut self.ids);
        let decision = self.run.handle(input, fresh);
        self.take(decision);
    }

    pub(crate) fn reply(&mut self, text: &str) {
        let attempt = self.ask().attempt;
        self.handle(Input::Replied { attempt, text: text.to_owned(), facts: facts() });
        if let Action::Check(check) = self.run.action() {
            self.pass_check(&check);
        }
    }

    /// Reports an outcome after a turn with these facts.
    pub(crate) fn report_with(&mut self, outcome: &str, facts: TurnFacts) {
        let attempt = self.ask().attempt;
        let text = format!("Done.\n{{\"outcome\": \"{outcome}\"}}");
        self.handle(Input::Replied { attempt, text, facts });
        if let Action::Check(check) = self.run.action() {
            self.pass_check(&check);
        }
    }

    /// Answers a check: all evidence was found.
    fn pass_check(&mut self, check: &Check) {
        let took = Duration::from_secs(1);
        let results = check.evidence.iter().map(|evidence| CheckResult {
            kind: CheckKind::Evidence,
            name: evidence.to_string(),
            verdict: CheckVerdict::Passed,
            found: "it is there".to_owned(),
            took: Duration::ZERO,
            rehearsed: false,
        });
        self.handle(Input::Checked {
            check: check.check,
            results: results.collect(),
            violations: Vec::new(),
            took,
        });
    }

    pub(crate) fn report(&mut self, outcome: &str) {
        self.reply(&format!("Done.\n{{\"outcome\": \"{outcome}\"}}"));
    }

    pub(crate) fn reports<const N: usize>(mut self, outcomes: [&str; N]) -> Self {
        for outcome in outcomes {
            self.report(outcome);
        }
        self
    }

    pub(crate) fn fail(&mut self, exit: Exit, resume_at: Option<u64>) {
        let attempt = self.ask().attempt;
        self.handle(Input::Failed { attempt, exit, resume_at, facts: facts() });
    }

    pub(crate) fn cancel(&mut self, exit: Exit) {
        self.handle(Input::Cancelled { exit, took: Duration::from_secs(5) });
    }

    pub(crate) fn prompted(&mut self, text: &str) {
        let prompt = PromptId::from(fresh(&mut self.ids).attempt.uuid());
        self.handle(Input::Prompted { prompt, text: text.to_owned() });
    }

    pub(crate) fn resume(&mut self, resume: Resume) {
        let fresh = fresh(&mut self.ids);
        let decision = self
            .run
            .resume(resume, PendingPrompts::default(), fresh)
            .expect("the run can be resumed");
        self.take(decision);
    }

    /// The latest message of a type.
    pub(crate) fn latest(&self, kind: &str) -> ServerMessage {
        let found = self.published.iter().rev().find(|message| message.kind() == kind);
        found.cloned().unwrap_or_else(|| panic!("no `{kind}` was published"))
    }
}

fn fresh(ids: &mut u128) -> NewIds {
    let mut next = || {
        *ids += 1;
        Uuid::from_u128(0x5d1f_0a7e_4c3b_4f28_9e6d_1b2a_3c4d_0000 + *ids)
    };
    NewIds { attempt: next().into(), run: next().into(), session: next().into() }
}

/// The facts about a turn that took a while and changed nothing.
pub(crate) fn facts() -> TurnFacts {
    TurnFacts { took: Duration::from_secs(20), ..TurnFacts::default() }
}
