//! What the registry of an ending's reason says about it.

use crate::run::Ending;
use crate::{ExitReason, NextOutline, Outline, ReasonInfo, Registry, RunRemedy, Verdict};

/// What the registry of an ending's reason says about it: the standard registry, or the recipe's
/// own.
pub(super) struct Reading {
    pub(super) remedy: RunRemedy,
    pub(super) verdict: Verdict,
}

impl Reading {
    pub(super) fn of(ending: &Ending, outline: Option<&Outline>) -> Self {
        let standard = ExitReason::lookup(&ending.reason).map(Registry::definition);
        match standard.or_else(|| custom_reason(ending, outline?)) {
            Some(definition) => Self { remedy: definition.remedy, verdict: definition.verdict() },
            // The recipe is no longer in the catalog: use the columns that the ending has copied.
            None => {
                let remedy = RunRemedy::usual(ending.category, ending.goal_met);
                Self { remedy, verdict: Verdict::of(ending.category, ending.goal_met, remedy) }
            }
        }
    }
}

fn custom_reason(ending: &Ending, outline: &Outline) -> Option<&'static ReasonInfo> {
    let outcomes = outline.steps.iter().flat_map(|step| step.outcomes);
    let exits = outcomes.filter_map(|outcome| match outcome.next {
        NextOutline::Exit(reason) => Some(reason.definition()),
        NextOutline::Step(_) | NextOutline::Restart { .. } => None,
    });
    exits.into_iter().find(|definition| definition.code == ending.reason)
}
