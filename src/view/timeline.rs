//! What happened in a run, as people are told it: one visit of a step after the other.

use std::time::Duration;

use super::end_card::EndCard;
use super::facts::RunFacts;
use super::next_action::{Ended, NextAction};
use super::reading::Reading;
use super::run_view::{Detail, RunView, Transition};
use super::status::Status;
use super::visit::Visit;
use super::words::{count, dollars, took};
use crate::Outline;
use crate::run::{Ending, Event, Limits, PromptId, Purpose, Read, ResumedBy, Spent};

/// A run so far. It follows from the run's events, which it takes in one by one.
///
/// ```
/// use surefire::run::{Event, Limits};
/// use surefire::view::{RunFacts, Status, Timeline};
///
/// let id = "3f2a8c1e-5b7d-4e90-a1c6-9d8e7f6a5b4c";
/// let facts = RunFacts {
///     run: id.parse().unwrap(),
///     session: id.parse().unwrap(),
///     recipe: "rebase".to_owned(),
///     recipe_label: "Rebase".to_owned(),
///     directory: "/projects/shop".to_owned(),
///     agent: "claude".to_owned(),
///     rehearsal: false,
///     started_at: 1_750_000_000_000,
/// };
/// let mut timeline = Timeline::new(facts, None);
/// let moved = Event::Moved {
///     from: "rebase".to_owned(),
///     outcome: "conflicts".to_owned(),
///     to: "fix".to_owned(),
///     number: 2,
///     visit: 1,
/// };
/// timeline.apply(4, 1_750_000_060_000, &moved);
/// assert_eq!(timeline.view().status, Status::Running);
/// assert_eq!(timeline.view().current().unwrap().step, "fix");
/// ```
#[derive(Debug, Clone)]
pub struct Timeline {
    facts: RunFacts,
    outline: Option<&'static Outline>,
    view: RunView,
    ending: Option<Ending>,
    /// What the chain of runs has used up, this one included.
    used: Spent,
    /// The prompts that the agent has not had yet, even while the run has ended.
    waiting: Vec<PromptId>,
    /// The prompt that the agent is given right now.
    delivering: Option<PromptId>,
    /// What the agent was asked for, and has not replied to yet.
    asked_for: Option<&'static str>,
}

/// Up to three things to do about a run that has ended, the most useful first.
#[must_use]
pub fn next_actions(timeline: &Timeline) -> Vec<NextAction> {
    let Some(ending) = &timeline.ending else { return Vec::new() };
    let ended = Ended {
        remedy: Reading::of(ending, timeline.outline).remedy,
        paused: ending.resume_at.is_some(),
        continued_by: ending.continued_by,
        offered: timeline.outline.is_some(),
        limits: &timeline.view.limits,
        used: &timeline.used,
    };
    ended.actions()
}

impl Timeline {
    /// A run in which nothing has happened yet. Without an outline its recipe is not on offer.
    #[must_use]
    pub fn new(facts: RunFacts, outline: Option<&'static Outline>) -> Self {
        let view = RunView {
            seq: 0,
            status: Status::Running,
            started_at: facts.started_at,
            changed_at: facts.started_at,
            task: None,
            max_steps: outline.map(|outline| outline.max_steps),
            raised: false,
            limits: Limits::default(),
            turns: 0,
            cost_usd: 0.0,
            visits: Vec::new(),
            transitions: Vec::new(),
            queued: Vec::new(),
            withdrawn: Vec::new(),
            details: Vec::new(),
            end: None,
            next: Vec::new(),
        };
        let (used, waiting) = (Spent::default(), Vec::new());
        Self { facts, outline, view, ending: None, used, waiting, delivering: None, asked_for: None }
    }

    /// What was known about the run before.
    #[must_use]
    pub const fn facts(&self) -> &RunFacts {
        &self.facts
    }

    /// The run as it is shown.
    #[must_use]
    pub const fn view(&self) -> &RunView {
        &self.view
    }

    /// How it ended, if it has.
    #[must_use]
    pub const fn ending(&self) -> Option<&Ending> {
        self.ending.as_ref()
    }

    /// Whether it has ended, and is not resumed automatically.
    #[must_use]
    pub fn is_over(&self) -> bool {
        match self.view.status {
            Status::Ended(_) => true,
            Status::Running | Status::Paused => false,
        }
    }

    /// Whether it has stopped, and is resumed automatically.
    #[must_use]
    pub fn is_paused(&self) -> bool {
        self.view.status == Status::Paused
    }

    /// How long all of it took, from its beginning to the last thing that happened.
    #[must_use]
    pub const fn took(&self) -> Duration {
        Duration::from_millis(self.view.changed_at.saturating_sub(self.view.started_at))
    }

    /// What the run took, in words: `rebase took 3 steps of at most 8 in 2 min, for about $1.20`.
    fn summary(&self) -> String {
        let steps = count(self.view.visits.len(), "step");
        let most = self.view.max_steps.map(|most| format!(" of at most {most}")).unwrap_or_default();
        let cost = self.view.cost_usd;
        let cost = if cost > 0.0 { format!(", for about {}", dollars(cost)) } else { String::new() };
        format!("{} took {steps}{most} in {}{cost}", self.facts.recipe, took(self.took()))
    }

    /// Takes in the next event: its number, when it happened (in milliseconds since 1970), and what it was.
    pub fn apply(&mut self, seq: u64, at: u64, event: &Event) {
        (self.view.seq, self.view.changed_at) = (seq, at);
        match event {
            Event::Started { step, order, .. } => {
                self.view.task.clone_from(&order.about);
                self.view.limits = order.limits;
                self.used = order.spent;
                self.enter(1, step);
            }
            Event::TurnBegan { purpose, .. } => self.begin_turn(purpose),
            Event::Replied { read, took, cost_usd, .. } => {
                (self.delivering, self.asked_for) = (None, None);
                self.spend(*took, *cost_usd);
                match read {
                    Read::Outcome { repaired, .. } if !repaired.is_empty() => {
                        self.remark(format!("its reply was repaired ({})", repaired.join(", ")));
                    }
                    Read::Outcome { .. } | Read::Unread { .. } | Read::NotAsked => {}
                }
            }
            Event::Reasked { number, of, problem, .. } => {
                self.change(|visit| visit.retries += 1);
                self.remark(format!("asked again ({number} of {of}): {problem}"));
            }
            Event::Moved { from, outcome, to, number, .. } => {
                self.change(|visit| visit.leave(Some(outcome), at));
                self.take(from, outcome);
                self.enter(*number, to);
            }
            Event::PromptQueued { prompt, .. } => {
                self.waiting.push(*prompt);
                self.remark("a prompt is queued for the agent");
            }
            Event::Ended { ending, took, cost_usd, unheard, withdrawn, exceeded: _ } => {
                self.spend(*took, *cost_usd);
                self.withdraw(*unheard, withdrawn);
                self.end(ending);
            }
            Event::Resumed { by, limits, extra_visits, extra_steps, told } => {
                if *extra_visits > 0 || *extra_steps > 0 {
                    // What the recipe allows is no longer what the run may do.
                    (self.view.raised, self.view.max_steps) = (true, None);
                }
                self.view.limits = *limits;
                self.waiting.retain(|prompt| !told.contains(prompt));
                self.resume(*by);
            }
        }
        self.view.details = self.waiting_for().into_iter().collect();
        self.view.queued = if self.is_over() { Vec::new() } else { self.waiting.clone() };
    }

    /// What nothing happens before, if that is known.
    fn waiting_for(&self) -> Option<Detail> {
        let text = match self.view.status {
            Status::Running => self.asked_for?,
            Status::Paused => "the time at which it is resumed automatically",
            Status::Ended(_) => return None,
        };
        Some(Detail { label: "waiting for".to_owned(), text: text.to_owned() })
    }

    fn begin_turn(&mut self, purpose: &Purpose) {
        self.asked_for = Some(match purpose {
            Purpose::Step | Purpose::Continue => "the agent's reply",
            Purpose::Remind { .. } => "the agent's reply, which it was asked for again",
            Purpose::Pass { .. } => "the agent's answer to a prompt",
        });
        self.view.turns += 1;
        self.used.ticks = self.used.ticks.saturating_add(1);
        match purpose {
            Purpose::Pass { prompt } => {
                self.delivering = Some(*prompt);
                self.waiting.retain(|waiting| waiting != prompt);
                self.remark("the agent is given a queued prompt");
            }
            Purpose::Step | Purpose::Continue | Purpose::Remind { .. } => {}
        }
    }

    fn withdraw(&mut self, unheard: bool, withdrawn: &[PromptId]) {
        let cut_short = self.delivering.take().filter(|_| unheard);
        self.waiting.splice(0..0, cut_short);
        self.waiting.retain(|prompt| !withdrawn.contains(prompt));
        self.view.withdrawn.extend(withdrawn);
    }

    fn end(&mut self, ending: &Ending) {
        let at = self.view.changed_at;
        self.change(|visit| visit.leave(ending.outcome.as_deref(), at));
        if let Some(outcome) = &ending.outcome {
            self.take(&ending.step, outcome);
        }
        if let Some(resume_at) = ending.resume_at {
            let wait = took(Duration::from_millis(resume_at.saturating_sub(at)));
            self.remark(format!("stopped ({}); resumes automatically in {wait}", ending.reason));
        }
        self.asked_for = None;
        self.ending = Some(ending.clone());
        self.view.status = Status::of(Some(ending), self.outline);
        self.view.end = Some(EndCard::new(self.view.seq, ending, self.summary()));
        self.view.next = next_actions(self);
    }

    fn resume(&mut self, by: ResumedBy) {
        let how = match by {
            ResumedBy::User => "resumed by a client",
            ResumedBy::Auto => "resumed automatically",
        };
        let words = match self.ending.take() {
            Some(ending) if ending.resume_at.is_none() => format!("stopped ({}), then {how}", ending.reason),
            // That it had stopped was said when it did.
            Some(_) | None => how.to_owned(),
        };
        let at = self.view.changed_at;
        self.change(|visit| visit.resume(at));
        self.remark(words);
        self.view.status = Status::Running;
        self.view.end = None;
        self.view.next = Vec::new();
    }

    fn enter(&mut self, number: u32, step: &str) {
        self.view.visits.push(Visit::enter(number, step, self.view.changed_at, self.view.seq));
    }

    fn take(&mut self, from: &str, outcome: &str) {
        let (from, outcome) = (from.to_owned(), outcome.to_owned());
        self.view.transitions.push(Transition { seq: self.view.seq, from, outcome });
    }

    fn remark(&mut self, words: impl Into<String>) {
        self.change(|visit| visit.remarks.push(words.into()));
    }

    /// Changes the current visit, which is marked as changed by this event.
    fn change(&mut self, change: impl FnOnce(&mut Visit)) {
        let seq = self.view.seq;
        if let Some(visit) = self.view.visits.last_mut() {
            visit.seq = seq;
            change(visit);
        }
    }

    fn spend(&mut self, time: Duration, cost_usd: Option<f64>) {
        // A negative or senseless figure gives no money back.
        let cost = cost_usd.filter(|cost| cost.is_finite() && *cost > 0.0).unwrap_or(0.0);
        self.view.cost_usd += cost;
        self.used.cost_usd += cost;
        self.used.time = self.used.time.saturating_add(time);
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::run::{AttemptId, Order, RunId};
    use crate::view::Action;
    use crate::{Exit, ExitReason, Verdict};

    surefire::recipe! {
        /// A recipe that is on offer.
        recipe OneStep {
            initial: Work,
            guardrails: { max_total_steps: 2 },
            step Work { prompt: "Work.", outcomes: [Done], Done => exit TaskCommitted }
        }
    }

    fn facts() -> RunFacts {
        RunFacts {
            run: Uuid::from_u128(7).into(),
            session: Uuid::from_u128(8).into(),
            recipe: "rebase".to_owned(),
            recipe_label: "Rebase".to_owned(),
            directory: "/project".to_owned(),
            agent: "claude".to_owned(),
            rehearsal: false,
            started_at: 0,
        }
    }

    fn started() -> Event {
        let RunFacts { run, session, agent, directory, .. } = facts();
        let order = Order {
            run,
            session,
            agent,
            rehearsal: false,
            directory: directory.into(),
            about: Some("the login page".to_owned()),
            model: None,
            limits: Limits { max_ticks: Some(4), ..Limits::default() },
            spent: Spent { ticks: 3, ..Spent::default() },
            restarts: 0,
            continues: None,
        };
        let (recipe, fingerprint, step) = ("rebase".to_owned(), String::new(), "rebase".to_owned());
        Event::Started { recipe, fingerprint, step, order: Box::new(order) }
    }

    fn prompt(number: u128) -> PromptId {
        Uuid::from_u128(number).into()
    }

    fn queued(number: u128) -> Event {
        Event::PromptQueued { prompt: prompt(number), text: "Mind the tests.".to_owned() }
    }

    fn turn(purpose: Purpose) -> Event {
        Event::TurnBegan { attempt: Uuid::from_u128(9).into(), step: "rebase".to_owned(), purpose }
    }

    fn pass(number: u128) -> Event {
        turn(Purpose::Pass { prompt: prompt(number) })
    }

    fn replied(cost_usd: f64, repaired: &[&str]) -> Event {
        let attempt: AttemptId = Uuid::from_u128(9).into();
        let repaired = repaired.iter().map(|word| (*word).to_owned()).collect();
        let read = Read::Outcome { outcome: "conflicts".to_owned(), description: None, repaired };
        let took = Duration::from_secs(1);
        Event::Replied { attempt, read, took, cost_usd: Some(cost_usd), version: None }
    }

    fn retried(number: u32) -> Event {
        let (step, problem) = ("rebase".to_owned(), "there is no JSON object in it".to_owned());
        Event::Reasked { step, number, of: 3, problem }
    }

    fn moved(to: &str, number: u32) -> Event {
        let (from, outcome) = ("rebase".to_owned(), "conflicts".to_owned());
        Event::Moved { from, outcome, to: to.to_owned(), number, visit: 1 }
    }

    fn ending(reason: ExitReason) -> Ending {
        Ending::new(&Exit::because(reason), "fix", 2, false)
    }

    fn ended(reason: ExitReason) -> Event {
        Event::ended(ending(reason))
    }

    fn resumed(by: ResumedBy, extra_visits: u32) -> Event {
        Event::Resumed { by, limits: Limits::default(), extra_visits, extra_steps: 0, told: vec![prompt(2)] }
    }

    /// The timeline after these events, which happened at these seconds.
    fn after(events: &[(u64, Event)]) -> Timeline {
        let mut timeline = Timeline::new(facts(), None);
        for (seq, (second, event)) in (1..).zip(events) {
            timeline.apply(seq, second * 1000, event);
        }
        timeline
    }

    #[test]
    fn each_event_is_told_in_plain_words() {
        let wait = Ending { resume_at: Some(1_303_000), ..ending(ExitReason::RateLimited) };
        let table: [(&[Event], &[&str]); 7] = [
            (&[queued(1)], &["a prompt is queued for the agent"]),
            (&[pass(1)], &["the agent is given a queued prompt"]),
            (&[turn(Purpose::Step), replied(0.0, &[])], &[]),
            (&[replied(0.0, &["a trailing comma"])], &["its reply was repaired (a trailing comma)"]),
            (
                &[retried(1), retried(2)],
                &[
                    "asked again (1 of 3): there is no JSON object in it",
                    "asked again (2 of 3): there is no JSON object in it",
                ],
            ),
            (
                &[ended(ExitReason::UserStopped), resumed(ResumedBy::User, 0)],
                &["stopped (user_stopped), then resumed by a client"],
            ),
            (
                &[Event::ended(wait), resumed(ResumedBy::Auto, 0)],
                &["stopped (rate_limited); resumes automatically in 20 min", "resumed automatically"],
            ),
        ];
        for (events, remarks) in table {
            let events: Vec<_> = std::iter::once(started()).chain(events.iter().cloned()).collect();
            let timeline = after(&events.into_iter().map(|event| (103, event)).collect::<Vec<_>>());
            assert_eq!(timeline.view().visits[0].remarks, remarks);
        }
    }

    #[test]
    fn a_run_is_counted() {
        let events = [started(), turn(Purpose::Step), replied(0.25, &[]), retried(1), moved("fix", 2)];
        let timeline = after(&events.map(|event| (1, event)));
        let view = timeline.view();
        assert_eq!((view.turns, view.cost_usd, view.visits[0].retries), (1, 0.25, 1));
        assert_eq!(view.task.as_deref(), Some("the login page"));
        let taken: Vec<_> =
            view.transitions.iter().map(|it| (it.from.as_str(), it.outcome.as_str())).collect();
        assert_eq!(taken, [("rebase", "conflicts")]);
        assert_eq!((view.status, view.end.is_none(), view.next.is_empty()), (Status::Running, true, true));
        let nonsense = after(&[(0, started()), (1, replied(-1.0, &[])), (2, replied(f64::NAN, &[]))]);
        assert!(nonsense.view().cost_usd.abs() < f64::EPSILON);
    }

    #[test]
    fn a_visit_takes_no_longer_because_its_run_was_over_for_a_while() {
        let end = ended(ExitReason::UserStopped);
        let timeline = after(&[
            (1, moved("fix", 2)),
            (3, end.clone()),
            (3600, resumed(ResumedBy::User, 0)),
            (3601, end.clone()),
            (3700, end),
            (7200, resumed(ResumedBy::User, 0)),
            (7204, moved("commit", 3)),
        ]);
        let visits = &timeline.view().visits;
        assert_eq!(visits[0].took(7_204_000), Duration::from_secs(2 + 1 + 4));
        assert_eq!(visits[1].took(7_205_000), Duration::from_secs(1));
    }

    #[test]
    fn a_prompt_is_queued_until_the_agent_has_it_or_never_gets_it() {
        let mut timeline = after(&[(0, started()), (1, queued(1)), (2, queued(2)), (3, pass(1))]);
        assert_eq!(timeline.view().queued, [prompt(2)]);
        // The agent may not have had the one that was being delivered.
        let paused = Ending { resume_at: Some(9000), ..ending(ExitReason::Interrupted) };
        let cut_short = Event::Ended {
            ending: paused,
            took: Duration::ZERO,
            cost_usd: None,
            unheard: true,
            withdrawn: Vec::new(),
            exceeded: None,
        };
        timeline.apply(5, 5000, &cut_short);
        assert_eq!(timeline.view().queued, [prompt(1), prompt(2)]);
        // The second was delivered outside of the run.
        timeline.apply(6, 6000, &resumed(ResumedBy::Auto, 0));
        assert_eq!(timeline.view().queued, [prompt(1)]);
        let stopped = Event::Ended {
            ending: ending(ExitReason::UserRequested),
            took: Duration::ZERO,
            cost_usd: None,
            unheard: false,
            withdrawn: vec![prompt(1)],
            exceeded: None,
        };
        timeline.apply(7, 7000, &stopped);
        assert_eq!(
            (timeline.view().queued.len(), timeline.view().withdrawn.as_slice()),
            (0, &[prompt(1)][..])
        );
    }

    #[test]
    fn an_end_stands_until_the_run_is_resumed() {
        let next: RunId = Uuid::from_u128(4).into();
        let restarted = Ending { continued_by: Some(next), ..ending(ExitReason::RestartNewSession) };
        let mut timeline = after(&[(0, started()), (2, Event::ended(restarted))]);
        assert_eq!(timeline.view().status, Status::Ended(Verdict::Completed));
        assert_eq!(timeline.view().next[0].action, Action::Follow { run_id: next });
        assert!(timeline.is_over() && !timeline.is_paused());
        let end = timeline.view().end.as_ref().unwrap();
        assert_eq!(end.summary, "rebase took 1 step in 2 s");
        assert_eq!(end.why, "it stopped at `fix`: restart-new-session (completed), exit status 0");
        timeline.apply(3, 3000, &resumed(ResumedBy::User, 2));
        let view = timeline.view();
        assert_eq!((view.status, &view.end, view.raised), (Status::Running, &None, true));
        assert!(view.next.is_empty() && timeline.ending().is_none());
    }

    #[test]
    fn the_turns_of_the_whole_chain_count_when_the_limit_is_raised() {
        let mut timeline = after(&[(0, started()), (1, turn(Purpose::Step)), (2, turn(Purpose::Continue))]);
        timeline.outline = Some(<OneStep as crate::Recipe>::OUTLINE);
        timeline.apply(4, 4000, &ended(ExitReason::MaxTicks));
        assert_eq!(timeline.view().next[0].label, "Allow 10 turns in all and resume");
    }

    #[test]
    fn other_is_told_in_the_agents_words() {
        let other = Exit::because(ExitReason::UserProvidedOther).describe("The key is missing.");
        let timeline = after(&[(0, started()), (1, Event::ended(Ending::new(&other, "rebase", 1, true)))]);
        let end = timeline.view().end.as_ref().unwrap();
        assert_eq!(end.message, "The agent stopped, in its own words:");
        assert_eq!(end.description.as_deref(), Some("The key is missing."));
        assert_eq!(end.rehearsal.as_deref(), Some("This was a rehearsal: nothing was really done."));
    }

    #[test]
    fn a_view_and_what_changed_since_make_the_next_view() {
        let wait = Ending { resume_at: Some(60_000), ..ending(ExitReason::RateLimited) };
        let refused =
            Ending { outcome: Some("complete".to_owned()), ..ending(ExitReason::MaxStepVisitsExceeded) };
        let events = [
            started(),
            turn(Purpose::Step),
            queued(1),
            retried(1),
            replied(0.5, &["x"]),
            moved("fix", 2),
            pass(1),
            Event::ended(wait),
            resumed(ResumedBy::Auto, 0),
            Event::ended(refused),
            resumed(ResumedBy::User, 2),
            moved("commit", 3),
            ended(ExitReason::RebaseComplete),
        ];
        let events: Vec<_> = (0..).zip(events).collect();
        let views: Vec<_> = (0..=events.len()).map(|until| after(&events[..until]).view().clone()).collect();
        for (from, old) in views.iter().enumerate() {
            for new in &views[from..] {
                let mut merged = old.clone();
                merged.merge(new.changed_since(old.seq));
                assert_eq!(&merged, new, "from {from} to {}", new.seq);
            }
        }
        assert_eq!(
            views[6].changed_since(5).visits.len(),
            2,
            "the one that was left, and the one that was entered"
        );
        assert_eq!(views[7].changed_since(6).visits.len(), 1);
        let last = serde_json::to_string(&views[13]).unwrap();
        assert_eq!(serde_json::from_str::<RunView>(&last).unwrap(), views[13]);
    }

    #[test]
    fn what_a_run_waits_for_is_known_while_it_is_open() {
        let waits_for = |events: &[(u64, Event)]| {
            let details = after(events).view().details.clone();
            details.into_iter().map(|Detail { label, text }| format!("{label} {text}")).collect::<Vec<_>>()
        };
        let asked = |purpose| (1, turn(purpose));
        let again = Purpose::Remind { number: 1, problem: "no JSON".to_owned() };
        assert_eq!(waits_for(&[(0, started())]), [""; 0]);
        assert_eq!(waits_for(&[(0, started()), asked(Purpose::Step)]), ["waiting for the agent's reply"]);
        assert_eq!(
            waits_for(&[(0, started()), asked(again)]),
            ["waiting for the agent's reply, which it was asked for again"]
        );
        assert_eq!(
            waits_for(&[(0, started()), asked(Purpose::Pass { prompt: prompt(1) })]),
            ["waiting for the agent's answer to a prompt"]
        );
        let paused = Ending { resume_at: Some(9000), ..ending(ExitReason::RateLimited) };
        assert_eq!(
            waits_for(&[(0, started()), (1, Event::ended(paused))]),
            ["waiting for the time at which it is resumed automatically"]
        );
        let over = Event::ended(ending(ExitReason::UserRequested));
        assert_eq!(waits_for(&[(0, started()), asked(Purpose::Step), (2, over)]), [""; 0]);
    }
}
