surefire::recipe! {
    recipe Example {
        initial: Work,

        step Work {
            /// What the agent is told.
            prompt: "Work.",
            outcomes: [Complete],
            /// Where it leads.
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
