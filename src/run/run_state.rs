//! The state of a run except for its position, and how each event changes it.

use std::collections::VecDeque;
use std::time::Duration;

use super::check::{CheckKind, CheckResult, CheckSubject};
use super::ending::Ending;
use super::event::{Event, Purpose, RetryCause};
use super::ids::{AttemptId, PromptId};
use super::limits::{Limits, Usage};
use super::refused::ToolRefusal;
use super::resumed::{ResumedBy, Resumes};
use super::review::Reviews;
use super::run_spec::RunSpec;
use super::tree::{Baseline, Moment, TreeState};
use super::worktree::WorktreeEnd;
use crate::{Outline, Violation};

/// The state of a run except for its position. It follows from the events alone: see
/// [`RunState::apply`].
#[derive(Debug, Clone, PartialEq)]
pub(super) struct RunState {
    pub(super) spec: RunSpec,
    pub(super) limits: Limits,
    pub(super) spent: Usage,
    pub(super) extra_visits: u32,
    pub(super) extra_steps: u32,
    /// The prompts that are queued for the agent, in order.
    pub(super) queue: VecDeque<PendingPrompt>,
    /// The purpose of the next turn once the queue is empty: to begin the step, or to continue it.
    pub(super) due: Purpose,
    /// The current visit of the step.
    pub(super) visit: Visit,
    /// How many checks of the run failed.
    pub(super) failed_checks: u32,
    /// What the work tree is compared with.
    pub(super) baseline: Baseline,
    /// Whether the engine saw that the run changed or committed a file.
    pub(super) changed: bool,
    /// Whether the run's worktree is created and set up.
    pub(super) worktree_ready: bool,
    /// What became of that worktree after the run.
    pub(super) worktree_ended: Option<WorktreeEnd>,
    pub(super) phase: Phase,
    pub(super) resumes: Resumes,
    /// What reviews found and is still open.
    pub(super) reviews: Reviews,
}

/// What happened in one visit of a step.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Visit {
    /// What its turns, and the checks after them, have used up.
    pub(super) used: Usage,
    /// How often the agent was asked again, for whatever reason.
    pub(super) asked_again: u32,
    /// How often the agent was asked again because of its reply or missing evidence.
    pub(super) retries: u32,
    /// How often it was asked again because a command failed.
    pub(super) verify_retries: u32,
    /// How long verify commands have taken.
    pub(super) verify_time: Duration,
    /// The tools that the agent was refused.
    pub(super) refused: Vec<ToolRefusal>,
    /// The files that were changed although the run may not change them.
    pub(super) violations: Vec<Violation>,
}

/// A queued prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PendingPrompt {
    pub(super) prompt: PromptId,
    pub(super) text: String,
    /// Whether the agent may have received it already.
    pub(super) again: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Phase {
    /// Between two events of one decision, or before the first.
    Deciding,
    /// The agent has a prompt, or is about to get one.
    Asking(Asking),
    /// The engine looks for evidence, or runs commands.
    Checking(Checking),
    /// The run has ended.
    Over(Ending),
}

/// The turn in flight.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Asking {
    pub(super) attempt: AttemptId,
    pub(super) purpose: Purpose,
    /// The client's prompt that this turn delivers, if that is its purpose.
    pub(super) delivering: Option<PendingPrompt>,
}

/// The check that the engine is carrying out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Checking {
    pub(super) check: AttemptId,
    pub(super) subject: CheckSubject,
}

impl Phase {
    fn is_worktree(&self) -> bool {
        matches!(self, Self::Checking(Checking { subject: CheckSubject::Worktree, .. }))
    }
}

impl RunState {
    pub(super) fn new(spec: RunSpec, recipe: &Outline) -> Self {
        Self {
            limits: spec.limits,
            spent: spec.spent,
            spec,
            extra_visits: 0,
            extra_steps: 0,
            queue: VecDeque::new(),
            due: Purpose::Step,
            visit: Visit::default(),
            failed_checks: 0,
            baseline: Baseline::default(),
            changed: false,
            worktree_ready: false,
            worktree_ended: None,
            phase: Phase::Deciding,
            resumes: Resumes::default(),
            reviews: Reviews::new(recipe),
        }
    }

    /// Applies an event. Both deciding and replaying use this, so they cannot differ.
    pub(super) fn apply(&mut self, event: &Event) {
        self.reviews.apply(event);
        match event {
            Event::TurnBegan { attempt, purpose, .. } => self.began(*attempt, purpose),
            Event::TreeSeen { tree, moment, .. } => self.saw(tree, moment),
            Event::Started { .. } => {}
            Event::RulesBroken { violations, .. } => {
                self.visit.violations.extend_from_slice(violations);
            }
            Event::WorktreeEnded { end } => self.worktree_ended = Some(end.clone()),
            Event::ToolsRefused { refused, .. } => self.visit.refused.extend_from_slice(refused),
            Event::CheckBegan { check, subject, .. } => {
                self.phase = Phase::Checking(Checking { check: *check, subject: subject.clone() });
            }
            Event::Checked { results, took, .. } => {
                let of_worktree = Phase::is_worktree(&self.phase);
                self.spent.add(*took, None);
                if !of_worktree {
                    self.visit.used.add(*took, None);
                }
                let verified = results.iter().filter(|result| result.kind == CheckKind::Verify);
                self.visit.verify_time += verified.map(|result| result.took).sum::<Duration>();
                let passed = results.iter().all(CheckResult::passed);
                self.failed_checks += u32::from(!passed);
                self.worktree_ready |= of_worktree && passed;
                self.phase = Phase::Deciding;
            }
            Event::Replied { took, cost_usd, .. } | Event::LimitReached { took, cost_usd, .. } => {
                self.spend(*took, *cost_usd);
                self.phase = Phase::Deciding;
            }
            Event::Retried { number, cause, .. } => {
                self.visit.asked_again = self.visit.asked_again.saturating_add(1);
                match cause {
                    RetryCause::Verify => self.visit.verify_retries = *number,
                    RetryCause::Reply | RetryCause::Evidence => self.visit.retries = *number,
                }
            }
            Event::Moved { .. } => {
                self.due = Purpose::Step;
                self.visit = Visit::default();
                self.resumes.stuck_on = None;
            }
            Event::PromptQueued { prompt, text } => {
                self.queue.push_back(PendingPrompt {
                    prompt: *prompt,
                    text: text.clone(),
                    again: false,
                });
            }
            Event::Ended { ending, took, cost_usd, redeliver, withdrawn, exceeded: _ } => {
                self.spend(*took, *cost_usd);
                self.queue.retain(|pending| !withdrawn.contains(&pending.prompt));
                let last = std::mem::replace(&mut self.phase, Phase::Over(ending.clone()));
                if let (Phase::Asking(Asking { delivering: Some(pending), .. }), true) =
                    (last, *redeliver)
                {
                    self.queue.push_front(PendingPrompt { again: true, ..pending });
                }
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
                self.queue.retain(|pending| !delivered.contains(&pending.prompt));
                match (&self.phase, by) {
                    (Phase::Over(ending), ResumedBy::Auto) => {
                        self.resumes.auto += 1;
                        self.resumes.stuck_on = Some(ending.reason.clone());
                    }
                    // A person has intervened, so the count of automatic resumes starts over.
                    (
                        Phase::Over(_) | Phase::Asking(_) | Phase::Checking(_) | Phase::Deciding,
                        _,
                    ) => {
                        self.resumes = Resumes::default();
                    }
                }
                self.spec.allow_tools.extend_from_slice(allow_tools);
                self.spec.permits.add(*permits);
                self.limits = *limits;
                (self.extra_visits, self.extra_steps) = (*extra_visits, *extra_steps);
                self.due = Purpose::Continue;
                // A visit that continues by itself continues with what it has left.
                self.visit = match by {
                    ResumedBy::Auto => {
                        let Visit { used, asked_again, .. } = self.visit;
                        Visit { used, asked_again, ..Visit::default() }
                    }
                    ResumedBy::User => Visit::default(),
                };
                self.phase = Phase::Deciding;
            }
        }
    }

    /// Adds a turn to what the run and the visit have used up.
    fn spend(&mut self, took: Duration, cost_usd: Option<f64>) {
        self.spent.add(took, cost_usd);
        self.visit.used.add(took, cost_usd);
    }

    fn saw(&mut self, tree: &TreeState, moment: &Moment) {
        match moment {
            Moment::Before => self.baseline.begin_turn(tree),
            Moment::After { changes } => {
                self.changed = changes.total_files > 0 || !changes.commits.is_empty();
                self.baseline.end_turn(tree.head.as_ref());
            }
        }
    }

    fn began(&mut self, attempt: AttemptId, purpose: &Purpose) {
        self.spent.ticks = self.spent.ticks.saturating_add(1);
        let delivering = match purpose {
            Purpose::Deliver { prompt } => {
                let index = self.queue.iter().position(|pending| pending.prompt == *prompt);
                index.and_then(|index| self.queue.remove(index))
            }
            Purpose::Step
            | Purpose::Continue
            | Purpose::Remind { .. }
            | Purpose::Evidence { .. }
            | Purpose::Verify { .. } => None,
        };
        self.phase = Phase::Asking(Asking { attempt, purpose: purpose.clone(), delivering });
    }
}
