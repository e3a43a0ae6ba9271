//! A run that is read from the outline alone: what pictures and lists show is what runs do.

use surefire::{AfterLimit, AnyReason, Guardrail, Guardrails, Next, NextOutline, Outline, Tripped};

/// The position of such a run.
pub(crate) struct ByOutline {
    outline: &'static Outline,
    step: usize,
    visits: Vec<u32>,
}

/// What follows an outcome, by the outline.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Followed {
    Step(&'static str),
    Exit(AnyReason),
    Tripped { guardrail: Guardrail, step: &'static str, limit: u32, observed: u32 },
    Restart(&'static str),
}

impl ByOutline {
    pub(crate) fn begin(outline: &'static Outline) -> Self {
        let mut visits = vec![0; outline.steps.len()];
        visits[outline.initial] = 1;
        Self { outline, step: outline.initial, visits }
    }

    pub(crate) fn take(&mut self, outcome: usize) -> Followed {
        let step = &self.outline.steps[self.step];
        match step.outcomes[outcome].next {
            NextOutline::Step(next) => self.enter(next),
            NextOutline::Exit(reason) => Followed::Exit(reason),
            // A walk is a chain of its own.
            NextOutline::Restart { id, .. } => match self.outline.guardrails.max_restarts {
                Some(limit @ 0) => tripped(Guardrail::MaxRestarts, step.name, limit, 1),
                Some(_) | None => Followed::Restart(id),
            },
        }
    }

    fn enter(&mut self, next: usize) -> Followed {
        let Guardrails { max_step_visits, max_total_steps, .. } = self.outline.guardrails;
        let (step, visits) = (&self.outline.steps[next], self.visits[next]);
        let limit = step.limits.max_visits.or(max_step_visits);
        if let Some(limit) = limit.filter(|limit| visits >= *limit) {
            return match step.limits.when_full {
                Some(AfterLimit::Step(instead)) => self.enter(instead),
                Some(AfterLimit::Exit(reason)) => Followed::Exit(reason),
                None => tripped(Guardrail::MaxStepVisits, step.name, limit, visits + 1),
            };
        }
        let steps: u32 = self.visits.iter().sum();
        if let Some(limit) = max_total_steps.filter(|limit| steps >= *limit) {
            return tripped(Guardrail::MaxTotalSteps, step.name, limit, steps + 1);
        }
        self.visits[next] += 1;
        self.step = next;
        Followed::Step(step.name)
    }
}

fn tripped(guardrail: Guardrail, step: &'static str, limit: u32, observed: u32) -> Followed {
    Followed::Tripped { guardrail, step, limit, observed }
}

impl From<Tripped> for Followed {
    fn from(hit: Tripped) -> Self {
        tripped(hit.guardrail, hit.step(), hit.limit, hit.observed)
    }
}

impl From<&Next> for Followed {
    fn from(next: &Next) -> Self {
        match next {
            Next::Step(step) => Self::Step(step.name),
            Next::Exit(exit) => exit.tripped().map_or(Self::Exit(exit.any_reason()), Self::from),
            Next::Restart(restart) => Self::Restart(restart.recipe.outline().id),
        }
    }
}
