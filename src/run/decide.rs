//! The run itself: its state, and its decision about each input.

use std::fmt;
use std::time::Duration;

use super::check::CheckSubject;
use super::decision::{Action, Decision, Successor};
use super::ending::Ending;
use super::event::{Event, Purpose, ReplyReading, RetryCause};
use super::exceeded::Exceeded;
use super::ids::{AttemptId, NewIds, PromptId};
use super::input::{Input, TurnFacts};
use super::limits::{Limits, Usage};
use super::refused;
use super::rules;
use super::run_spec::RunSpec;
use super::run_state::{Asking, Phase, RunState};
use super::tree::Moment;
use crate::outcome::{self, Finding, Unread};
use crate::{
    AfterLimit, AnyPosition, AnyRecipe, Exit, ExitReason, Guardrails, Next, NextOutline,
    StepOutline, UnknownName, VisitLimit,
};

/// The outcome for everything that the recipe's author did not foresee.
const OTHER: &str = "other";

/// One run of a recipe.
///
/// It handles one input at a time and returns the events to persist and the one thing to do next.
/// The same events [rebuild](Self::replay) it, in another process if need be.
///
/// ```
/// use surefire::recipes::ImplementAndReview;
/// use surefire::run::{Input, Run, Action, TurnFacts};
/// # use surefire::run::{NewIds, Limits, RunSpec, Usage};
/// # use uuid::Uuid;
/// # fn fresh() -> NewIds {
/// #     let id = Uuid::new_v4;
/// #     NewIds { attempt: id().into(), run: id().into(), session: id().into() }
/// # }
/// # let spec = RunSpec {
/// #     run: fresh().run, session: fresh().session, agent: "claude".into(), rehearsal: false, script: None,
/// #     directory: "/projects".into(), task: None, model: None, prompts: Default::default(),
/// #     allow_tools: vec![], permits: Default::default(),
/// #     project: Default::default(), worktree: None, limits: Limits::default(),
/// #     spent: Usage::default(), restarts: 0, continues: None,
/// # };
///
/// let (mut run, first) = Run::start(&ImplementAndReview, spec, fresh());
/// let Action::Ask(ask) = first.action else { unreachable!() };
/// assert!(ask.prompt.ends_with("outcomes for this step: complete, no-tasks, blocked, other"));
///
/// let reply = Input::Replied {
///     attempt: ask.attempt,
///     text: r#"There is nothing to do. {"outcome": "no-tasks"}"#.into(),
///     facts: TurnFacts { took: std::time::Duration::from_secs(9), ..TurnFacts::default() },
/// };
/// assert!(matches!(run.handle(reply, fresh()).action, Action::End));
/// assert_eq!(run.ending().unwrap().reason, "no-tasks-available");
/// ```
pub struct Run {
    pub(super) recipe: &'static dyn AnyRecipe,
    pub(super) position: Box<dyn AnyPosition>,
    pub(super) state: RunState,
}

impl Run {
    /// Begins a run at its recipe's first step.
    pub fn start(recipe: &'static dyn AnyRecipe, spec: RunSpec, fresh: NewIds) -> (Self, Decision) {
        Self::start_after(recipe, spec, [], fresh)
    }

    /// Like [`start`](Self::start), but the agent gets the queued prompts first.
    pub fn start_after(
        recipe: &'static dyn AnyRecipe,
        spec: RunSpec,
        queued: impl IntoIterator<Item = (PromptId, String)>,
        fresh: NewIds,
    ) -> (Self, Decision) {
        let position = recipe.begin(spec.restarts);
        let started = Event::Started {
            recipe: recipe.outline().id.to_owned(),
            fingerprint: recipe.outline().fingerprint.to_string(),
            graph: Some(Box::new(recipe.outline().graph())),
            step: position.outline().name.to_owned(),
            spec: Box::new(spec.clone()),
        };
        let mut run = Self { recipe, position, state: RunState::new(spec, recipe.outline()) };
        let mut events = vec![started];
        for (prompt, text) in queued {
            run.record(&mut events, Event::PromptQueued { prompt, text });
        }
        let action = run.next_turn(&mut events, fresh);
        (run, Decision { events, action })
    }

    /// Handles an input.
    pub fn handle(&mut self, input: Input, fresh: NewIds) -> Decision {
        let mut events = Vec::new();
        let action = match input {
            // A paused run can be ended before it resumes by itself.
            Input::Cancelled { exit, .. } if self.is_paused() => {
                self.end(&mut events, &exit, |_| (), Cut::default())
            }
            Input::Stopped { exit, .. } if self.is_paused() => {
                self.end(&mut events, &exit, |_| (), Cut::stopped(Duration::ZERO))
            }
            // The first cause wins: an input to a run that has ended changes nothing.
            _ if self.ending().is_some() => Action::End,
            Input::Replied { attempt, text, facts } if self.waits_for(attempt) => {
                let read = self.read(&text);
                self.replied(&mut events, attempt, read, facts, fresh)
            }
            Input::Failed { attempt, exit, resume_at, facts }
                if self.waits_for(attempt) || self.checks(attempt) =>
            {
                let TurnFacts { took, cost_usd, .. } = facts;
                self.turn_seen(&mut events, attempt, facts);
                let spent_all = exit.reason() == Some(ExitReason::CostBudget);
                if let Some((exceeded, cost)) = self.out_of_budget(cost_usd).filter(|_| spent_all) {
                    let cut = Cut { took, cost_usd: Some(cost), ..Cut::default() };
                    let action = self.leave(&mut events, VisitLimit::Budget, exceeded, cut, fresh);
                    return Decision { events, action };
                }
                let resume_at = resume_at.filter(|_| self.may_resume_by_itself(&exit));
                // An agent that exceeds its budget without reporting a cost has spent the rest.
                let left =
                    || self.state.limits.budget_left(&self.state.spent).filter(|_| spent_all);
                let cut = Cut {
                    took,
                    cost_usd: cost_usd.or_else(left),
                    redeliver: true,
                    ..Cut::default()
                };
                self.end(&mut events, &exit, |ending| ending.resume_at = resume_at, cut)
            }
            Input::TreeSeen { attempt, tree } if self.waits_for(attempt) => {
                self.record(&mut events, Event::TreeSeen { attempt, tree, moment: Moment::Before });
                Action::Wait
            }
            Input::TurnSeen { attempt, facts } if self.waits_for(attempt) => {
                self.turn_seen(&mut events, attempt, facts);
                Action::Wait
            }
            Input::Checked { check, results, violations, took } if self.checks(check) => {
                self.checked(&mut events, &results, violations, took, fresh)
            }
            Input::Replied { .. }
            | Input::Failed { .. }
            | Input::TreeSeen { .. }
            | Input::TurnSeen { .. }
            | Input::Checked { .. } => Action::Wait,
            Input::Prompted { prompt, text } => {
                self.record(&mut events, Event::PromptQueued { prompt, text });
                Action::Wait
            }
            Input::Cancelled { exit, took } => {
                self.end(&mut events, &exit, |_| (), Cut::after(took))
            }
            Input::Stopped { exit, took } => {
                self.end(&mut events, &exit, |_| (), Cut::stopped(took))
            }
            Input::Elapsed { took } => {
                let spent =
                    Usage { time: self.state.spent.time.saturating_add(took), ..self.state.spent };
                let only_time = Limits { max_ticks: None, budget_usd: None, ..self.state.limits };
                let cut = Cut::after(took);
                match (only_time.exceeded(&spent), self.out_of_time(took)) {
                    (Some(exit), _) => self.end(&mut events, &exit, |_| (), cut),
                    (None, Some(exceeded)) => {
                        self.leave(&mut events, VisitLimit::Time, exceeded, cut, fresh)
                    }
                    (None, None) => Action::Wait,
                }
            }
        };
        Decision { events, action }
    }

    /// What to do next, for a driver that has just rebuilt the run.
    #[must_use]
    pub fn action(&self) -> Action {
        match &self.state.phase {
            Phase::Asking(asking) => Action::Ask(Box::new(self.ask(asking))),
            Phase::Checking(checking) => Action::Check(Box::new(self.check(checking))),
            Phase::Deciding => Action::Wait,
            Phase::Over(_) => Action::End,
        }
    }

    /// The recipe.
    #[must_use]
    pub fn recipe(&self) -> &'static dyn AnyRecipe {
        self.recipe
    }

    /// What it was started with.
    #[must_use]
    pub fn spec(&self) -> &RunSpec {
        &self.state.spec
    }

    /// Its position in the recipe.
    #[must_use]
    pub fn position(&self) -> &dyn AnyPosition {
        &*self.position
    }

    /// How it ended; `None` while it has not.
    #[must_use]
    pub fn ending(&self) -> Option<&Ending> {
        match &self.state.phase {
            Phase::Over(ending) => Some(ending),
            Phase::Asking(_) | Phase::Checking(_) | Phase::Deciding => None,
        }
    }

    /// Whether it has stopped, and resumes by itself at a known time.
    #[must_use]
    pub fn is_paused(&self) -> bool {
        self.ending().is_some_and(|ending| ending.resume_at.is_some())
    }

    /// What it has used up so far, together with the chain it belongs to.
    #[must_use]
    pub fn spent(&self) -> Usage {
        self.state.spent
    }

    /// Its current limits.
    #[must_use]
    pub fn limits(&self) -> Limits {
        self.state.limits
    }

    /// The prompts that are queued for the agent, in order.
    pub fn queued(&self) -> impl Iterator<Item = (PromptId, &str)> {
        self.state.queue.iter().map(|pending| (pending.prompt, pending.text.as_str()))
    }

    /// Whether the engine saw that the run changed or committed a file.
    #[must_use]
    pub fn has_changed(&self) -> bool {
        self.state.changed
    }

    fn waits_for(&self, attempt: AttemptId) -> bool {
        matches!(&self.state.phase, Phase::Asking(asking) if asking.attempt == attempt)
    }

    fn checks(&self, check: AttemptId) -> bool {
        matches!(&self.state.phase, Phase::Checking(checking) if checking.check == check)
    }

    pub(super) fn step(&self) -> &'static StepOutline {
        self.position.outline()
    }

    /// Reads a reply, unless it answers a client's prompt.
    fn read(&self, text: &str) -> Option<Result<outcome::Reading<&'static str>, Unread>> {
        match &self.state.phase {
            Phase::Asking(Asking { purpose: Purpose::Deliver { .. }, .. }) => None,
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
        fresh: NewIds,
    ) -> Action {
        let TurnFacts { took, cost_usd, .. } = facts;
        let (version, was_refused) = (facts.version.take(), !facts.refused.is_empty());
        let violations = facts.violations.clone();
        self.turn_seen(events, attempt, facts);
        let read_as = match &read {
            None => ReplyReading::NotAsked,
            Some(Ok(reading)) => ReplyReading::Outcome {
                outcome: reading.outcome.to_owned(),
                description: reading.description.clone(),
                findings: self.carried(reading),
                repaired: reading.repaired.iter().map(ToString::to_string).collect(),
            },
            Some(Err(unread)) => ReplyReading::Unread {
                unread: unread.kind().to_owned(),
                problem: unread.to_string(),
            },
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

    /// What a review found. Findings of an outcome that does not carry findings are ignored.
    fn carried(&self, reading: &outcome::Reading<&'static str>) -> Vec<Finding> {
        let carries = self.state.reviews.carries(self.step().name, reading.outcome);
        if carries { reading.findings.clone() } else { Vec::new() }
    }

    /// Records what the engine saw in a turn, before the consequences of its end.
    fn turn_seen(&mut self, events: &mut Vec<Event>, attempt: AttemptId, facts: TurnFacts) {
        if let Some(seen) = facts.tree {
            let (tree, changes) = *seen;
            self.record(
                events,
                Event::TreeSeen { attempt, tree, moment: Moment::After { changes } },
            );
        }
        if !facts.violations.is_empty() {
            self.record(events, Event::RulesBroken { attempt, violations: facts.violations });
        }
        if !facts.refused.is_empty() {
            self.record(events, Event::ToolsRefused { attempt, refused: facts.refused });
        }
    }

    fn unread(
        &mut self,
        events: &mut Vec<Event>,
        unread: &Unread,
        was_refused: bool,
        fresh: NewIds,
    ) -> Action {
        if was_refused {
            let tools = refused::in_words(&self.state.visit.refused);
            let exit = Exit::because(ExitReason::PermissionDenied).describe(tools);
            return self.end(events, &exit, |_| (), Cut::default());
        }
        let (number, of) = self.next_retry(self.state.visit.retries);
        if number <= of {
            let problem = unread.to_string();
            self.ask_again(events, RetryCause::Reply, (number, of), problem.clone());
            return self.begin_turn(events, Purpose::Remind { number, problem }, fresh);
        }
        if let Some(action) = self.out_of_retries(events, fresh) {
            return action;
        }
        if let Unread::UnknownOutcome { found, .. } = unread
            && self.step().outcomes.iter().any(|outcome| outcome.name == OTHER)
        {
            let description =
                format!("the agent reported `{found}`, which this step does not have");
            return self.take(events, OTHER, Some(description), fresh);
        }
        let exit = Exit::because(ExitReason::OrchestrationError).describe(unread.to_string());
        self.end(events, &exit, |_| (), Cut::default())
    }

    /// Follows an outcome, or the limit that stands in its place. This is the only place where a
    /// run moves.
    pub(super) fn take(
        &mut self,
        events: &mut Vec<Event>,
        outcome: &str,
        description: Option<String>,
        fresh: NewIds,
    ) -> Action {
        let from = self.step().name.to_owned();
        // Where the outcome leads, unless that step is full.
        let meant = self.leads_to(outcome).map(|index| self.recipe.outline().steps[index].name);
        let limits = self.recipe.outline().guardrails;
        let limits = limits.raised_by(self.state.extra_visits, self.state.extra_steps);
        match step_on(&mut *self.position, outcome, &limits) {
            Ok(Next::Step(step)) => {
                let moved = Event::Moved {
                    from,
                    outcome: outcome.to_owned(),
                    to: step.name.to_owned(),
                    number: self.position.steps(),
                    visit: self.position.visits(step.name),
                    instead_of: meant.filter(|meant| *meant != step.name).map(str::to_owned),
                };
                self.record(events, moved);
                self.next_turn(events, fresh)
            }
            Ok(Next::Exit(exit)) => {
                let full = meant.filter(|_| exit.tripped().is_none());
                let full = full
                    .map(|step| format!("the run had visited step `{step}` as often as it may"));
                let words: Vec<_> = description.into_iter().chain(full).collect();
                let exit = if words.is_empty() { exit } else { exit.describe(words.join("; ")) };
                let took = |ending: &mut Ending| ending.outcome = Some(outcome.to_owned());
                self.end(events, &exit, took, Cut::default())
            }
            Ok(Next::Restart(restart)) => {
                let spec = self.successor(restart.restarts, fresh);
                let details = |ending: &mut Ending| {
                    ending.outcome = Some(outcome.to_owned());
                    ending.continued_by = Some(fresh.run);
                };
                let queued = self.state.queue.iter().map(|pending| pending.text.clone()).collect();
                let exit = restart.exit();
                let exit = match description {
                    Some(description) => exit.describe(description),
                    None => exit,
                };
                self.end(events, &exit, details, Cut::default());
                Action::Restart(Box::new(Successor { recipe: restart.recipe, spec, queued }))
            }
            Err(unknown) => {
                let exit = Exit::because(ExitReason::InternalError).describe(unknown.to_string());
                self.end(events, &exit, |_| (), Cut::default())
            }
        }
    }

    /// The step that an outcome, or a limit in its place, leads to.
    fn leads_to(&self, outcome: &str) -> Option<usize> {
        match VisitLimit::in_place_of(outcome) {
            Some(limit) => match self.step().limits.after(limit)? {
                AfterLimit::Step(index) => Some(index),
                AfterLimit::Exit(_) => None,
            },
            None => match self.outcome(outcome)?.next {
                NextOutline::Step(index) => Some(index),
                NextOutline::Exit(_) | NextOutline::Restart { .. } => None,
            },
        }
    }

    /// The spec of a run that a restart begins: a fresh session, and the chain's ledger.
    fn successor(&self, restarts: u32, fresh: NewIds) -> RunSpec {
        RunSpec {
            run: fresh.run,
            session: fresh.session,
            limits: self.state.limits,
            spent: self.state.spent,
            restarts,
            continues: Some(self.state.spec.run),
            ..self.state.spec.clone()
        }
    }

    /// Begins the next turn, unless a limit forbids it: queued prompts first, then the step.
    pub(super) fn next_turn(&mut self, events: &mut Vec<Event>, fresh: NewIds) -> Action {
        let limits = match self.step().command {
            // A command takes no turn and costs nothing.
            Some(_) => Limits { max_ticks: None, budget_usd: None, ..self.state.limits },
            None => self.state.limits,
        };
        if let Some(exit) = limits.exceeded(&self.state.spent) {
            return self.end(events, &exit, |_| (), Cut::default());
        }
        if self.needs_worktree() {
            return self.begin_check(events, CheckSubject::Worktree, fresh);
        }
        if self.step().command.is_some() {
            return self.begin_check(events, CheckSubject::Command, fresh);
        }
        if self.author_prompt().trim().is_empty() {
            return self.end(events, &Exit::because(ExitReason::NoPrompt), |_| (), Cut::default());
        }
        let purpose = match self.state.queue.front() {
            Some(pending) => Purpose::Deliver { prompt: pending.prompt },
            None => self.state.due.clone(),
        };
        self.begin_turn(events, purpose, fresh)
    }

    pub(super) fn begin_turn(
        &mut self,
        events: &mut Vec<Event>,
        purpose: Purpose,
        fresh: NewIds,
    ) -> Action {
        // A retry is a turn as well, and a run that has used up its ticks gets no further one.
        if let Some(exit) = self.state.limits.exceeded(&self.state.spent) {
            return self.end(events, &exit, |_| (), Cut::default());
        }
        if let Some((limit, exceeded)) = self.used_up() {
            return self.leave(events, limit, exceeded, Cut::default(), fresh);
        }
        let (attempt, step) = (fresh.attempt, self.step().name.to_owned());
        self.record(events, Event::TurnBegan { attempt, step, purpose });
        self.action()
    }

    /// Ends the run, and the turn in flight with it.
    pub(super) fn end(
        &mut self,
        events: &mut Vec<Event>,
        exit: &Exit,
        details: impl FnOnce(&mut Ending),
        cut: Cut,
    ) -> Action {
        let Cut { took, cost_usd, redeliver, withdraws, exceeded } = cut;
        let redeliver = redeliver
            && matches!(&self.state.phase, Phase::Asking(asking) if asking.delivering.is_some());
        let queued = self.state.queue.iter().filter(|_| withdraws);
        let withdrawn = queued.map(|pending| pending.prompt).collect();
        let mut spent = self.state.spent;
        spent.add(took, cost_usd);
        let exceeded = exceeded.or_else(|| Exceeded::of(exit, &self.state.limits, &spent));
        let mut ending = match exceeded {
            // A guardrail's message is complete: the observed value is always its limit plus one.
            Some(exceeded) if exit.tripped().is_none() => {
                self.ending_with(&exit.clone().with_limit(exceeded.in_words()))
            }
            Some(_) | None => self.ending_with(exit),
        };
        details(&mut ending);
        let exceeded = exceeded.map(Box::new);
        self.record(
            events,
            Event::Ended { ending, took, cost_usd, redeliver, withdrawn, exceeded },
        );
        Action::End
    }

    /// How the run would end now, for this exit.
    pub(crate) fn ending_with(&self, exit: &Exit) -> Ending {
        Ending::new(exit, self.step().name, self.position.steps(), self.state.spec.rehearsal)
    }

    pub(super) fn record(&mut self, events: &mut Vec<Event>, event: Event) {
        self.state.apply(&event);
        events.push(event);
    }
}

/// The turn that the end of its run cuts short.
#[derive(Clone, Copy, Default)]
pub(super) struct Cut {
    pub(super) took: Duration,
    pub(super) cost_usd: Option<f64>,
    /// Whether the prompt of that turn is queued again, because the agent may not have received it.
    /// Only a failure leaves that open: a person who ends a run sees what it was doing.
    redeliver: bool,
    /// Whether the run's queued prompts are withdrawn with it.
    withdraws: bool,
    /// The limit that ends the run, if it is not one of the run itself.
    exceeded: Option<Exceeded>,
}

/// Follows an outcome, or the limit that stands in its place.
pub(super) fn step_on(
    position: &mut dyn AnyPosition,
    outcome: &str,
    limits: &Guardrails,
) -> Result<Next, UnknownName> {
    let limit = VisitLimit::in_place_of(outcome);
    match limit.and_then(|limit| position.exceed_within(limit, limits)) {
        Some(next) => Ok(next),
        None => position.report_within(outcome, limits),
    }
}

impl Cut {
    pub(super) fn after(took: Duration) -> Self {
        Self { took, ..Self::default() }
    }

    /// The same for a run that this limit ends.
    pub(super) fn because(self, exceeded: Exceeded) -> Self {
        Self { exceeded: Some(exceeded), ..self }
    }

    fn stopped(took: Duration) -> Self {
        Self { withdraws: true, ..Self::after(took) }
    }
}

impl fmt::Debug for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { recipe, position, state } = self;
        f.debug_struct("Run")
            .field("recipe", recipe)
            .field("position", position)
            .field("state", state)
            .finish()
    }
}
