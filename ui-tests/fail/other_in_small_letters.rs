surefire::recipe! {
    recipe Example {
        initial: Work,

        step Work {
            prompt: "Work.",
            outcomes: [Complete, other],
            Complete => Commit,
            other => exit ClarificationNeeded,
        }

        step Commit {
            prompt: "Commit.",
            outcomes: [Committed],
            Committed => exit TaskCommitted,
        }
    }
}

fn main() {}
