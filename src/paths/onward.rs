//! Where to go on from a step: to the nearest end, or around and back to it.

use std::collections::VecDeque;

use crate::{AfterLimit, NextOutline, OutcomeOutline, Outline};

/// An outcome, and the step that it belongs to.
type Before = (usize, &'static OutcomeOutline);

/// For each step an outcome on the shortest way to an end. Ways that lead over the limit of a step
/// come second: they take as many rounds as the limit allows.
pub(super) fn nearest_end(outline: &'static Outline) -> Vec<Option<&'static str>> {
    toward(outline, |outcome| !matches!(outcome.next, NextOutline::Step(_)))
}

/// Like [`nearest_end`], where only an exit is an end.
pub(super) fn nearest_exit(outline: &'static Outline) -> Vec<Option<&'static str>> {
    toward(outline, |outcome| matches!(outcome.next, NextOutline::Exit(_)))
}

fn toward(
    outline: &'static Outline,
    is_end: impl Fn(&&OutcomeOutline) -> bool,
) -> Vec<Option<&'static str>> {
    let steps = outline.steps.iter();
    let mut onward: Vec<_> =
        steps.map(|step| outline.drawn_outcomes(step).find(&is_end).map(|it| it.name)).collect();
    spread(&mut onward, &edges(outline, |outcome| outline.leads_to(outcome).take(1).collect()));
    for (index, step) in outline.steps.iter().enumerate() {
        let ends = outline.drawn_outcomes(step).find(|it| ends_over_limits(outline, it));
        onward[index] = onward[index].or(ends.map(|outcome| outcome.name));
    }
    spread(&mut onward, &edges(outline, |outcome| outline.leads_to(outcome).collect()));
    onward
}

/// Whether the outcome ends the run once the step that it leads to is full.
fn ends_over_limits(outline: &Outline, outcome: &OutcomeOutline) -> bool {
    let last = outline.leads_to(outcome).last().map(|step| outline.steps[step].limits.when_full);
    matches!(last, Some(Some(AfterLimit::Exit(_))))
}

/// Goes back from the steps with an outcome to those without one, the nearest first.
fn spread(onward: &mut [Option<&'static str>], back: &[Vec<Before>]) {
    let mut queue: VecDeque<_> = (0..onward.len()).filter(|step| onward[*step].is_some()).collect();
    while let Some(step) = queue.pop_front() {
        for (before, outcome) in &back[step] {
            if onward[*before].is_none() {
                onward[*before] = Some(outcome.name);
                queue.push_back(*before);
            }
        }
    }
}

/// For each step the outcomes that lead to it.
fn edges(
    outline: &'static Outline,
    leads_to: impl Fn(&'static OutcomeOutline) -> Vec<usize>,
) -> Vec<Vec<Before>> {
    let mut back = vec![Vec::new(); outline.steps.len()];
    for (index, step) in outline.steps.iter().enumerate() {
        for outcome in outline.drawn_outcomes(step) {
            for next in leads_to(outcome) {
                back[next].push((index, outcome));
            }
        }
    }
    back
}

/// The shortest way around, from a step back to it: outcomes, and the steps that they lead to.
/// Empty if there is none.
pub(super) fn way_back(
    outline: &'static Outline,
    step: usize,
) -> Vec<(&'static str, &'static str)> {
    let mut came: Vec<Option<Before>> = vec![None; outline.steps.len()];
    let mut queue = VecDeque::from([step]);
    while let Some(from) = queue.pop_front() {
        for outcome in outline.drawn_outcomes(&outline.steps[from]) {
            let NextOutline::Step(next) = outcome.next else { continue };
            if came[next].is_none() {
                came[next] = Some((from, outcome));
                queue.push_back(next);
            }
        }
    }
    let (mut way, mut at) = (Vec::new(), step);
    while let Some((from, outcome)) = came[at] {
        way.push((outcome.name, outline.steps[at].name));
        at = from;
        if at == step {
            break;
        }
    }
    way.reverse();
    way
}
