//! A hash of the graph: the names of the steps, of their outcomes, and of what those lead to, and
//! where a step's limits lead. A change to any of them changes it. Prompts, labels and numbers are
//! left out on purpose, so that editing those does not strand runs in progress. So is the order in
//! which an author writes steps and outcomes.

use crate::model::{AfterLimit, Next, Outcome, Shape, Step};

pub(crate) fn of(shape: &Shape) -> u64 {
    let mut steps: Vec<_> = shape.steps.iter().collect();
    steps.sort_unstable_by(|one, other| one.wire.cmp(&other.wire));
    let mut hash = Hash::new();
    // Distinguishes it from the former one, which begins with the name of a step.
    hash.add("\u{1}graph");
    hash.add(&shape.steps[shape.initial].wire);
    hash.add(&registry(shape));
    for step in steps {
        let mut outcomes: Vec<_> = step.outcomes.iter().collect();
        outcomes.sort_unstable_by(|one, other| one.wire.cmp(&other.wire));
        hash.add("\u{1}step");
        hash.add(&step.wire);
        for outcome in outcomes {
            hash.outcome(shape, outcome);
        }
        hash.limits(shape, step);
    }
    hash.0
}

/// The same in the order of the source, as it was computed before. Runs and snapshots of that time
/// are recognized by it.
pub(crate) fn former(shape: &Shape) -> u64 {
    let mut hash = Hash::new();
    hash.add(&shape.steps[shape.initial].wire);
    hash.add(&registry(shape));
    for step in &shape.steps {
        // No name on the wire has this character, so an outcome cannot be confused with the next
        // step.
        hash.add("\u{1}step");
        hash.add(&step.wire);
        for outcome in &step.outcomes {
            hash.outcome(shape, outcome);
        }
        hash.limits(shape, step);
    }
    hash.0
}

fn registry(shape: &Shape) -> String {
    let registry = shape.registry.as_ref().and_then(|path| path.segments.last());
    registry.map_or(String::new(), |last| last.ident.to_string())
}

/// FNV-1a.
struct Hash(u64);

impl Hash {
    const fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    fn add(&mut self, text: &str) {
        // The zero byte distinguishes "a" + "bc" from "ab" + "c".
        for byte in text.bytes().chain([0]) {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }

    fn outcome(&mut self, shape: &Shape, outcome: &Outcome) {
        self.add(&outcome.wire);
        self.next(shape, outcome.next);
    }

    /// Where a run goes instead of visiting the step once more, and when a visit has used up a
    /// limit.
    fn limits(&mut self, shape: &Shape, step: &Step) {
        if let Some(instead) = step.when_full {
            self.add("\u{1}full");
            self.next(shape, instead);
        }
        for AfterLimit { limit, next, .. } in &step.after_limits {
            self.add("\u{1}limit");
            self.add(limit.words());
            self.next(shape, *next);
        }
    }

    fn next(&mut self, shape: &Shape, next: Next) {
        let next = match next {
            Next::Step(next) => shape.steps[next].wire.clone(),
            Next::Exit(exit) => format!("exit {}", shape.exit_path(exit)),
            Next::Restart(restart) => format!("restart {}", shape.restarts[restart].name),
        };
        self.add(&next);
    }
}
