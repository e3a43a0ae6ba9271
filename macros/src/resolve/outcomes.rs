//! The outcomes of a step: which mapping belongs to which declaration.

use std::collections::HashMap;

use proc_macro2::Ident;
use syn::ext::IdentExt;

use super::evidence::{Evidence, judge};
use super::{FINDINGS, Limits, OTHER, Outcome, Target, first_places, was};
use crate::spelling;
use crate::syntax::{self, Declared, Docs, Mapping, Next, Step};

/// The declared outcomes with their targets, and the implied `Other`.
pub(super) fn outcomes(
    step: &Step,
    limits: Limits,
    target: &impl Fn(&Next) -> Target,
) -> Vec<Outcome> {
    let declared = declared(step);
    let places = first_places(declared.iter().map(|declared| &declared.name));
    let mapped = first_places(step.mappings.iter().map(|mapping| &mapping.outcome));
    let find =
        |name: &Ident| mapped.get(&name.unraw().to_string()).map(|place| &step.mappings[*place]);
    let mut outcomes: Vec<_> = declared
        .iter()
        .enumerate()
        .filter(|(index, declared)| places.get(&declared.name.unraw().to_string()) == Some(index))
        .map(|(_, declared)| {
            let mapping = find(&declared.name);
            let target = match mapping {
                Some(mapping) => mapping.next.as_ref().map_or(Target::Broken, target),
                None => Target::Unmapped,
            };
            let evidence = mapping.map_or_else(Vec::new, |mapping| evidence(step, mapping));
            let wire = spelling::wire(&declared.name);
            Outcome {
                name: declared.name.clone(),
                wire,
                docs: declared.docs.clone(),
                mapped_at: mapping.map(|mapping| mapping.outcome.span()),
                target,
                evidence,
                findings: mapping.is_some_and(|mapping| findings(step, mapping)),
                was: was(step, Some(&declared.name)),
                mapped_as: None,
            }
        })
        .collect();
    pair_misspelt(step, &mut outcomes, &places, target);
    if !limits.other_is_free
        && !step.is_command()
        && !outcomes.iter().any(|outcome| outcome.name.unraw() == OTHER)
        && !outcomes.is_empty()
    {
        let name = Ident::new(OTHER, proc_macro2::Span::mixed_site());
        let wire = spelling::wire(&name);
        outcomes.push(Outcome {
            name,
            wire,
            docs: Docs::default(),
            mapped_at: None,
            target: Target::StandardOther,
            evidence: Vec::new(),
            findings: false,
            was: Vec::new(),
            mapped_as: None,
        });
    }
    outcomes
}

/// The outcomes that a step declares.
fn declared(step: &Step) -> Vec<Declared> {
    if step.is_command() {
        return Step::COMMAND_OUTCOMES.iter().map(|name| command_outcome(step, name)).collect();
    }
    // A list that is missing or could not be read was already reported; the mapped outcomes replace
    // it.
    let mapped = || step.mappings.iter().map(Mapping::declared).collect();
    step.outcomes.value().cloned().unwrap_or_else(mapped)
}

/// The span of an outcome that is not declared: where it is mapped or, failing that, its step.
fn command_outcome(step: &Step, name: &str) -> Declared {
    let mapped = step.mappings.iter().find(|mapping| mapping.outcome == name);
    let span = mapped.map_or_else(|| step.name.span(), |mapping| mapping.outcome.span());
    Declared { docs: Docs::default(), name: Ident::new(name, span), carries: false }
}

/// The evidence of an outcome, without what a rule refuses: the exit status of a command is its
/// evidence, and `Other` is for what the author did not foresee.
fn evidence(step: &Step, mapping: &Mapping) -> Vec<Evidence> {
    if step.is_command() || mapping.outcome.unraw() == OTHER {
        return Vec::new();
    }
    mapping.evidence.iter().chain(&mapping.given).filter_map(|term| judge(term).ok()).collect()
}

/// Whether it carries findings, unless a rule refuses them: a command step and `Other` have none.
fn findings(step: &Step, mapping: &Mapping) -> bool {
    let word = mapping.carried.as_ref().and_then(|carried| carried.word.as_ref());
    !step.is_command()
        && mapping.outcome.unraw() != OTHER
        && word.is_some_and(|word| word == FINDINGS)
}

/// Pairs an outcome that is declared but not mapped with one that is mapped but not declared, if
/// their names are similar: that is one mistake, not two.
fn pair_misspelt(
    step: &syntax::Step,
    outcomes: &mut [Outcome],
    declared: &HashMap<String, usize>,
    target: &impl Fn(&Next) -> Target,
) {
    for mapping in &step.mappings {
        let name = mapping.outcome.unraw().to_string();
        if declared.contains_key(&name) {
            continue;
        }
        let unmapped = outcomes.iter().filter(|outcome| matches!(outcome.target, Target::Unmapped));
        let unmapped: Vec<_> = unmapped.map(|outcome| outcome.name.to_string()).collect();
        let meant = spelling::closest(&name, unmapped.iter().map(String::as_str));
        if let Some(outcome) =
            meant.and_then(|meant| outcomes.iter_mut().find(|outcome| outcome.name == meant))
        {
            outcome.target = mapping.next.as_ref().map_or(Target::Broken, target);
            outcome.evidence = evidence(step, mapping);
            outcome.findings = findings(step, mapping);
            outcome.mapped_as = Some(mapping.outcome.clone());
        }
    }
}

/// Mappings of outcomes that the step does not declare; none if the list of outcomes could not be
/// read.
pub(super) fn stray(step: &syntax::Step, target: &impl Fn(&Next) -> Target) -> Vec<Outcome> {
    if !step.is_command() && step.outcomes.value().is_none() {
        return Vec::new();
    }
    let declared = declared(step);
    let declared = first_places(declared.iter().map(|declared| &declared.name));
    let mapped = first_places(step.mappings.iter().map(|mapping| &mapping.outcome));
    let is_stray = |index: usize, name: String| {
        !declared.contains_key(&name) && mapped.get(&name) == Some(&index)
    };
    let mappings = step.mappings.iter().enumerate();
    mappings
        .filter(|(index, mapping)| is_stray(*index, mapping.outcome.unraw().to_string()))
        .map(|(_, mapping)| {
            let target = mapping.next.as_ref().map_or(Target::Broken, target);
            Outcome {
                name: mapping.outcome.clone(),
                wire: spelling::wire(&mapping.outcome),
                docs: Docs::default(),
                mapped_at: None,
                target,
                evidence: evidence(step, mapping),
                findings: findings(step, mapping),
                was: Vec::new(),
                mapped_as: None,
            }
        })
        .collect()
}
