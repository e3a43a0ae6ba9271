//! The events of a run that began before a step or an outcome got another name, in the names of
//! today: everything that follows from events then has one name for one thing.

use super::check::CheckSubject;
use super::event::{Event, ReplyReading};
use crate::{Outline, StepOutline};

/// Maps former names, as `was` lists them.
pub(super) struct Renames(&'static Outline);

impl Renames {
    pub(super) const fn new(recipe: &'static Outline) -> Self {
        Self(recipe)
    }

    /// The event in the names of today. `at` is the step that the run was at.
    pub(super) fn current(&self, event: &Event, at: &str) -> Event {
        let mut event = event.clone();
        match &mut event {
            Event::Started { step, .. }
            | Event::TurnBegan { step, .. }
            | Event::Retried { step, .. }
            | Event::LimitReached { step, .. } => self.rename(step),
            Event::CheckBegan { step, subject, .. } => {
                match subject {
                    CheckSubject::Outcome { outcome, .. } => self.rename_outcome(step, outcome),
                    CheckSubject::Command | CheckSubject::Worktree => {}
                }
                self.rename(step);
            }
            Event::Replied { read, .. } => match read {
                ReplyReading::Outcome { outcome, .. } => self.rename_outcome(at, outcome),
                ReplyReading::Unread { .. } | ReplyReading::NotAsked => {}
            },
            Event::Moved { from, outcome, to, instead_of, .. } => {
                self.rename_outcome(from, outcome);
                [from, to].into_iter().chain(instead_of).for_each(|step| self.rename(step));
            }
            Event::Ended { ending, .. } => {
                if let Some(outcome) = &mut ending.outcome {
                    self.rename_outcome(&ending.step, outcome);
                }
                self.rename(&mut ending.step);
            }
            Event::TreeSeen { .. }
            | Event::RulesBroken { .. }
            | Event::ToolsRefused { .. }
            | Event::Checked { .. }
            | Event::PromptQueued { .. }
            | Event::Resumed { .. }
            | Event::WorktreeEnded { .. } => {}
        }
        event
    }

    fn step(&self, name: &str) -> Option<&'static StepOutline> {
        let former = || self.0.steps.iter().find(|step| step.was.contains(&name));
        self.0.step(name).or_else(former)
    }

    fn rename(&self, step: &mut String) {
        if let Some(current) = self.step(step) {
            current.name.clone_into(step);
        }
    }

    fn rename_outcome(&self, step: &str, outcome: &mut String) {
        let step = self.step(step);
        let current = step.and_then(|step| Some(&step.outcomes[step.outcome_once_named(outcome)?]));
        if let Some(current) = current {
            current.name.clone_into(outcome);
        }
    }
}
