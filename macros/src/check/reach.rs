//! Every step can be reached from the first.
//!
//! A forgotten mapping usually leaves a step unreached as well, and that is one mistake. So each
//! open outcome takes one unreached step as its suggestion, and only the other unreached steps are
//! reported here.

use std::collections::HashMap;

use crate::diagnostic::Diagnostics;
use crate::resolve::{Initial, Resolved, Target};
use crate::spelling;

/// For an outcome without a target (step and index), the unreached step that it was probably meant
/// to lead to.
pub(crate) type Hints = HashMap<(usize, usize), usize>;

pub(super) fn check(recipe: &Resolved, diagnostics: &mut Diagnostics) {
    let Some(unreached) = unreached(recipe) else {
        return;
    };
    let explained =
        open_outcomes(recipe, &unreached.reached).len() + open_limits(recipe, &unreached.reached);
    for root in unreached.roots.iter().skip(explained) {
        diagnostics.error(recipe.steps[*root].name(), message(recipe, *root, &unreached));
    }
}

/// The unreached steps that open outcomes probably lead to.
pub(crate) fn hints(recipe: &Resolved) -> Hints {
    let Some(unreached) = unreached(recipe) else {
        return Hints::new();
    };
    open_outcomes(recipe, &unreached.reached).into_iter().zip(unreached.roots).collect()
}

struct Unreached {
    reached: Vec<bool>,
    /// One step for each group that would be reached if that step were.
    roots: Vec<usize>,
}

/// `None` if the first step is unknown, so that reachability is unknown too.
fn unreached(recipe: &Resolved) -> Option<Unreached> {
    let (Initial::Step { index: initial, .. } | Initial::Unknown { meant: Some(initial) }) =
        recipe.initial
    else {
        return None;
    };
    let mut reached = recipe.graph.reachable([initial]);
    for (index, step) in recipe.steps.iter().enumerate() {
        if step.duplicate_of.is_some() {
            reached[index] = true;
        }
    }
    // Of the unreached components, those that no other one leads to: reaching them reaches all the
    // others.
    let components = recipe.graph.components();
    let mut led_to = vec![false; components.members.len()];
    for step in (0..recipe.steps.len()).filter(|step| !reached[*step]) {
        for next in recipe.graph.edges(step) {
            led_to[components.of[*next]] |= components.of[*next] != components.of[step];
        }
    }
    let all = components.members.iter().enumerate();
    let has_block = |step: usize| !recipe.steps[step].written.lacks_block;
    let free = all.filter(|(index, members)| {
        !led_to[*index] && !reached[members[0]] && has_block(members[0])
    });
    let mut roots: Vec<_> = free.map(|(_, members)| members[0]).collect();
    roots.sort_unstable();
    Some(Unreached { reached, roots })
}

/// The outcomes of reached steps whose target is unknown because of a mistake.
fn open_outcomes(recipe: &Resolved, reached: &[bool]) -> Vec<(usize, usize)> {
    let steps = recipe.steps.iter().enumerate().filter(|(index, _)| reached[*index]);
    steps
        .flat_map(|(index, step)| {
            let lost = step.outcomes.is_empty();
            let open = step.outcomes.iter().enumerate();
            let open = open
                .filter(|(_, outcome)| outcome.target.is_open() && outcome.target.step().is_none());
            open.map(move |(place, _)| (index, place)).chain(lost.then_some((index, 0)))
        })
        .collect()
}

/// How many limits of reached steps lead to something unknown because of a mistake.
fn open_limits(recipe: &Resolved, reached: &[bool]) -> usize {
    let steps = recipe.steps.iter().enumerate().filter(|(index, _)| reached[*index]);
    let targets = steps.map(|(index, step)| {
        // A limit leads to another step or ends the run; anything else was reported.
        let is_unknown = |target: &&Target| match target {
            Target::Restart(_) => true,
            target if target.step() == Some(index) => true,
            target => target.is_open() && target.step().is_none(),
        };
        let limits = step.after_limits.iter().map(|(_, target)| target).chain(&step.when_full);
        let lost = step.when_full.is_none() && step.written.may_have_had_a_limit();
        limits.filter(is_unknown).count() + usize::from(lost)
    });
    targets.sum()
}

fn message(recipe: &Resolved, root: usize, unreached: &Unreached) -> String {
    let name = recipe.steps[root].name();
    let mut also = recipe.graph.reachable([root]);
    also[root] = false;
    let also: Vec<_> = (0..also.len())
        .filter(|index| also[*index] && !unreached.reached[*index])
        .map(|index| recipe.steps[index].name().to_string())
        .collect();
    let also = if also.is_empty() {
        String::new()
    } else {
        format!(" (nor, then, {})", spelling::alternatives(&also))
    };
    let sources: Vec<_> = recipe
        .distinct_steps()
        .filter(|(index, _)| unreached.reached[*index])
        // One more than a short list has.
        .take(13)
        .map(|(_, step)| step.name().to_string())
        .collect();
    let sources = match spelling::short_list(sources.iter().map(String::as_str)) {
        Some(_) => spelling::alternatives(&sources),
        None => "a step that is reached".to_owned(),
    };
    format!(
        "step `{name}` cannot be reached{also}: map an outcome of {sources} to it, or remove it"
    )
}
