//! The machine in `smlang`: the graph alone. Its guards don't know the target, so that limits would
//! take a guard and an action per step, which nobody would write for a machine of this size.

use super::graph;

pub fn dependencies() -> String {
    "smlang = \"0.8.0\"\n".into()
}

pub fn source(steps: usize) -> String {
    let mut transitions = String::new();
    for step in graph::steps(steps) {
        for outcome in &step.outcomes {
            // The star marks the initial state, at its first mention.
            let star = if transitions.is_empty() { "*" } else { "" };
            let target = outcome
                .target
                .map_or("Exited".into(), |target| format!("S{target}"));
            transitions += &format!("        {star}S{} + {} = {target},\n", step.index, outcome.name);
        }
    }
    format!("smlang::statemachine! {{\n    transitions: {{\n{transitions}    }}\n}}\n")
}
