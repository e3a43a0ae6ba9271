//! What is known about a run beside where it stands, and what each event tells about it.

use std::collections::VecDeque;
use std::time::Duration;

use super::check::{CheckKind, CheckResult, CheckSubject};
use super::ending::Ending;
use super::event::{Event, Purpose, RetryCause};
use super::ids::{AttemptId, PromptId};
use super::limits::{Limits, Spent};
use super::order::Order;
use super::refused::ToolRefusal;
use super::resumed::{ResumedBy, Resumes};
use super::review::Reviews;
use super::tree::{Baseline, Moment, TreeState};
use super::worktree::WorktreeEnd;
use crate::Outline;

/// What is known about a run beside where it stands. It follows from the events alone: see [`Known::learn`].
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Known {
    pub(super) order: Order,
    pub(super) limits: Limits,
    pub(super) spent: Spent,
    pub(super) extra_visits: u32,
    pub(super) extra_steps: u32,
    /// What people said, in order, until the agent has been told.
    pub(super) waiting: VecDeque<Waiting>,
    /// What to ask once nobody waits: to work on the step, or to go on with it.
    pub(super) due: Purpose,
    /// What this visit of the step has used up, and what was refused in it.
    pub(super) visit: Visit,
    /// How many checks of the run were not good.
    pub(super) failed_checks: u32,
    /// What the work tree is compared with.
    pub(super) baseline: Baseline,
    /// Whether the run was seen to have changed or committed a file.
    pub(super) changed: bool,
    /// Whether the worktree that the run works in is made and set up.
    pub(super) worktree_ready: bool,
    /// What became of that worktree after the run.
    pub(super) worktree_ended: Option<WorktreeEnd>,
    pub(super) phase: Phase,
    pub(super) resumes: Resumes,
    /// What reviews found and is still open.
    pub(super) reviews: Reviews,
}

/// What one visit of a step has used up.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Visit {
    /// How often the agent was asked again for its reply, or because evidence was missing.
    pub(super) retries: u32,
    /// How often it was asked again because a command failed.
    pub(super) verify_retries: u32,
    /// How long verify commands have taken.
    pub(super) verify_time: Duration,
    /// The tools that the agent was refused.
    pub(super) refused: Vec<ToolRefusal>,
}

/// A prompt that waits for its turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Waiting {
    pub(super) prompt: PromptId,
    pub(super) text: String,
    /// Whether the agent may have heard it already.
    pub(super) again: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Phase {
    /// Between two events of one decision, or before the first.
    Deciding,
    /// The agent has, or is about to get, a prompt.
    Asking(Asking),
    /// The engine looks for evidence, or runs commands.
    Checking(Checking),
    /// It ended.
    Over(Ending),
}

/// The turn that the agent is in.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Asking {
    pub(super) attempt: AttemptId,
    pub(super) purpose: Purpose,
    /// What is passed on, where that is the purpose.
    pub(super) passed: Option<Waiting>,
}

/// The check that the engine carries out.
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

impl Known {
    pub(super) fn new(order: Order, recipe: &Outline) -> Self {
        Self {
            limits: order.limits,
            spent: order.spent,
            order,
            extra_visits: 0,
            extra_steps: 0,
            waiting: VecDeque::new(),
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

    /// What an event says about the run. Deciding and replaying both come through here, so they cannot differ.
    pub(super) fn learn(&mut self, event: &Event) {
        self.reviews.learn(event);
        match event {
            Event::TurnBegan { attempt, purpose, .. } => self.began(*attempt, purpose),
            Event::TreeSeen { tree, moment, .. } => self.saw(tree, moment),
            // What follows from a broken rule is decided where it is found.
            Event::Started { .. } | Event::RulesBroken { .. } => {}
            Event::WorktreeEnded { end } => self.worktree_ended = Some(end.clone()),
            Event::ToolsRefused { refused, .. } => self.visit.refused.extend_from_slice(refused),
            Event::CheckBegan { check, subject, .. } => {
                self.phase = Phase::Checking(Checking { check: *check, subject: subject.clone() });
            }
            Event::Checked { results, took, .. } => {
                self.spent.add(*took, None);
                let verified = results.iter().filter(|result| result.kind == CheckKind::Verify);
                self.visit.verify_time += verified.map(|result| result.took).sum::<Duration>();
                let passed = results.iter().all(CheckResult::passed);
                self.failed_checks += u32::from(!passed);
                let of_worktree = Phase::is_worktree(&self.phase);
                self.worktree_ready |= of_worktree && passed;
                self.phase = Phase::Deciding;
            }
            Event::Replied { took, cost_usd, .. } => {
                self.spent.add(*took, *cost_usd);
                self.phase = Phase::Deciding;
            }
            Event::Reasked { number, cause: RetryCause::Verify, .. } => self.visit.verify_retries = *number,
            Event::Reasked { number, cause: RetryCause::Reply | RetryCause::Evidence, .. } => {
                self.visit.retries = *number;
            }
            Event::Moved { .. } => {
                self.due = Purpose::Step;
                self.visit = Visit::default();
                self.resumes.stuck_on = None;
            }
            Event::PromptQueued { prompt, text } => {
                self.waiting.push_back(Waiting { prompt: *prompt, text: text.clone(), again: false });
            }
            Event::Ended { ending, took, cost_usd, unheard, withdrawn, exceeded: _ } => {
                self.spent.add(*took, *cost_usd);
                self.waiting.retain(|waiting| !withdrawn.contains(&waiting.prompt));
                let last = std::mem::replace(&mut self.phase, Phase::Over(ending.clone()));
                if let (Phase::Asking(Asking { passed: Some(waiting), .. }), true) = (last, *unheard) {
                    self.waiting.push_front(Waiting { again: true, ..waiting });
                }
            }
            Event::Resumed { by, limits, extra_visits, extra_steps, allow_tools, permits, told } => {
                self.waiting.retain(|waiting| !told.contains(&waiting.prompt));
                match (&self.phase, by) {
                    (Phase::Over(ending), ResumedBy::Auto) => {
                        self.resumes.auto += 1;
                        self.resumes.stuck_on = Some(ending.reason.clone());
                    }
                    // A person has looked at it, so it may try by itself again.
                    (Phase::Over(_) | Phase::Asking(_) | Phase::Checking(_) | Phase::Deciding, _) => {
                        self.resumes = Resumes::default();
                    }
                }
                self.order.allow_tools.extend_from_slice(allow_tools);
                self.order.permits.add(*permits);
                self.limits = *limits;
                (self.extra_visits, self.extra_steps) = (*extra_visits, *extra_steps);
                self.due = Purpose::Continue;
                self.visit = Visit::default();
                self.phase = Phase::Deciding;
            }
        }
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
        let passed = match purpose {
            Purpose::Pass { prompt } => {
                let index = self.waiting.iter().position(|waiting| waiting.prompt == *prompt);
                index.and_then(|index| self.waiting.remove(index))
            }
            Purpose::Step
            | Purpose::Continue
            | Purpose::Remind { .. }
            | Purpose::Evidence { .. }
            | Purpose::Verify { .. } => None,
        };
        self.phase = Phase::Asking(Asking { attempt, purpose: purpose.clone(), passed });
    }
}
