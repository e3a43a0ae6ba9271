//! Claims in words, and what they rest on.

use super::{NextOutline, OutcomeOutline, Outline, StepOutline};
use crate::recipe::claim::{Claim, ClaimBasis, ClaimGoal, ClaimedOutcome};

impl Claim {
    /// The claim as its author wrote it, with the names on the wire.
    #[must_use]
    pub fn in_words(&self, outline: &Outline) -> String {
        let goal = match self.goal {
            ClaimGoal::Step(step) => outline.steps[step].name.to_owned(),
            ClaimGoal::Exit(reason) => format!("exit {}", reason.definition().code),
            ClaimGoal::Restart(id) => format!("restart {id}"),
        };
        let needs = self.needs.iter().map(|need| {
            let (step, outcome) = need.of(outline);
            format!("{}.{}", step.name, outcome.name)
        });
        let needs = needs.collect::<Vec<_>>().join(" | ");
        let since = self
            .since
            .map_or_else(String::new, |step| format!(" since {}", outline.steps[step].name));
        format!("{goal} needs {needs}{since}")
    }

    /// What it rests on: if one of several outcomes is enough, the weakest of them.
    #[must_use]
    pub fn basis(&self, outline: &Outline) -> ClaimBasis {
        let bases = self.needs.iter().map(|need| need.basis(outline));
        bases.min().unwrap_or(ClaimBasis::Report)
    }
}

impl ClaimedOutcome {
    pub(super) fn of(self, outline: &Outline) -> (&'static StepOutline, &'static OutcomeOutline) {
        let step = &outline.steps[self.step];
        (step, &step.outcomes[self.outcome])
    }

    fn basis(self, outline: &Outline) -> ClaimBasis {
        let (step, outcome) = self.of(outline);
        // Commands verify a step only if the run continues after it.
        let goes_on = !matches!(outcome.next, NextOutline::Exit(_));
        if step.command.is_some() {
            ClaimBasis::Command
        } else if !outcome.evidence.is_empty() {
            ClaimBasis::Evidence
        } else if goes_on && !step.verify.is_empty() {
            ClaimBasis::Verified
        } else {
            ClaimBasis::Report
        }
    }
}
