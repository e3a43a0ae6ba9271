//! Names of steps are unique, and names stay distinct on the wire.

use std::collections::HashMap;

use proc_macro2::Ident;

use crate::diagnostic::Diagnostics;
use crate::resolve::{Resolved, Step, Target};
use crate::spelling;

pub(super) fn check(recipe: &Resolved, diagnostics: &mut Diagnostics) {
    for (index, step) in recipe.steps.iter().enumerate() {
        let Some(first) = step.duplicate_of else { continue };
        let (name, first) = (step.name(), recipe.steps[first].name());
        if !is_included_twice(step) {
            let message = format!("step `{name}` is defined twice; rename or remove one of them");
            diagnostics.error_and(name, message, first, "first_defined_here");
        } else if !index
            .checked_sub(1)
            .is_some_and(|before| is_included_twice(&recipe.steps[before]))
        {
            // The other steps of the same `include` are the same mistake.
            let message = format!(
                "step `{name}` is defined twice: give included steps other names, `include … as Name;`"
            );
            diagnostics.error_and(name, message, first, "first_defined_here");
        }
    }
    let steps = recipe.distinct_steps().map(|(_, step)| (step.name(), step.wire.as_str()));
    distinct("steps", steps, diagnostics);
    distinct_types(recipe, diagnostics);
    for step in &recipe.steps {
        distinct_outcomes(step, diagnostics);
    }
}

/// Included steps get other names all at once.
fn is_included_twice(step: &Step) -> bool {
    step.written.shared && step.duplicate_of.is_some()
}

fn distinct<'a>(
    what: &str,
    names: impl Iterator<Item = (&'a Ident, &'a str)>,
    diagnostics: &mut Diagnostics,
) {
    let mut seen = HashMap::new();
    for (name, wire) in names.filter(|(_, wire)| !wire.is_empty()) {
        if let Some(first) = seen.get(wire) {
            let message = format!(
                "the {what} `{first}` and `{name}` are both `{wire}` on the wire; rename one of them"
            );
            diagnostics.error_and(name, message, first, "the_other_one");
        } else {
            seen.insert(wire, name);
        }
    }
}

/// Names such as `Fix1` and `Fix_1` differ on the wire, but their generated types would not.
fn distinct_types(recipe: &Resolved, diagnostics: &mut Diagnostics) {
    let mut seen: HashMap<String, (&Ident, &str)> = HashMap::new();
    for (_, step) in recipe.distinct_steps() {
        let (name, types) = (step.name(), spelling::camel(step.name()));
        match seen.get(&types) {
            Some((first, wire)) if *wire != step.wire => {
                let message = format!(
                    "the steps `{first}` and `{name}` would both have a type `{types}Outcome`; rename one of them"
                );
                diagnostics.error_and(name, message, first, "the_other_one");
            }
            Some(_) => {}
            None => drop(seen.insert(types, (name, &step.wire))),
        }
    }
}

fn distinct_outcomes(step: &Step, diagnostics: &mut Diagnostics) {
    let implied =
        step.outcomes.iter().find(|outcome| matches!(outcome.target, Target::StandardOther));
    let written =
        || step.outcomes.iter().filter(|outcome| !matches!(outcome.target, Target::StandardOther));
    distinct(
        "outcomes",
        written().map(|outcome| (&outcome.name, outcome.wire.as_str())),
        diagnostics,
    );
    for outcome in
        written().filter(|outcome| implied.is_some_and(|implied| implied.wire == outcome.wire))
    {
        let (name, wire) = (&outcome.name, &outcome.wire);
        let message = format!(
            "every step has an outcome `{wire}` already: write it `Other`, or rename `{name}`"
        );
        diagnostics.error(name, message);
    }
}
