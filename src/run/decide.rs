//! The run itself: what is known about it, and what follows from what happens to it.

use std::fmt;
use std::time::Duration;

use super::check::CheckSubject;
use super::decision::{Decision, Successor, Todo};
use super::ending::Ending;
use super::event::{Event, Purpose, Read, RetryCause};
use super::exceeded::Exceeded;
use super::ids::{AttemptId, Fresh, PromptId};
use super::input::{Input, TurnFacts};
use super::known::{Asking, Known, Phase};
use super::limits::{Limits, Spent};
use super::order::Order;
use super::refused;
use super::rules;
use super::tree::Moment;
use crate::outcome::{self, Finding, Unread};
use crate::{AnyPosition, AnyRecipe, Exit, ExitReason, Next, StepOutline};

/// The name of the outcome that stands for whatever its author did not foresee.
const OTHER: &str = "other";

/// One run of a recipe.
///
/// It is told what happens and answers with the events to write down and the one thing to do next. The same events
/// [rebuild](Self::replay) it, in another process if need be.
///
/// ```
/// use surefire::recipes::ImplementAndReview;
/// use surefire::run::{Input, Run, Todo, TurnFacts};
/// # use surefire::run::{Fresh, Limits, Order, Spent};
/// # use uuid::Uuid;
/// # fn fresh() -> Fresh {
/// #     Fresh { attempt: Uuid::new_v4().into(), run: Uuid::new_v4().into(), session: Uuid::new_v4().into() }
/// # }
/// # let order = Order {
/// #     run: fresh().run, session: fresh().session, agent: "claude".into(), rehearsal: false,
/// #     directory: "/projects".into(), about: None, model: None, allow_tools: vec![], permits: Default::default(),
/// #     project: Default::default(), worktree: None, limits: Limits::default(),
/// #     spent: Spent::default(), restarts: 0, continues: None,
/// # };
///
/// let (mut run, first) = Run::start(&ImplementAndReview, order, fresh());
/// let Todo::Ask(ask) = first.todo else { unreachable!() };
/// assert!(ask.prompt.ends_with("Your possible outcomes for this step: complete, no-tasks, blocked, other"));
///
/// let reply = Input::Replied {
///     attempt: ask.attempt,
///     text: r#"There is nothing to do. {"outcome": "no-tasks"}"#.into(),
///     facts: TurnFacts { took: std::time::Duration::from_secs(9), ..TurnFacts::default() },
/// };
/// assert!(matches!(run.handle(reply, fresh()).todo, Todo::End));
/// assert_eq!(run.ending().unwrap().reason, "no-tasks-available");
/// ```
pub struct Run {
    pub(super) recipe: &'static dyn AnyRecipe,
    pub(super) position: Box<dyn AnyPosition>,
    pub(super) known: Known,
}

impl Run {
    /// Begins a run at its recipe's first step.
    pub fn start(recipe: &'static dyn AnyRecipe, order: Order, fresh: Fresh) -> (Self, Decision) {
        Self::start_after(recipe, order, [], fresh)
    }

    /// The same, where people have said something already that the agent is to be told first.
    pub fn start_after(
        recipe: &'static dyn AnyRecipe,
        order: Order,
        said: impl IntoIterator<Item = (PromptId, String)>,
        fresh: Fresh,
    ) -> (Self, Decision) {
        let position = recipe.begin(order.restarts);
        let started = Event::Started {
            recipe: recipe.outline().id.to_owned(),
            fingerprint: recipe.outline().fingerprint.to_string(),
            step: position.outline().name.to_owned(),
            order: Box::new(order.clone()),
        };
        let mut run = Self { recipe, position, known: Known::new(order, recipe.outline()) };
        let mut events = vec![started];
        for (prompt, text) in said {
            run.record(&mut events, Event::PromptQueued { prompt, text });
        }
        let todo = run.next_turn(&mut events, fresh);
        (run, Decision { events, todo })
    }

    /// Takes in what happened.
    pub fn handle(&mut self, input: Input, fresh: Fresh) -> Decision {
        let mut events = Vec::new();
        let todo = match input {
            // A run that waits to go on by itself can be told not to.
            Input::Cancelled { exit, .. } if self.is_paused() => {
                self.end(&mut events, &exit, |_| (), Cut::default())
            }
            Input::Stopped { exit, .. } if self.is_paused() => {
                self.end(&mut events, &exit, |_| (), Cut::stopped(Duration::ZERO))
            }
            // First cause wins: what happens to a run that is over changes nothing.
            _ if self.ending().is_some() => Todo::End,
            Input::Replied { attempt, text, facts } if self.waits_for(attempt) => {
                let read = self.read(&text);
                self.replied(&mut events, attempt, read, facts, fresh)
            }
            Input::Failed { attempt, exit, resume_at, facts }
                if self.waits_for(attempt) || self.checks(attempt) =>
            {
                let TurnFacts { took, cost_usd, .. } = facts;
                self.turn_seen(&mut events, attempt, facts);
                let resume_at = resume_at.filter(|_| self.may_resume_by_itself(&exit));
                // An agent that ran out of money without saying how much has spent what was left.
                let spent_all = exit.reason() == Some(ExitReason::CostBudget);
                let left = || self.known.limits.budget_left(&self.known.spent).filter(|_| spent_all);
                let cut = Cut { took, cost_usd: cost_usd.or_else(left), unheard: true, ..Cut::default() };
                self.end(&mut events, &exit, |ending| ending.resume_at = resume_at, cut)
            }
            Input::TreeSeen { attempt, tree } if self.waits_for(attempt) => {
                self.record(&mut events, Event::TreeSeen { attempt, tree, moment: Moment::Before });
                Todo::Wait
            }
            Input::TurnSeen { attempt, facts } if self.waits_for(attempt) => {
                self.turn_seen(&mut events, attempt, facts);
                Todo::Wait
            }
            Input::Checked { check, results, violations, took } if self.checks(check) => {
                self.checked(&mut events, &results, violations, took, fresh)
            }
            Input::Replied { .. }
            | Input::Failed { .. }
            | Input::TreeSeen { .. }
            | Input::TurnSeen { .. }
            | Input::Checked { .. } => Todo::Wait,
            Input::Prompted { prompt, text } => {
                self.record(&mut events, Event::PromptQueued { prompt, text });
                Todo::Wait
            }
            Input::Cancelled { exit, took } => self.end(&mut events, &exit, |_| (), Cut::after(took)),
            Input::Stopped { exit, took } => self.end(&mut events, &exit, |_| (), Cut::stopped(took)),
            Input::Elapsed { took } => {
                let spent = Spent { time: self.known.spent.time.saturating_add(took), ..self.known.spent };
                let only_time = Limits { max_ticks: None, budget_usd: None, ..self.known.limits };
                match only_time.exceeded(&spent) {
                    Some(exit) => self.end(&mut events, &exit, |_| (), Cut::after(took)),
                    None => Todo::Wait,
                }
            }
        };
        Decision { events, todo }
    }

    /// What there is to do, for whoever has just rebuilt the run.
    #[must_use]
    pub fn todo(&self) -> Todo {
        match &self.known.phase {
            Phase::Asking(asking) => Todo::Ask(Box::new(self.ask(asking))),
            Phase::Checking(checking) => Todo::Check(Box::new(self.check(checking))),
            Phase::Deciding => Todo::Wait,
            Phase::Over(_) => Todo::End,
        }
    }

    /// The recipe.
    #[must_use]
    pub fn recipe(&self) -> &'static dyn AnyRecipe {
        self.recipe
    }

    /// What was asked for when it began.
    #[must_use]
    pub fn order(&self) -> &Order {
        &self.known.order
    }

    /// Where it stands.
    #[must_use]
    pub fn position(&self) -> &dyn AnyPosition {
        &*self.position
    }

    /// How it ended, if it has.
    #[must_use]
    pub fn ending(&self) -> Option<&Ending> {
        match &self.known.phase {
            Phase::Over(ending) => Some(ending),
            Phase::Asking(_) | Phase::Checking(_) | Phase::Deciding => None,
        }
    }

    /// Whether it has ended and resumes by itself.
    #[must_use]
    pub fn is_paused(&self) -> bool {
        self.ending().is_some_and(|ending| ending.resume_at.is_some())
    }

    /// What it, and the chain it belongs to, has used up.
    #[must_use]
    pub fn spent(&self) -> Spent {
        self.known.spent
    }

    /// Its limits, as they are now.
    #[must_use]
    pub fn limits(&self) -> Limits {
        self.known.limits
    }

    /// What people said and the agent has not been told yet.
    pub fn waiting(&self) -> impl Iterator<Item = (PromptId, &str)> {
        self.known.waiting.iter().map(|waiting| (waiting.prompt, waiting.text.as_str()))
    }

    /// Whether it was seen to have changed or committed a file.
    #[must_use]
    pub fn has_changed(&self) -> bool {
        self.known.changed
    }

    fn waits_for(&self, attempt: AttemptId) -> bool {
        matches!(&self.known.phase, Phase::Asking(asking) if asking.attempt == attempt)
    }

    fn checks(&self, check: AttemptId) -> bool {
        matches!(&self.known.phase, Phase::Checking(checking) if checking.check == check)
    }

    pub(super) fn step(&self) -> &'static StepOutline {
        self.position.outline()
    }

    /// Reads a reply, unless it answers a prompt that was only passed on.
    fn read(&self, text: &str) -> Option<Result<outcome::Reading<&'static str>, Unread>> {
        match &self.known.phase {
            Phase::Asking(Asking { purpose: Purpose::Pass { .. }, .. }) => None,
            Phase::Asking(_) | Phase::Checking(_) | Phase::Deciding | Phase::Over(_) => {
                Some(outcome::read(text, self.step()))
            }
        }
    }

    fn replied(
        &mut self,
        events: &mut Vec<Event>,
        attempt: AttemptId,
        read: Option<Result<outcome::Reading<&'static str>, Unread>>,
        mut facts: TurnFacts,
        fresh: Fresh,
    ) -> Todo {
        let TurnFacts { took, cost_usd, .. } = facts;
        let (version, was_refused) = (facts.version.take(), !facts.refused.is_empty());
        let violations = facts.violations.clone();
        self.turn_seen(events, attempt, facts);
        let read_as = match &read {
            None => Read::NotAsked,
            Some(Ok(reading)) => Read::Outcome {
                outcome: reading.outcome.to_owned(),
                description: reading.description.clone(),
                findings: self.carried(reading),
                repaired: reading.repaired.iter().map(ToString::to_string).collect(),
            },
            Some(Err(unread)) => {
                Read::Unread { unread: unread.kind().to_owned(), problem: unread.to_string() }
            }
        };
        self.record(events, Event::Replied { attempt, read: read_as, took, cost_usd, version });
        if let Some(exit) = rules::exit(&violations) {
            return self.end(events, &exit, |_| (), Cut::default());
        }
        match read {
            None => self.next_turn(events, fresh),
            Some(Ok(reading)) => self.judge(events, reading.outcome, reading.description, fresh),
            Some(Err(unread)) => self.unread(events, &unread, was_refused, fresh),
        }
    }

    /// What a review found. What an outcome lists that carries no findings was not asked for.
    fn carried(&self, reading: &outcome::Reading<&'static str>) -> Vec<Finding> {
        let carries = self.known.reviews.carries(self.step().name, reading.outcome);
        if carries { reading.findings.clone() } else { Vec::new() }
    }

    /// What was seen and refused in a turn comes before what its end leads to.
    fn turn_seen(&mut self, events: &mut Vec<Event>, attempt: AttemptId, facts: TurnFacts) {
        if let Some(seen) = facts.tree {
            let (tree, changes) = *seen;
            self.record(events, Event::TreeSeen { attempt, tree, moment: Moment::After { changes } });
        }
        if !facts.violations.is_empty() {
            self.record(events, Event::RulesBroken { attempt, violations: facts.violations });
        }
        if !facts.refused.is_empty() {
            self.record(events, Event::ToolsRefused { attempt, refused: facts.refused });
        }
    }

    fn unread(&mut self, events: &mut Vec<Event>, unread: &Unread, was_refused: bool, fresh: Fresh) -> Todo {
        if was_refused {
            let tools = refused::in_words(&self.known.visit.refused);
            let exit = Exit::because(ExitReason::PermissionDenied).describe(tools);
            return self.end(events, &exit, |_| (), Cut::default());
        }
        let number = self.known.visit.retries + 1;
        if number <= self.known.limits.reasks {
            let problem = unread.to_string();
            self.ask_again(events, RetryCause::Reply, number, problem.clone());
            return self.begin_turn(events, Purpose::Remind { number, problem }, fresh);
        }
        if let Unread::UnknownOutcome { found, .. } = unread
            && self.step().outcomes.iter().any(|outcome| outcome.name == OTHER)
        {
            let description = format!("the agent reported `{found}`, which this step does not have");
            return self.take(events, OTHER, Some(description), fresh);
        }
        let exit = Exit::because(ExitReason::OrchestrationError).describe(unread.to_string());
        self.end(events, &exit, |_| (), Cut::default())
    }

    /// Follows an outcome. Only here does a run move.
    pub(super) fn take(
        &mut self,
        events: &mut Vec<Event>,
        outcome: &str,
        description: Option<String>,
        fresh: Fresh,
    ) -> Todo {
        let from = self.step().name.to_owned();
        let limits = self.recipe.outline().guardrails;
        let limits = limits.raised_by(self.known.extra_visits, self.known.extra_steps);
        let described = |exit: Exit| match description {
            Some(description) => exit.describe(description),
            None => exit,
        };
        match self.position.report_within(outcome, &limits) {
            Ok(Next::Step(step)) => {
                let moved = Event::Moved {
                    from,
                    outcome: outcome.to_owned(),
                    to: step.name.to_owned(),
                    number: self.position.steps(),
                    visit: self.position.visits(step.name),
                };
                self.record(events, moved);
                self.next_turn(events, fresh)
            }
            Ok(Next::Exit(exit)) => {
                let took = |ending: &mut Ending| ending.outcome = Some(outcome.to_owned());
                self.end(events, &described(exit), took, Cut::default())
            }
            Ok(Next::Restart(restart)) => {
                let order = self.successor(restart.restarts, fresh);
                let details = |ending: &mut Ending| {
                    ending.outcome = Some(outcome.to_owned());
                    ending.continued_by = Some(fresh.run);
                };
                let said = self.known.waiting.iter().map(|waiting| waiting.text.clone()).collect();
                self.end(events, &described(restart.exit()), details, Cut::default());
                Todo::Restart(Box::new(Successor { recipe: restart.recipe, order, said }))
            }
            Err(unknown) => {
                let exit = Exit::because(ExitReason::InternalError).describe(unknown.to_string());
                self.end(events, &exit, |_| (), Cut::default())
            }
        }
    }

    /// What a restart begins with: a fresh session, and the chain's ledger.
    fn successor(&self, restarts: u32, fresh: Fresh) -> Order {
        Order {
            run: fresh.run,
            session: fresh.session,
            limits: self.known.limits,
            spent: self.known.spent,
            restarts,
            continues: Some(self.known.order.run),
            ..self.known.order.clone()
        }
    }

    /// Begins whatever turn is due, unless a limit forbids it: first what people said, then the step.
    pub(super) fn next_turn(&mut self, events: &mut Vec<Event>, fresh: Fresh) -> Todo {
        let limits = match self.step().command {
            // A command takes no turn and costs nothing.
            Some(_) => Limits { max_ticks: None, budget_usd: None, ..self.known.limits },
            None => self.known.limits,
        };
        if let Some(exit) = limits.exceeded(&self.known.spent) {
            return self.end(events, &exit, |_| (), Cut::default());
        }
        if self.needs_worktree() {
            return self.begin_check(events, CheckSubject::Worktree, fresh);
        }
        if self.step().command.is_some() {
            return self.begin_check(events, CheckSubject::Command, fresh);
        }
        if self.step().prompt.trim().is_empty() {
            return self.end(events, &Exit::because(ExitReason::NoPrompt), |_| (), Cut::default());
        }
        let purpose = match self.known.waiting.front() {
            Some(waiting) => Purpose::Pass { prompt: waiting.prompt },
            None => self.known.due.clone(),
        };
        self.begin_turn(events, purpose, fresh)
    }

    pub(super) fn begin_turn(&mut self, events: &mut Vec<Event>, purpose: Purpose, fresh: Fresh) -> Todo {
        // A re-ask is a turn as well, and a run that has used up its ticks gets no further one.
        if let Some(exit) = self.known.limits.exceeded(&self.known.spent) {
            return self.end(events, &exit, |_| (), Cut::default());
        }
        let (attempt, step) = (fresh.attempt, self.step().name.to_owned());
        self.record(events, Event::TurnBegan { attempt, step, purpose });
        self.todo()
    }

    /// Ends the run, and with it whatever turn is going on.
    pub(super) fn end(
        &mut self,
        events: &mut Vec<Event>,
        exit: &Exit,
        details: impl FnOnce(&mut Ending),
        cut: Cut,
    ) -> Todo {
        let Cut { took, cost_usd, unheard, withdraws } = cut;
        let unheard =
            unheard && matches!(&self.known.phase, Phase::Asking(asking) if asking.passed.is_some());
        let queued = self.known.waiting.iter().filter(|_| withdraws);
        let withdrawn = queued.map(|waiting| waiting.prompt).collect();
        let mut spent = self.known.spent;
        spent.add(took, cost_usd);
        let exceeded = Exceeded::of(exit, &self.known.limits, &spent);
        let mut ending = match exceeded {
            // A guardrail's message is complete: what it counted is one more than its limit.
            Some(exceeded) if exit.tripped().is_none() => {
                self.ending_with(&exit.clone().with_limit(exceeded.in_words()))
            }
            Some(_) | None => self.ending_with(exit),
        };
        details(&mut ending);
        let exceeded = exceeded.map(Box::new);
        self.record(events, Event::Ended { ending, took, cost_usd, unheard, withdrawn, exceeded });
        Todo::End
    }

    /// How the run would end now, for this exit.
    pub(crate) fn ending_with(&self, exit: &Exit) -> Ending {
        Ending::new(exit, self.step().name, self.position.steps(), self.known.order.rehearsal)
    }

    pub(super) fn record(&mut self, events: &mut Vec<Event>, event: Event) {
        self.known.learn(&event);
        events.push(event);
    }
}

/// The turn that was cut short by the end of its run.
#[derive(Clone, Copy, Default)]
pub(super) struct Cut {
    took: Duration,
    cost_usd: Option<f64>,
    /// Whether the agent may not have heard what it was to be told. Somebody who ends a run knows what it was at; only
    /// a failure leaves that open.
    unheard: bool,
    /// Whether what is queued for the run is withdrawn with it.
    withdraws: bool,
}

impl Cut {
    fn after(took: Duration) -> Self {
        Self { took, ..Self::default() }
    }

    fn stopped(took: Duration) -> Self {
        Self { withdraws: true, ..Self::after(took) }
    }
}

impl fmt::Debug for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { recipe, position, known } = self;
        f.debug_struct("Run")
            .field("recipe", recipe)
            .field("position", position)
            .field("known", known)
            .finish()
    }
}
