//! The outcomes of a step: which mapping belongs to which declaration.

use std::collections::HashMap;

use proc_macro2::Ident;
use syn::ext::IdentExt;

use super::{Limits, OTHER, Outcome, Target, first_places};
use crate::spelling;
use crate::syntax::{self, Docs, Mapping, Next};

/// The declared outcomes with their targets, and the implied `Other`.
pub(super) fn outcomes(
    step: &syntax::Step,
    limits: Limits,
    target: &impl Fn(&Next) -> Target,
) -> Vec<Outcome> {
    // A list that was left out has been reported; what is mapped then says what it would have held.
    let left_out = step.outcomes.is_missing().then(|| step.mappings.iter().map(Mapping::declared).collect());
    let declared = step.outcomes.value().or(left_out.as_ref()).map_or(&[][..], Vec::as_slice);
    let places = first_places(declared.iter().map(|declared| &declared.name));
    let mapped = first_places(step.mappings.iter().map(|mapping| &mapping.outcome));
    let find = |name: &Ident| mapped.get(&name.unraw().to_string()).map(|place| &step.mappings[*place]);
    let mut outcomes: Vec<_> = declared
        .iter()
        .enumerate()
        .filter(|(index, declared)| places.get(&declared.name.unraw().to_string()) == Some(index))
        .map(|(_, declared)| {
            let target = match find(&declared.name) {
                Some(mapping) => mapping.next.as_ref().map_or(Target::Broken, target),
                None => Target::Unmapped,
            };
            let wire = spelling::wire(&declared.name);
            Outcome {
                name: declared.name.clone(),
                wire,
                docs: declared.docs.clone(),
                target,
                mapped_as: None,
            }
        })
        .collect();
    pair_misspelt(step, &mut outcomes, &places, target);
    if !limits.other_is_free
        && !outcomes.iter().any(|outcome| outcome.name.unraw() == OTHER)
        && !outcomes.is_empty()
    {
        let name = Ident::new(OTHER, proc_macro2::Span::mixed_site());
        let wire = spelling::wire(&name);
        outcomes.push(Outcome {
            name,
            wire,
            docs: Docs::default(),
            target: Target::StandardOther,
            mapped_as: None,
        });
    }
    outcomes
}

/// An outcome that is declared and not mapped, beside one that is mapped, not declared and spelled almost the
/// same, is one mistake and not two.
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
            outcome.mapped_as = Some(mapping.outcome.clone());
        }
    }
}

/// Mappings of outcomes that the step does not declare; without a readable list of outcomes nothing can be said about that.
pub(super) fn stray(step: &syntax::Step, target: &impl Fn(&Next) -> Target) -> Vec<Outcome> {
    let Some(declared) = step.outcomes.value() else { return Vec::new() };
    let declared = first_places(declared.iter().map(|declared| &declared.name));
    let mapped = first_places(step.mappings.iter().map(|mapping| &mapping.outcome));
    let is_stray =
        |index: usize, name: String| !declared.contains_key(&name) && mapped.get(&name) == Some(&index);
    let mappings = step.mappings.iter().enumerate();
    mappings
        .filter(|(index, mapping)| is_stray(*index, mapping.outcome.unraw().to_string()))
        .map(|(_, mapping)| {
            let target = mapping.next.as_ref().map_or(Target::Broken, target);
            let wire = spelling::wire(&mapping.outcome);
            Outcome { name: mapping.outcome.clone(), wire, docs: Docs::default(), target, mapped_as: None }
        })
        .collect()
}
