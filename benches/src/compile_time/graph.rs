//! The graph that every contender implements: a row of steps that can continue, go back or stop.
//!
//! Every step can be reached (by `Next`) and can exit (by `Stop`). The first step has no
//! predecessor, so its `Back` leads to itself; the last has no successor, so its `Next` exits.

/// One step, `S<index>`.
pub struct Step {
    pub index: usize,
    /// Its outcomes, in the order in which a step offers them.
    pub outcomes: [Outcome; 3],
}

/// One outcome of a step, and the step that it leads to; without a target it exits.
pub struct Outcome {
    /// As a variant.
    pub name: &'static str,
    /// As a method.
    pub method: &'static str,
    pub target: Option<usize>,
}

/// The steps of a machine with `count` of them.
pub fn steps(count: usize) -> impl Iterator<Item = Step> {
    (0..count).map(move |index| Step {
        index,
        outcomes: [
            outcome("Next", "next", Some(index + 1).filter(|next| *next < count)),
            outcome("Back", "back", Some(index.saturating_sub(1))),
            outcome("Stop", "stop", None),
        ],
    })
}

fn outcome(name: &'static str, method: &'static str, target: Option<usize>) -> Outcome {
    Outcome { name, method, target }
}

/// `S0, S1, …`, as the variants of an enum.
pub fn variants(count: usize) -> String {
    (0..count).map(|index| format!("S{index}")).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_step_leads_on_or_exits() {
        for count in [1, 2, 5] {
            for step in steps(count) {
                let next = (step.index + 1 < count).then_some(step.index + 1);
                let back = Some(step.index.max(1) - 1);
                let targets = step.outcomes.map(|outcome| outcome.target);
                assert_eq!(targets, [next, back, None], "S{} of {count}", step.index);
            }
        }
    }
}
