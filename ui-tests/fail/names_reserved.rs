surefire::recipe! {
    recipe Example {
        initial: Work,

        step Work {
            prompt: "Work.",
            outcomes: [Complete, On, Super],
            Complete => Step,
            On => At,
            Super => WorkOutcome,
        }

        step Step {
            prompt: "Step.",
            outcomes: [Complete],
            Complete => Example,
        }

        step At {
            prompt: "At.",
            outcomes: [Complete],
            Complete => self,
        }

        step Example {
            prompt: "Example.",
            outcomes: [Complete],
            Complete => exit TaskCommitted,
        }

        step WorkOutcome {
            prompt: "Outcome.",
            outcomes: [Complete],
            Complete => exit TaskCommitted,
        }

        step self {
            prompt: "Self.",
            outcomes: [Complete],
            Complete => exit TaskCommitted,
        }

    }
}

fn main() {}
