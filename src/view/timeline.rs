//! What happened in a run, for people: its visits of steps, in order.

use std::time::Duration;

use super::detail::Detail;
use super::end_card::EndCard;
use super::facts::RunFacts;
use super::next_action::{Ended, NextAction};
use super::proof::{self, MAX_REMARK_CHARS, Proof, RestsOn};
use super::reading::Reading;
use super::review;
use super::run_view::{RunView, Transition};
use super::status::Status;
use super::step_limit;
use super::visit::Visit;
use super::words::{brief, count, dollars, took};
use super::workplace::Workplace;
use crate::recipe::Tool;
use crate::run::{
    CheckKind, CheckResult, CheckSubject, Ending, Event, Finding, Limits, Moment, PromptId,
    Purpose, ReplyReading, ResumedBy, ToolRefusal, Usage,
};
use crate::{Category, ExitReason, NextOutline, Outline, RunLimit, RunRemedy, VisitLimit};

/// How many forbidden files a visit's remarks name. The view has more of them.
const MAX_REMARKED_FILES: usize = 5;

/// A run so far, built from the run's events one by one.
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
///     script: None,
///     started_at: 1_750_000_000_000,
///     created_from: None,
///     task: None,
/// };
/// let mut timeline = Timeline::new(facts, None);
/// let moved = Event::Moved {
///     from: "rebase".to_owned(),
///     outcome: "conflicts".to_owned(),
///     to: "fix".to_owned(),
///     number: 2,
///     visit: 1,
///     instead_of: None,
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
    /// What the chain of runs has used up, including this one.
    used: Usage,
    /// The prompts that are queued for the agent, even after the run has ended.
    queue: Vec<PromptId>,
    /// The prompt that is being delivered.
    delivering: Option<PromptId>,
    /// What the run is waiting for, as text; `None` between turns and checks.
    asked_for: Option<&'static str>,
    /// The checks since the agent's last turn: their kind, and whether they passed.
    last_checks: Vec<(CheckKind, bool)>,
    /// Whether the run changed files that it may not change, since it began or was resumed.
    broke_rules: bool,
    /// The outcome that the agent reported last and its findings, until it is followed.
    reported: Option<(String, Vec<Finding>)>,
    /// Which limit a visit has used up, in words, until the run moves or ends.
    used_up: Option<String>,
    /// Whether a step's own budget ended the run, and not the run's.
    stopped_by_step: bool,
}

/// Up to three things to do about a run that has ended, the most useful first.
#[must_use]
pub fn next_actions(timeline: &Timeline) -> Vec<NextAction> {
    let Some(ending) = &timeline.ending else { return Vec::new() };
    let is_denied = ExitReason::lookup(&ending.reason) == Some(ExitReason::PermissionDenied);
    let ended = Ended {
        remedy: match Reading::of(ending, timeline.outline).remedy {
            // A budget of one visit is the author's; the next visit begins with a new one.
            RunRemedy::Raise(RunLimit::Budget) if timeline.stopped_by_step => RunRemedy::Resume,
            remedy => remedy,
        },
        paused: ending.resume_at.is_some(),
        continued_by: ending.continued_by,
        offered: timeline.outline.is_some(),
        allow: if is_denied { timeline.view.proof.missing_permissions() } else { Vec::new() },
        goal_met: ending.goal_met,
        worktree: ending.continued_by.is_none() && timeline.view.workplace.has_worktree(),
        limits: &timeline.view.limits,
        used: &timeline.used,
    };
    ended.actions()
}

impl Timeline {
    /// A run without events. Without an outline, its recipe is not in the catalog.
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
            workplace: Workplace::default(),
            proof: Proof::default(),
            details: Vec::new(),
            end: None,
            next: Vec::new(),
        };
        Self {
            facts,
            outline,
            view,
            ending: None,
            used: Usage::default(),
            queue: Vec::new(),
            delivering: None,
            asked_for: None,
            last_checks: Vec::new(),
            broke_rules: false,
            reported: None,
            used_up: None,
            stopped_by_step: false,
        }
    }

    /// What was known about the run before its first event.
    #[must_use]
    pub const fn facts(&self) -> &RunFacts {
        &self.facts
    }

    /// The run as it is shown.
    #[must_use]
    pub const fn view(&self) -> &RunView {
        &self.view
    }

    /// How it ended; `None` while it has not.
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

    /// How long it took, from its beginning to its last event.
    #[must_use]
    pub const fn took(&self) -> Duration {
        Duration::from_millis(self.view.changed_at.saturating_sub(self.view.started_at))
    }

    /// What the run took, in words: `rebase took 3 steps of at most 8 in 2 min, for about $1.20`.
    fn summary(&self) -> String {
        let steps = count(self.view.visits.len(), "step");
        let most =
            self.view.max_steps.map(|most| format!(" of at most {most}")).unwrap_or_default();
        let cost = self.view.cost_usd;
        let cost =
            if cost > 0.0 { format!(", for about {}", dollars(cost)) } else { String::new() };
        format!("{} took {steps}{most} in {}{cost}", self.facts.recipe, took(self.took()))
    }

    /// Applies the next event: its number, when it happened (in milliseconds since 1970), and the
    /// event itself.
    pub fn apply(&mut self, seq: u64, at: u64, event: &Event) {
        (self.view.seq, self.view.changed_at) = (seq, at);
        match event {
            Event::Started { recipe, step, spec, .. } => {
                self.view.task.clone_from(&spec.task);
                self.view.limits = spec.limits;
                self.view.workplace = Workplace::of(recipe, spec);
                let worktree = self.view.workplace.worktree.as_ref();
                self.facts.created_from = worktree.map(|worktree| worktree.repository.clone());
                self.facts.task.clone_from(&spec.task);
                self.facts.script.clone_from(&spec.script);
                self.used = spec.spent;
                self.enter(1, step);
            }
            Event::TurnBegan { purpose, .. } => self.begin_turn(purpose),
            Event::Replied { read, took, cost_usd, .. } => {
                (self.delivering, self.asked_for) = (None, None);
                self.spend(*took, *cost_usd);
                self.read(read);
            }
            Event::TreeSeen { moment: Moment::Before, .. } => {}
            Event::TreeSeen { moment: Moment::After { changes }, .. } => {
                self.view.proof.record_changes(changes);
            }
            Event::RulesBroken { violations, .. } => {
                self.broke_rules = true;
                self.view.proof.record_violations(violations);
                for violation in violations.iter().take(MAX_REMARKED_FILES) {
                    self.remark(format!("changed {violation}"));
                }
            }
            Event::WorktreeEnded { end } => {
                self.view.workplace.end(end);
                self.view.next = next_actions(self);
            }
            Event::ToolsRefused { refused, .. } => refused.iter().for_each(|it| self.refuse(it)),
            Event::CheckBegan { subject, .. } => {
                self.last_checks.clear();
                self.asked_for = Some(match subject {
                    CheckSubject::Outcome { .. } => {
                        "what the engine finds in the working directory"
                    }
                    CheckSubject::Command => "the command that this step runs",
                    CheckSubject::Worktree => "the worktree, which is being created and set up",
                });
            }
            Event::Checked { results, took, .. } => {
                self.asked_for = None;
                self.spend(*took, None);
                for result in results {
                    self.check(result);
                }
            }
            Event::Retried { number, of, problem, .. } => {
                self.last_checks.clear();
                self.change(|visit| visit.retries += 1);
                let problem = brief(problem, MAX_REMARK_CHARS);
                self.remark(format!("asked again ({number} of {of}): {problem}"));
            }
            Event::LimitReached { step, limit, exceeded, took, cost_usd } => {
                (self.delivering, self.asked_for, self.reported) = (None, None, None);
                self.spend(*took, *cost_usd);
                self.used_up = Some(step_limit::left(step, *limit, **exceeded));
            }
            Event::Moved { from, outcome, to, number, visit: _, instead_of } => {
                self.leave(from, outcome, to, instead_of.as_deref());
                self.enter(*number, to);
            }
            Event::PromptQueued { prompt, .. } => {
                self.queue.push(*prompt);
                self.remark("a prompt is queued for the agent");
            }
            Event::Ended { ending, took, cost_usd, redeliver, withdrawn, exceeded } => {
                let exceeded = exceeded.as_deref();
                self.stopped_by_step = step_limit::is_own_budget(exceeded, &self.view.limits);
                self.spend(*took, *cost_usd);
                self.withdraw(*redeliver, withdrawn);
                self.end(ending);
            }
            Event::Resumed {
                by,
                limits,
                extra_visits,
                extra_steps,
                allow_tools,
                permits,
                delivered,
            } => {
                if *extra_visits > 0 || *extra_steps > 0 {
                    // The recipe's own limits no longer apply.
                    (self.view.raised, self.view.max_steps) = (true, None);
                }
                self.view.limits = *limits;
                self.queue.retain(|prompt| !delivered.contains(prompt));
                self.resume(*by);
                self.view.workplace.permits.add(*permits);
                self.allow(allow_tools);
            }
        }
        let (workplace, proof) = (self.view.workplace.details(), self.view.proof.details());
        self.view.details = self.waiting_for().into_iter().chain(workplace).chain(proof).collect();
        self.view.queued = if self.is_over() { Vec::new() } else { self.queue.clone() };
    }

    /// Notes the tools that a resume allowed in addition to those of the start.
    fn allow(&mut self, tools: &[Tool]) {
        if !tools.is_empty() {
            let tools: Vec<_> = tools.iter().map(|tool| format!("`{tool}`")).collect();
            self.remark(format!("allowed in addition: {}", tools.join(", ")));
        }
    }

    /// What the run is waiting for, if that is known.
    fn waiting_for(&self) -> Option<Detail> {
        let text = match self.view.status {
            Status::Running => self.asked_for?,
            Status::Paused => "the time at which it is resumed automatically",
            Status::Ended(_) => return None,
        };
        Some(Detail { label: "waiting for".to_owned(), text: text.to_owned() })
    }

    fn begin_turn(&mut self, purpose: &Purpose) {
        self.last_checks.clear();
        self.reported = None;
        self.asked_for = Some(match purpose {
            Purpose::Step | Purpose::Continue => "the agent's reply",
            Purpose::Remind { .. } => "the agent's reply to a retry",
            Purpose::Evidence { .. } => "the agent's reply about the missing evidence",
            Purpose::Verify { .. } => "the agent's reply about the failed command",
            Purpose::Deliver { .. } => "the agent's answer to a prompt",
        });
        self.view.turns += 1;
        self.used.ticks = self.used.ticks.saturating_add(1);
        match purpose {
            Purpose::Deliver { prompt } => {
                self.delivering = Some(*prompt);
                self.queue.retain(|queued| queued != prompt);
                self.remark("the agent is given a queued prompt");
            }
            Purpose::Step
            | Purpose::Continue
            | Purpose::Remind { .. }
            | Purpose::Evidence { .. }
            | Purpose::Verify { .. } => {}
        }
    }

    fn read(&mut self, read: &ReplyReading) {
        match read {
            ReplyReading::Outcome { outcome, findings, repaired, .. } => {
                self.reported = Some((outcome.clone(), findings.clone()));
                if !repaired.is_empty() {
                    self.remark(format!("its reply was repaired ({})", repaired.join(", ")));
                }
            }
            ReplyReading::Unread { .. } | ReplyReading::NotAsked => {}
        }
    }

    /// Follows the reported outcome: its findings become a round of a review, or the review is
    /// settled.
    fn review(&mut self) {
        let (Some((outcome, findings)), Some(visit)) =
            (self.reported.take(), self.view.visits.last())
        else {
            return;
        };
        let reviews = &mut self.view.proof.reviews;
        let step = self.outline.and_then(|outline| outline.step(&visit.step));
        let carries = step
            .is_some_and(|step| step.outcomes.iter().any(|it| it.findings && it.name == outcome));
        if !findings.is_empty() {
            review::found(reviews, visit, &findings);
            self.remark(format!("the review found {}", count(findings.len(), "issue")));
        } else if !carries {
            review::settle(reviews, &visit.step);
        }
    }

    fn refuse(&mut self, refused: &ToolRefusal) {
        if let Some(visit) = self.view.visits.last() {
            self.view.proof.record_refusal(visit, refused);
        }
        self.remark(format!("the agent was refused {}", proof::short(refused)));
    }

    fn check(&mut self, result: &CheckResult) {
        self.last_checks.push((result.kind, result.passed()));
        if let Some(visit) = self.view.visits.last() {
            self.view.proof.record_check(visit, result);
        }
        self.remark(proof::remark(result));
    }

    /// What an end is based on: the checks since the agent's last turn or, if there were none, the
    /// agent's report.
    fn rests_on(&self, ending: &Ending) -> Option<RestsOn> {
        if ending.rehearsal {
            return Some(RestsOn::Rehearsal);
        }
        if self.broke_rules {
            return Some(RestsOn::Evidence);
        }
        let looked_up = self.last_checks.iter().any(|(kind, _)| *kind == CheckKind::Evidence);
        let checked = if looked_up { RestsOn::Evidence } else { RestsOn::Command };
        match &ending.outcome {
            // The engine counts what a visit uses up.
            Some(outcome) if VisitLimit::in_place_of(outcome).is_some() => None,
            // A guardrail trips regardless of what the agent reported.
            Some(outcome)
                if ending.category == Category::Guardrail
                    && !self.is_exit(&ending.step, outcome) =>
            {
                None
            }
            Some(_) if self.last_checks.is_empty() => Some(RestsOn::Agent),
            Some(_) => Some(checked),
            // Without an outcome, only a check that failed is a reason to end.
            None => self.last_checks.iter().any(|(_, passed)| !passed).then_some(checked),
        }
    }

    /// Whether an outcome ends the run itself. Without an outline that is not known.
    fn is_exit(&self, step: &str, outcome: &str) -> bool {
        let outcomes =
            self.outline.and_then(|outline| outline.step(step)).map(|step| step.outcomes);
        let reported = outcomes.into_iter().flatten().find(|known| known.name == outcome);
        reported.is_some_and(|reported| matches!(reported.next, NextOutline::Exit(_)))
    }

    fn withdraw(&mut self, redeliver: bool, withdrawn: &[PromptId]) {
        let cut_short = self.delivering.take().filter(|_| redeliver);
        self.queue.splice(0..0, cut_short);
        self.queue.retain(|prompt| !withdrawn.contains(prompt));
        self.view.withdrawn.extend(withdrawn);
    }

    fn end(&mut self, ending: &Ending) {
        if let Some(left) = self.used_up.take() {
            self.remark(left);
        }
        if ending.outcome.is_some() {
            self.review();
        }
        let at = self.view.changed_at;
        self.change(|visit| visit.leave(ending.outcome.as_deref(), at));
        if let Some(outcome) = &ending.outcome {
            self.take(&ending.step, outcome, None);
        }
        if let Some(resume_at) = ending.resume_at {
            let wait = took(Duration::from_millis(resume_at.saturating_sub(at)));
            self.remark(format!("stopped ({}); resumes automatically in {wait}", ending.reason));
        }
        (self.asked_for, self.reported) = (None, None);
        self.view.proof.rests_on = self.rests_on(ending);
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
            Some(ending) if ending.resume_at.is_none() => {
                format!("stopped ({}), then {how}", ending.reason)
            }
            // A remark about the stop exists already.
            Some(_) | None => how.to_owned(),
        };
        let at = self.view.changed_at;
        self.change(|visit| visit.resume(at));
        self.remark(words);
        self.view.status = Status::Running;
        self.view.proof.rests_on = None;
        self.view.proof.violations.clear();
        self.broke_rules = false;
        self.view.end = None;
        self.view.next = Vec::new();
    }

    fn enter(&mut self, number: u32, step: &str) {
        self.view.visits.push(Visit::enter(number, step, self.view.changed_at, self.view.seq));
    }

    /// An outcome or a limit leads away from the current step, and to the step `to`: instead of
    /// `full`, if it leads there.
    fn leave(&mut self, from: &str, outcome: &str, to: &str, full: Option<&str>) {
        self.review();
        if let Some(left) = self.used_up.take() {
            self.remark(format!("{left}; on to `{to}`"));
        }
        if let Some(full) = full {
            self.remark(format!(
                "`{full}` was visited as often as it may be, so the run goes to `{to}`"
            ));
        }
        let at = self.view.changed_at;
        self.change(|visit| visit.leave(Some(outcome), at));
        self.take(from, outcome, full.map(|_| to.to_owned()));
        self.last_checks.clear();
    }

    fn take(&mut self, from: &str, outcome: &str, detour: Option<String>) {
        let (from, outcome) = (from.to_owned(), outcome.to_owned());
        self.view.transitions.push(Transition { seq: self.view.seq, from, outcome, detour });
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
        // A negative or invalid cost is ignored.
        let cost = cost_usd.filter(|cost| cost.is_finite() && *cost > 0.0).unwrap_or(0.0);
        self.view.cost_usd += cost;
        self.used.cost_usd += cost;
        self.used.time = self.used.time.saturating_add(time);
    }
}

#[cfg(test)]
mod tests;
