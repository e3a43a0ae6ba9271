//! One real run, and what clients are told of it.

use std::time::Duration;

use surefire::run::{
    Ask, Check, CheckKind, CheckResult, CheckVerdict, Decision, Event, Fresh, Input, Limits, Meanwhile,
    Order, Permits, Project, PromptId, Resume, Run, RunId, SessionId, Spent, Successor, Todo, TurnFacts,
};
use surefire::wire::{ServerMessage, Telling};
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

/// A run and what was told of it. Ids and times are counted, so that it is the same every time.
pub(crate) struct OneRun {
    pub(crate) run: Run,
    pub(crate) telling: Telling,
    pub(crate) told: Vec<ServerMessage>,
    pub(crate) events: Vec<Event>,
    /// The run that continues it.
    pub(crate) next: Option<Box<Successor>>,
    ids: u128,
}

impl OneRun {
    pub(crate) fn start(recipe: &'static dyn AnyRecipe) -> Self {
        Self::order(recipe, |_| ())
    }

    pub(crate) fn order(recipe: &'static dyn AnyRecipe, change: impl FnOnce(&mut Order)) -> Self {
        let mut order = Order {
            run: run_id(),
            session: session(),
            agent: "claude".to_owned(),
            rehearsal: false,
            directory: "/projects/shop".into(),
            about: None,
            model: None,
            allow_tools: Vec::new(),
            permits: Permits::default(),
            project: Project::default(),
            worktree: None,
            limits: Limits::default(),
            spent: Spent::default(),
            restarts: 0,
            continues: None,
        };
        change(&mut order);
        Self::begin(recipe, order, 0)
    }

    fn begin(recipe: &'static dyn AnyRecipe, order: Order, mut ids: u128) -> Self {
        let outline = recipe.outline();
        let telling = Telling {
            run: order.run,
            session: order.session,
            recipe_id: outline.id.to_owned(),
            recipe_label: outline.label.to_owned(),
            step: outline.first_step().name.to_owned(),
            step_count: 1,
            rehearsal: order.rehearsal,
            in_turn: false,
        };
        let (run, decision) = Run::start(recipe, order, fresh(&mut ids));
        let mut one = Self { run, telling, told: Vec::new(), events: Vec::new(), next: None, ids };
        one.take(decision);
        one
    }

    /// The run that continues this one in a fresh session.
    pub(crate) fn successor(self) -> Self {
        let Successor { recipe, order, .. } = *self.next.expect("the run restarts");
        Self::begin(recipe, order, self.ids)
    }

    fn take(&mut self, decision: Decision) {
        for event in decision.events {
            let seq = self.events.len() as u64 + 1;
            self.told.extend(self.telling.tell(seq, at(seq), &event));
            self.events.push(event);
        }
        if let Todo::Restart(next) = decision.todo {
            self.next = Some(next);
        }
    }

    fn ask(&self) -> Ask {
        match self.run.todo() {
            Todo::Ask(ask) => *ask,
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
        if let Todo::Check(check) = self.run.todo() {
            self.find(&check);
        }
    }

    /// A reply after a turn in which the engine saw this.
    pub(crate) fn report_with(&mut self, outcome: &str, facts: TurnFacts) {
        let attempt = self.ask().attempt;
        let text = format!("Done.\n{{\"outcome\": \"{outcome}\"}}");
        self.handle(Input::Replied { attempt, text, facts });
        if let Todo::Check(check) = self.run.todo() {
            self.find(&check);
        }
    }

    /// Everything that the engine looks for is there.
    fn find(&mut self, check: &Check) {
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
        let decision = self.run.resume(resume, Meanwhile::default(), fresh).expect("it can go on");
        self.take(decision);
    }

    /// The latest message of a type.
    pub(crate) fn latest(&self, kind: &str) -> ServerMessage {
        let found = self.told.iter().rev().find(|message| message.kind() == kind);
        found.cloned().unwrap_or_else(|| panic!("nobody was told `{kind}`"))
    }
}

fn fresh(ids: &mut u128) -> Fresh {
    let mut next = || {
        *ids += 1;
        Uuid::from_u128(0x5d1f_0a7e_4c3b_4f28_9e6d_1b2a_3c4d_0000 + *ids)
    };
    Fresh { attempt: next().into(), run: next().into(), session: next().into() }
}

/// What is known about every turn.
pub(crate) fn facts() -> TurnFacts {
    TurnFacts { took: Duration::from_secs(20), ..TurnFacts::default() }
}
