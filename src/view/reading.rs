//! What the registries say about an ending.

use crate::run::Ending;
use crate::{Definition, ExitReason, NextOutline, Outline, Registry, RunRemedy, Verdict};

/// What the registries say about an ending: the standard one, or the one of its recipe's author.
pub(super) struct Reading {
    pub(super) remedy: RunRemedy,
    pub(super) verdict: Verdict,
}

impl Reading {
    pub(super) fn of(ending: &Ending, outline: Option<&Outline>) -> Self {
        let standard = ExitReason::lookup(&ending.reason).map(Registry::definition);
        match standard.or_else(|| authors_own(ending, outline?)) {
            Some(definition) => Self { remedy: definition.remedy, verdict: definition.verdict() },
            // A reason of a recipe that is not on offer any more: its columns were copied when it ended.
            None => {
                let remedy = RunRemedy::usual(ending.category, ending.goal_met);
                Self { remedy, verdict: Verdict::of(ending.category, ending.goal_met, remedy) }
            }
        }
    }
}

fn authors_own(ending: &Ending, outline: &Outline) -> Option<&'static Definition> {
    let outcomes = outline.steps.iter().flat_map(|step| step.outcomes);
    let exits = outcomes.filter_map(|outcome| match outcome.next {
        NextOutline::Exit(reason) => Some(reason.definition()),
        NextOutline::Step(_) | NextOutline::Restart { .. } => None,
    });
    exits.into_iter().find(|definition| definition.code == ending.reason)
}
