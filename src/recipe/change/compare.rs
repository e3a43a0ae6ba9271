//! Compares an earlier graph of a recipe with the recipe as it is now. `was:` maps former names.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::of_outline::Transition;
use crate::recipe::erased::{Outline, StepOutline};
use crate::recipe::graph::{GraphNext, RecipeGraph};
use crate::recipe::graph_change::GraphChange;

/// Two versions of a recipe.
pub(in crate::recipe) struct Comparison<'a> {
    before: &'a RecipeGraph,
    now: &'a Outline,
    /// The index of each current step, by its name and its former names.
    steps: BTreeMap<&'static str, usize>,
    /// For a step that is gone, the one that it probably is now.
    renamed: BTreeMap<&'a str, usize>,
}

impl<'a> Comparison<'a> {
    pub(in crate::recipe) fn new(before: &'a RecipeGraph, now: &'a Outline) -> Self {
        let former = now.steps.iter().enumerate();
        let former = former.flat_map(|(index, step)| step.was.iter().map(move |was| (*was, index)));
        let current = now.steps.iter().enumerate().map(|(index, step)| (step.name, index));
        // A current name wins over a former one.
        let steps = former.chain(current).collect();
        let mut comparison = Self { before, now, steps, renamed: BTreeMap::new() };
        comparison.renamed = comparison.probably_renamed();
        comparison
    }

    /// The current step with this name, or with this former name.
    pub(in crate::recipe) fn step(&self, name: &str) -> Option<usize> {
        self.steps.get(name).copied()
    }

    /// What changed at a step and at those that a run can reach from it, the nearest first. The
    /// step has its earlier name, or a current one if the run entered it under that.
    pub(in crate::recipe) fn changes_from(&self, step: &str) -> Vec<GraphChange> {
        let known = self.before.steps.keys();
        let same =
            |other: &&String| self.step(other).is_some() && self.step(other) == self.step(step);
        let earlier = self.before.steps.get_key_value(step).map(|(name, _)| name);
        let Some(step) = earlier.or_else(|| known.into_iter().find(same)) else {
            return vec![GraphChange::StepAdded { step: step.to_owned() }];
        };
        let (mut changes, mut seen) = (Vec::new(), BTreeSet::from([step.as_str()]));
        let mut open = VecDeque::from([step.as_str()]);
        while let Some(step) = open.pop_front() {
            changes.extend(self.changes_at(step));
            open.extend(self.followers(step).filter(|next| seen.insert(next)));
        }
        changes
    }

    /// Everything that changed.
    pub(super) fn changes(&self) -> Vec<GraphChange> {
        let mut changes = Vec::new();
        let (before, now) = (&self.before.initial, self.now.first_step().name);
        if !self.is_same_step(before, self.now.initial) {
            changes.push(GraphChange::Initial { before: before.clone(), now: now.to_owned() });
        }
        changes.extend(self.before.steps.keys().flat_map(|step| self.changes_at(step)));
        let added = self.now.steps.iter().enumerate().filter(|(index, _)| {
            !self.before.steps.keys().any(|before| self.is_same_step(before, *index))
        });
        let step_added = |step: &StepOutline| GraphChange::StepAdded { step: step.name.to_owned() };
        changes.extend(added.map(|(_, step)| step_added(step)));
        changes
    }

    /// The earlier steps from which a run cannot continue, because something that it can reach has
    /// changed. With `renames`, those that remain once the suggested `was:` are added.
    pub(super) fn stops(&self, renames: bool) -> Vec<&'a str> {
        let is_changed = |step: &&str| {
            self.changes_at(step).iter().any(|change| !(renames && change.is_rename()))
        };
        let mut before: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for step in self.before.steps.keys() {
            for next in self.followers(step) {
                before.entry(next).or_default().push(step);
            }
        }
        let mut open: Vec<&str> =
            self.before.steps.keys().map(String::as_str).filter(is_changed).collect();
        let mut stops: BTreeSet<&'a str> = open.iter().copied().collect();
        while let Some(step) = open.pop() {
            let leading = before.get(step).into_iter().flatten().copied();
            open.extend(leading.filter(|step| stops.insert(step)));
        }
        stops.into_iter().collect()
    }

    /// The steps that an earlier one led to and that existed.
    fn followers(&self, step: &str) -> impl Iterator<Item = &'a str> {
        let outcomes = self.before.steps.get(step).into_iter().flatten();
        outcomes.filter_map(|(_, next)| match next {
            GraphNext::Step(next) => {
                self.before.steps.get_key_value(next).map(|(name, _)| name.as_str())
            }
            GraphNext::Exit(_) | GraphNext::Restart(_) => None,
        })
    }

    /// What changed at this step alone.
    fn changes_at(&self, step: &str) -> Vec<GraphChange> {
        let Some(outcomes) = self.before.steps.get(step) else { return Vec::new() };
        let Some(now) = self.step(step).map(|index| &self.now.steps[index]) else {
            let renamed = self.renamed.get(step).map(|index| self.now.steps[*index].name);
            let renamed = renamed.map(str::to_owned);
            return vec![GraphChange::StepRemoved { step: step.to_owned(), renamed }];
        };
        let transitions = self.now.transitions(now);
        let (mut changes, mut gone, mut met) = (Vec::new(), Vec::new(), BTreeSet::new());
        for (outcome, before) in outcomes {
            let Some(index) = Transition::find(&transitions, outcome) else {
                gone.push((outcome, before));
                continue;
            };
            met.insert(index);
            let next = &transitions[index].next;
            if !self.is_same_next(before, next) {
                changes.push(GraphChange::OutcomeMoved {
                    step: step.to_owned(),
                    outcome: outcome.clone(),
                    before: before.clone(),
                    now: next.clone(),
                });
            }
        }
        let mut added: Vec<_> = transitions.iter().enumerate().collect();
        added.retain(|(index, _)| !met.contains(index));
        for (outcome, before) in gone {
            // The only new outcome that leads to the same place.
            let is_like = |(_, known): &(usize, &Transition)| {
                !RecipeGraph::is_limit(outcome)
                    && !RecipeGraph::is_limit(known.name)
                    && self.is_same_next(before, &known.next)
            };
            let like: Vec<_> = added.iter().copied().filter(is_like).collect();
            let renamed = match like[..] {
                [(only, known)] => {
                    added.retain(|(index, _)| *index != only);
                    Some(known.name.to_owned())
                }
                _ => None,
            };
            let (step, outcome) = (step.to_owned(), outcome.clone());
            changes.push(GraphChange::OutcomeRemoved { step, outcome, renamed });
        }
        let outcome_added = |outcome: &str| GraphChange::OutcomeAdded {
            step: step.to_owned(),
            outcome: outcome.to_owned(),
        };
        changes.extend(added.iter().map(|(_, known)| outcome_added(known.name)));
        changes
    }

    fn is_same_next(&self, before: &GraphNext, now: &GraphNext) -> bool {
        match (before, now) {
            (GraphNext::Step(before), GraphNext::Step(now)) => {
                self.step(now).is_some_and(|now| self.is_same_step(before, now))
            }
            (
                GraphNext::Step(_) | GraphNext::Exit(_) | GraphNext::Restart(_),
                GraphNext::Step(_) | GraphNext::Exit(_) | GraphNext::Restart(_),
            ) => before == now,
        }
    }

    /// Whether the earlier step is this one now, or probably is.
    fn is_same_step(&self, before: &str, now: usize) -> bool {
        self.step(before).or_else(|| self.renamed.get(before).copied()) == Some(now)
    }

    /// The steps that are gone, and the one new step that has the same outcomes.
    fn probably_renamed(&self) -> BTreeMap<&'a str, usize> {
        let is_new = |index: &usize| {
            !self.before.steps.keys().any(|before| self.step(before) == Some(*index))
        };
        let new: Vec<_> = (0..self.now.steps.len()).filter(is_new).collect();
        let gone = self.before.steps.iter().filter(|(step, _)| self.step(step).is_none());
        let mut renamed = BTreeMap::new();
        for (step, outcomes) in gone {
            let mut like = new.iter().copied().filter(|index| self.is_like(outcomes, *index));
            if let (Some(only), None) = (like.next(), like.next())
                && !renamed.values().any(|taken| *taken == only)
            {
                renamed.insert(step.as_str(), only);
            }
        }
        renamed
    }

    /// Whether a new step has the outcomes of one that is gone, and they lead to the same places as
    /// far as those are known.
    fn is_like(&self, outcomes: &BTreeMap<String, GraphNext>, index: usize) -> bool {
        let now = self.now.transitions(&self.now.steps[index]);
        let leads_alike = |(outcome, before): (&String, &GraphNext)| {
            let Some(known) = Transition::find(&now, outcome) else { return false };
            match (before, &now[known].next) {
                (GraphNext::Step(before), GraphNext::Step(now)) => {
                    self.step(before).is_none_or(|before| self.step(now) == Some(before))
                }
                (before, now) => before == now,
            }
        };
        now.len() == outcomes.len() && outcomes.iter().all(leads_alike)
    }
}
