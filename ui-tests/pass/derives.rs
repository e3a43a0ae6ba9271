//! The enums of steps and outcomes derive further traits.
#![deny(warnings)]

use std::collections::BTreeMap;

surefire::recipe! {
    pub recipe Example {
        initial: Work,
        derive: [PartialOrd, Ord],

        step Work {
            prompt: "Work.",
            outcomes: [Complete, Blocked],
            Complete => Check,
            Blocked => exit ImplementationBlocked,
        }
        step Check { run: "make", Passed => exit TaskCommitted, Failed => exit ReviewRejected }
    }
}

fn main() {
    let costs = BTreeMap::from([(example::Step::Check, 0.2), (example::Step::Work, 1.5)]);
    assert_eq!(costs.keys().next(), Some(&example::Step::Work));
    assert!(example::WorkOutcome::Complete < example::WorkOutcome::Blocked);
    assert!(example::CheckOutcome::Passed < example::CheckOutcome::Failed);
}
