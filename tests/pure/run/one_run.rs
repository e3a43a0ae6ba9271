//! One run, told what happens in short words.

use std::path::PathBuf;
use std::time::Duration;

use surefire::AnyRecipe;
use surefire::run::{
    Ask, AttemptId, Check, CheckKind, CheckResult, CheckVerdict, Decision, Event, Fresh, Input, Limits,
    Order, Permits, Project, PromptId, Run, Spent, Todo, TurnFacts,
};
use uuid::Uuid;

/// A run, everything that happened in it, and the ids it is given: counted, so that tests are the same every time.
pub(crate) struct OneRun {
    pub(crate) run: Run,
    pub(crate) events: Vec<Event>,
    pub(crate) todo: Todo,
    ids: u128,
}

impl OneRun {
    pub(crate) fn start(recipe: &'static dyn AnyRecipe, limits: Limits) -> Self {
        Self::order(recipe, |order| order.limits = limits)
    }

    pub(crate) fn order(recipe: &'static dyn AnyRecipe, change: impl FnOnce(&mut Order)) -> Self {
        let mut order = Order {
            run: Uuid::from_u128(1).into(),
            session: Uuid::from_u128(2).into(),
            agent: "test".to_owned(),
            rehearsal: false,
            directory: PathBuf::from("/projects"),
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
        let mut ids = 100;
        let (run, Decision { events, todo }) = Run::start(recipe, order, fresh(&mut ids));
        Self { run, events, todo, ids }
    }

    pub(crate) fn fresh(&mut self) -> Fresh {
        fresh(&mut self.ids)
    }

    /// The turn that goes on.
    pub(crate) fn ask(&self) -> Ask {
        match self.run.todo() {
            Todo::Ask(ask) => *ask,
            other => panic!("the run does not ask: {other:?}"),
        }
    }

    pub(crate) fn handle(&mut self, input: Input) -> &Todo {
        let fresh = self.fresh();
        let Decision { events, todo } = self.run.handle(input, fresh);
        self.events.extend(events);
        self.todo = todo;
        &self.todo
    }

    /// The agent replies to the turn that goes on.
    pub(crate) fn reply(&mut self, text: &str) -> &Todo {
        let attempt = self.ask().attempt;
        self.handle(replied(attempt, text))
    }

    /// The agent reports an outcome, and everything that the engine looks for is there.
    pub(crate) fn report(&mut self, outcome: &str) -> &Todo {
        self.reply(&format!("Done.\n{{\"outcome\": \"{outcome}\"}}"));
        match self.run.todo() {
            Todo::Check(_) => self.checked(CheckVerdict::Passed, "it is there"),
            Todo::Ask(_) | Todo::Wait | Todo::End | Todo::Restart(_) => &self.todo,
        }
    }

    /// The check that goes on.
    pub(crate) fn check(&self) -> Check {
        match self.run.todo() {
            Todo::Check(check) => *check,
            other => panic!("the run checks nothing: {other:?}"),
        }
    }

    /// The check ends, and the first thing that it is about decided.
    pub(crate) fn checked(&mut self, verdict: CheckVerdict, found: &str) -> &Todo {
        let check = self.check();
        let evidence = check.evidence.first().map(|evidence| (CheckKind::Evidence, evidence.to_string()));
        let command = check.commands.first().map(|command| (check.purpose, command.to_string()));
        let (kind, name) = evidence.or(command).expect("there is something to check");
        let (found, took) = (found.to_owned(), Duration::from_secs(5));
        let results = vec![CheckResult { kind, name, verdict, found, took, rehearsed: false }];
        self.handle(Input::Checked { check: check.check, results, violations: Vec::new(), took })
    }

    pub(crate) fn prompted(&mut self, text: &str) -> PromptId {
        let prompt = PromptId::from(self.fresh().attempt.uuid());
        self.handle(Input::Prompted { prompt, text: text.to_owned() });
        prompt
    }

    /// How it ended.
    pub(crate) fn reason(&self) -> &str {
        self.run.ending().map_or("", |ending| &ending.reason)
    }
}

pub(crate) fn replied(attempt: AttemptId, text: &str) -> Input {
    Input::Replied {
        attempt,
        text: text.to_owned(),
        facts: TurnFacts { took: Duration::from_secs(10), cost_usd: Some(0.25), ..TurnFacts::default() },
    }
}

fn fresh(ids: &mut u128) -> Fresh {
    *ids += 3;
    let id = |n| Uuid::from_u128(n);
    Fresh { attempt: id(*ids).into(), run: id(*ids + 1).into(), session: id(*ids + 2).into() }
}
