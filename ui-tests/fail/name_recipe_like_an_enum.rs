surefire::recipe! {
    recipe WorkOutcome {
        initial: Work,

        step Work {
            prompt: "Work.",
            outcomes: [Complete],
            Complete => Commit,
        }

        step Commit {
            prompt: "Commit.",
            outcomes: [Committed],
            Committed => exit TaskCommitted,
        }
    }
}

fn main() {}
