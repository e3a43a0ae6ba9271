surefire::recipe! {
    recipe Example {
        initial: Work,
        guardrails: { max_total_steps: -1 },

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
