//! From every step, an exit or a restart can be reached.
//!
//! The implied `Other` does not count: it is for the unforeseen, and a recipe that can end in no
//! other way is one whose author forgot the end.

use crate::diagnostic::Diagnostics;
use crate::resolve::Resolved;
use crate::spelling;

pub(super) fn check(recipe: &Resolved, diagnostics: &mut Diagnostics) {
    let components = recipe.certain.components();
    // A run that finds a step visited as often as it may be can end instead.
    let ends_at_a_limit = |from: usize| {
        let mut next = recipe.certain.edges(from).iter();
        next.any(|step| {
            components.of[*step] == components.of[from]
                && recipe.steps[*step]
                    .when_full
                    .as_ref()
                    .is_some_and(|target| target.ends() || target.is_open())
        })
    };
    let ends = recipe.steps.iter().enumerate().filter(|(index, step)| {
        step.is_open()
            || step.outcomes.iter().any(|outcome| outcome.target.ends())
            || step.after_limits.iter().any(|(_, target)| target.ends())
            || ends_at_a_limit(*index)
    });
    let ends = ends.map(|(index, step)| step.duplicate_of.unwrap_or(index));
    let can_end = recipe.certain.reversed().reachable(ends);
    for members in &components.members {
        let first = members[0];
        if can_end[first] || recipe.steps[first].duplicate_of.is_some() {
            continue;
        }
        // A group that leads into another trap is stuck only because of that one.
        let inescapable = members.iter().all(|step| {
            recipe
                .certain
                .edges(*step)
                .iter()
                .all(|next| components.of[*next] == components.of[first])
        });
        if inescapable {
            let name = recipe.steps[first].name();
            diagnostics
                .error(name, format!("step `{name}` can never end: {}", explain(recipe, members)));
        }
    }
}

fn explain(recipe: &Resolved, members: &[usize]) -> String {
    let first = recipe.steps[members[0]].name();
    let targets: Vec<_> =
        members.iter().map(|step| recipe.steps[*step].name().to_string()).collect();
    // A way round through several steps explains more than a step that leads to itself.
    let start = members
        .iter()
        .find(|step| !recipe.certain.edges(**step).contains(step))
        .unwrap_or(&members[0]);
    match recipe.certain.cycle_through(*start) {
        Some(_) if members.len() == 1 => {
            format!("every outcome leads back to `{first}` itself; map one of them to an exit")
        }
        Some(cycle) => {
            let path: Vec<_> =
                cycle.iter().map(|step| format!("`{}`", recipe.steps[*step].name())).collect();
            let back = match spelling::short_list(targets.iter().map(String::as_str)) {
                Some(_) => spelling::alternatives(&targets),
                None => format!("one of {} steps", targets.len()),
            };
            format!(
                "every outcome leads back to {back} ({}); map one of them to an exit",
                spelling::shortened(&path)
            )
        }
        None => {
            "only the implied `Other` leaves it; map an outcome to an exit, or write `Other` out"
                .to_owned()
        }
    }
}
