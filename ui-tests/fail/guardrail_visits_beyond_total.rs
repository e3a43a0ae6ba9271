surefire::recipe! {
    recipe Example {
        initial: Work,
        guardrails: { max_step_visits: 10, max_total_steps: 5 },

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
